//! Where a mention stands: in the cited lines, elsewhere in what was delivered, or nowhere.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{
    ledger::FileEvidence,
    mentions::Mention,
    prose::has_word,
    quantity::{Quantity, Unit, code_numbers, code_units, unit_named},
    structure::{Direction, FileStructure},
    validate::{citation::Citation, context::ValidationContext},
};
use retriever_search::{Declaration, words_in};
use retriever_workspace::{FileState, LineRange, RepoPath};

/// The rung on which a mention is found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rung {
    /// In the cited lines, in a declaration around them, at the other end of an edge there, or in the path.
    Cited,
    /// In these other lines of the run.
    Elsewhere(Citation),
    /// A path that was shown, or a word of the question.
    Shown,
    /// Not in anything that was delivered.
    Nowhere,
}

/// How a name is compared with code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

/// What was delivered in a run, by word and by declaration.
pub(super) struct RunEvidence<'a> {
    pub(super) context: ValidationContext<'a>,
    words: FxHashMap<&'a str, Vec<(&'a RepoPath, u32)>>,
    declarations: FxHashMap<&'a str, Vec<(&'a RepoPath, &'a Declaration)>>,
    paths: BTreeSet<&'a str>,
}

impl<'a> RunEvidence<'a> {
    /// Indexes what `context` says was delivered.
    pub(super) fn new(context: &ValidationContext<'a>) -> Self {
        let mut evidence = Self {
            context: *context,
            words: FxHashMap::default(),
            declarations: FxHashMap::default(),
            paths: context.ledger.places().iter().map(|place| place.path.as_str()).collect(),
        };
        for file in context.ledger.files() {
            let path = &file.stamp.path;
            evidence.paths.insert(path.as_str());
            for (number, line) in file.delivered_lines() {
                for word in words_of(line) {
                    let lines = evidence.words.entry(word).or_default();
                    if lines.last() != Some(&(path, number)) {
                        lines.push((path, number));
                    }
                }
            }
            for declaration in declarations_of(file, context) {
                // Names of Ruby end in signs that texts leave out.
                let name = declaration.name.trim_end_matches(['?', '!', '=']);
                evidence.declarations.entry(name).or_default().push((path, declaration));
            }
        }
        evidence
    }

    /// Returns the declarations with this name in files of which lines were delivered.
    pub(super) fn declared(&self, name: &str) -> &[(&'a RepoPath, &'a Declaration)] {
        self.declarations.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a delivered line, or a declaration around one, has `name`.
    pub(super) fn is_delivered(&self, name: &str) -> bool {
        self.words.contains_key(name) || self.declarations.contains_key(name)
    }

    /// Returns the delivered lines of the declaration that a name, qualified or not, stands for.
    pub(super) fn place_of(&self, name: &str) -> Option<Citation> {
        let own = words_of(name).last()?;
        self.declared(own).iter().find_map(|(path, declaration)| {
            let run = self.file(path)?.delivered.longest_within(declaration.range)?;
            Some(Citation { path: (*path).clone(), range: run })
        })
    }

    /// Returns what was delivered of a file.
    pub(super) fn file(&self, path: &RepoPath) -> Option<&'a FileEvidence> {
        self.context.ledger.file(path)
    }

    /// Returns what is known of the structure of a file.
    pub(super) fn structure(&self, path: &RepoPath) -> Option<&'a FileStructure> {
        self.context.structures.get(path)
    }

    /// Whether a delivered line of `range` contains `name`.
    pub(super) fn is_in_lines(&self, path: &RepoPath, range: LineRange, name: &str) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines.iter().any(|(at, line)| *at == path && range.contains(*line))
    }

    /// Whether a delivered line of `range` that is no comment contains `name`.
    pub(super) fn is_in_code(&self, path: &RepoPath, range: LineRange, name: &str) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines.iter().filter(|(at, line)| *at == path && range.contains(*line)).any(|(_, line)| {
            let lines = self.file(path).zip(LineRange::line(*line));
            lines.is_some_and(|(file, range)| {
                file.lines_in(range).any(|(_, text)| !is_comment(text, path.extension()))
            })
        })
    }

    /// Whether a delivered line that names `first` is followed by one of its file that names `second`, or names it too: a
    /// function that the outline does not know may be declared there.
    pub(super) fn is_followed(&self, first: &str, second: &str) -> bool {
        let lines = |name: &str| self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines(first)
            .iter()
            .any(|(path, line)| lines(second).iter().any(|(at, after)| at == path && after >= line))
    }

    /// Whether a delivered function names `first` in a line before one that names `second`.
    pub(super) fn is_sequence(&self, first: &str, second: &str) -> bool {
        let lines = |name: &str| self.words.get(name).map_or(&[][..], Vec::as_slice);
        let own = |declaration: &Declaration| [first, second].contains(&declaration.name.as_str());
        lines(first).iter().any(|(path, before)| {
            let after = lines(second).iter().filter(|(at, line)| at == path && line > before);
            let after: Vec<u32> = after.map(|(_, line)| *line).collect();
            let around =
                LineRange::line(*before).map(|range| Citation { path: (*path).clone(), range });
            !after.is_empty()
                && around.is_some_and(|around| {
                    self.overlapping(&around).any(|declaration| {
                        declaration.kind == "function"
                            && !own(declaration)
                            && after.iter().any(|line| declaration.range.contains(*line))
                    })
                })
        })
    }

    /// Returns the rung of `mention` in a text that cites `refs` and contains `words` besides.
    pub(super) fn find(&self, mention: &Mention, refs: &[Citation], words: &[&str]) -> Rung {
        match mention {
            Mention::Identifier(name) => self.find_name(name, refs, Case::Sensitive),
            Mention::Word(word) => self.find_name(word, refs, Case::Insensitive),
            Mention::File(file) => self.find_file(file, refs),
            Mention::Command(command) => self.find_text(command, refs),
            Mention::Hyphenated(words) => self.find_hyphenated(words, refs),
            Mention::Call(call) => self.find_call(call, refs),
            Mention::Quantity(quantity) => self.find_quantity(quantity, refs, words),
            Mention::Unit(unit) => self.find_unit(unit, refs),
        }
    }

    fn find_name(&self, name: &str, refs: &[Citation], case: Case) -> Rung {
        let name = name.trim_matches('$');
        let singular = name.strip_suffix('s').filter(|singular| singular.chars().count() > 1);
        let names: Vec<&str> = [Some(name), singular].into_iter().flatten().collect();
        for name in &names {
            if refs.iter().any(|citation| self.is_cited(name, citation, case)) {
                return Rung::Cited;
            }
        }
        names.iter().find_map(|name| self.find_elsewhere(name, refs)).unwrap_or(Rung::Nowhere)
    }

    /// Whether `name` stands in the cited lines, declares what is around them, is joined to them or is in the path.
    pub(super) fn is_cited(&self, name: &str, citation: &Citation, case: Case) -> bool {
        if self.is_in_lines(&citation.path, citation.range, name)
            || has_word(citation.path.as_str(), name)
            || self
                .overlapping(citation)
                .any(|declaration| declaration.name.trim_end_matches(['?', '!', '=']) == name)
            || self.is_related(name, citation)
        {
            return true;
        }
        let is_spelled_so = |line: &str| has_word(&line.to_lowercase(), &name.to_lowercase());
        case == Case::Insensitive
            && (is_spelled_so(citation.path.as_str())
                || self.file(&citation.path).is_some_and(|file| {
                    file.lines_in(citation.range).any(|(_, line)| is_spelled_so(line))
                }))
    }

    /// Returns the known declarations that share a line with `citation`.
    pub(super) fn overlapping(
        &self,
        citation: &Citation,
    ) -> impl Iterator<Item = &'a Declaration> + use<'a> {
        let (range, context) = (citation.range, self.context);
        let file = self.file(&citation.path);
        file.into_iter()
            .flat_map(move |file| declarations_of(file, &context))
            .filter(move |declaration| declaration.range.overlaps(range))
    }

    /// Whether a declaration at the cited lines belongs to `name`, or an edge of the graph joins them to it.
    fn is_related(&self, name: &str, citation: &Citation) -> bool {
        let Some(structure) = self.structure(&citation.path) else { return false };
        let mut heads = structure.heads.iter();
        if heads.any(|(range, head)| range.overlaps(citation.range) && has_word(head, name)) {
            return true;
        }
        structure.relations.iter().any(|relation| {
            (relation.other == name || relation.other_container.as_deref() == Some(name))
                && relation.range.overlaps(citation.range)
                && (relation.direction == Direction::Outgoing || relation.is_call)
        })
    }

    /// Finds `name` outside the cited lines: the line that declares it, else the nearest one of a cited file, else any.
    fn find_elsewhere(&self, name: &str, refs: &[Citation]) -> Option<Rung> {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        let worth = |(path, line): &(&RepoPath, u32)| {
            let heads = self.declared(name).iter();
            let is_head = heads
                .filter(|(at, _)| at == path)
                .any(|(_, declaration)| line.abs_diff(declaration.range.start()) <= 1);
            let distance = refs
                .iter()
                .filter(|citation| citation.path == **path)
                .map(|citation| distance(citation.range, *line))
                .min();
            (!is_head, distance.unwrap_or(u32::MAX))
        };
        let best =
            lines.iter().filter(|(path, _)| self.is_current(path)).min_by_key(|at| worth(at));
        if let Some((path, line)) = best {
            return self.line(path, *line).map(Rung::Elsewhere);
        }
        // A declaration of which only lines of the body were delivered.
        self.declared(name).iter().find_map(|(path, declaration)| {
            let file = self.file(path).filter(|_| self.is_current(path))?;
            let first = file.delivered.within(declaration.range).next()?;
            self.line(path, first.start()).map(Rung::Elsewhere)
        })
    }

    fn line(&self, path: &RepoPath, line: u32) -> Option<Citation> {
        Some(Citation { path: path.clone(), range: LineRange::line(line)? })
    }

    fn is_current(&self, path: &RepoPath) -> bool {
        let state = self.context.file_states.get(path);
        self.file(path).is_some_and(|file| state == Some(&FileState::Current(file.stamp.hash)))
    }

    fn find_file(&self, file: &str, refs: &[Citation]) -> Rung {
        let file = match file.rsplit_once(':') {
            Some((path, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => path,
            _ => file,
        };
        let file = file.trim_start_matches("./");
        let is_named = |path: &str| {
            path.strip_suffix(file).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        if refs.iter().any(|citation| is_named(citation.path.as_str())) {
            return Rung::Cited;
        }
        match self.find_text(file, refs) {
            Rung::Cited => Rung::Cited,
            _ if self.paths.iter().any(|path| is_named(path)) => Rung::Shown,
            found => found,
        }
    }

    /// Finds a text that stands in one line as it is.
    fn find_text(&self, text: &str, refs: &[Citation]) -> Rung {
        let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let has = |line: &str| {
            line.contains(text)
                || line.split_whitespace().collect::<Vec<_>>().join(" ").contains(&wanted)
        };
        let is_cited = |citation: &Citation| {
            let file = self.file(&citation.path);
            file.is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| has(line)))
        };
        if refs.iter().any(is_cited) {
            return Rung::Cited;
        }
        let found = self.current_lines().find(|(_, _, line)| has(line));
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(Rung::Nowhere, Rung::Elsewhere)
    }

    /// Finds words that are joined by hyphens, or as one identifier, in any case.
    fn find_hyphenated(&self, words: &str, refs: &[Citation]) -> Rung {
        let lower = words.to_lowercase();
        let joined: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
        let has = |line: &str| {
            line.to_lowercase().contains(&lower)
                || words_of(line).any(|word| folded(word) == joined)
        };
        let is_cited = |citation: &Citation| {
            let file = self.file(&citation.path);
            citation.path.as_str().to_lowercase().contains(&lower)
                || file.is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| has(line)))
        };
        if refs.iter().any(is_cited) {
            return Rung::Cited;
        }
        if self.paths.iter().any(|path| path.to_lowercase().contains(&lower)) {
            return Rung::Shown;
        }
        let found = self.current_lines().find(|(_, _, line)| has(line));
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(Rung::Nowhere, Rung::Elsewhere)
    }

    /// Finds a call, which may run over several lines. Dots at its end stand for arguments that are left out.
    fn find_call(&self, call: &str, refs: &[Citation]) -> Rung {
        let squeezed = |text: &str| -> String {
            text.chars().filter(|c| !c.is_whitespace() && !"\"'`;".contains(*c)).collect()
        };
        let wanted = squeezed(call);
        let wanted = wanted.split("...").next().and_then(|head| head.split('…').next());
        let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else { return Rung::Nowhere };
        let mut found = Rung::Nowhere;
        for file in self.context.ledger.files().filter(|file| self.is_current(&file.stamp.path)) {
            for run in file.delivered.runs() {
                let mut text = String::new();
                let mut starts = Vec::new();
                for (number, line) in file.lines_in(*run) {
                    starts.push((text.len(), number));
                    text.push_str(&squeezed(line));
                }
                for (at, _) in text.match_indices(wanted) {
                    let line = starts.iter().rev().find(|(start, _)| *start <= at);
                    let Some((_, line)) = line else { continue };
                    let path = &file.stamp.path;
                    if refs.iter().any(|own| own.path == *path && own.range.contains(*line)) {
                        return Rung::Cited;
                    }
                    if found == Rung::Nowhere {
                        found = self.line(path, *line).map_or(Rung::Nowhere, Rung::Elsewhere);
                    }
                }
            }
        }
        found
    }

    pub(super) fn current_lines(&self) -> impl Iterator<Item = (&'a RepoPath, u32, &'a str)> + '_ {
        let files = self.context.ledger.files().filter(|file| self.is_current(&file.stamp.path));
        files.flat_map(|file| {
            file.delivered_lines().map(move |(number, line)| (&file.stamp.path, number, line))
        })
    }

    fn find_quantity(&self, quantity: &Quantity, refs: &[Citation], words: &[&str]) -> Rung {
        let mut names: BTreeSet<String> = words.iter().map(folded).collect();
        let mut lower = String::new();
        for citation in refs {
            let Some(file) = self.file(&citation.path) else { continue };
            for (number, line) in file.lines_in(citation.range) {
                if has_amount(quantity, line, &units_around(file, number)).is_some() {
                    return Rung::Cited;
                }
                names.extend(words_of(line).map(folded));
                lower.extend(
                    line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase),
                );
            }
            for declaration in self.overlapping(citation) {
                let units: Vec<Unit> = code_units(&declaration.name);
                if has_amount(quantity, &declaration.name, &units).is_some() {
                    return Rung::Cited;
                }
            }
        }
        if quantity.is_status_named_in(&lower) {
            return Rung::Cited;
        }
        self.find_constant(quantity, &names)
    }

    /// Finds a line that gives the amount to one of `names`: the definition of a constant, a default, an entry of a table.
    fn find_constant(&self, quantity: &Quantity, names: &BTreeSet<String>) -> Rung {
        let is_named = |name: &str| {
            names.contains(&folded(name)) || {
                let parts = words_in(name);
                parts.len() > 1 && parts.iter().all(|part| names.contains(part))
            }
        };
        // A text that names a file may give any number that is defined there.
        let is_named_file = |path: &RepoPath| {
            let stem = path.file_name().split('.').next().unwrap_or_default();
            let has = |name: &str| names.contains(&folded(name));
            stem.chars().count() > 3 && has(stem) && has(path.extension())
        };
        let found = self.current_lines().find(|(path, number, line)| {
            if !line.contains(|c: char| c.is_ascii_digit()) {
                return false;
            }
            let Some(file) = self.file(path) else { return false };
            has_amount(quantity, line, &units_around(file, *number)).is_some_and(|at| {
                defined_name(&line[..at]).is_some_and(|name| is_named_file(path) || is_named(&name))
            })
        });
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(Rung::Nowhere, Rung::Elsewhere)
    }

    fn find_unit(&self, unit: &str, refs: &[Citation]) -> Rung {
        let Some(wanted) = unit_named(unit) else { return Rung::Nowhere };
        let named = |text: &str| code_units(text).contains(&wanted);
        let is_cited = refs.iter().any(|citation| {
            self.file(&citation.path)
                .is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| named(line)))
                || self.overlapping(citation).any(|declaration| named(&declaration.name))
        });
        if is_cited {
            return Rung::Cited;
        }
        let same_file = |path: &RepoPath| refs.iter().any(|citation| citation.path == *path);
        let found = self.current_lines().find(|(path, _, line)| same_file(path) && named(line));
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(Rung::Nowhere, Rung::Elsewhere)
    }
}

/// Returns every declaration that is known of a file: those of its structure, and those that the ledger was told of.
fn declarations_of<'a>(
    file: &'a FileEvidence,
    context: &ValidationContext<'a>,
) -> impl Iterator<Item = &'a Declaration> + use<'a> {
    let structure = context.structures.get(&file.stamp.path);
    let known = structure.map_or(&[][..], |structure| structure.declarations.as_slice());
    known.iter().chain(&file.declarations)
}

/// Whether a line is a comment as a whole, in a file with this extension.
fn is_comment(line: &str, extension: &str) -> bool {
    const HASH: [&str; 14] = [
        "py", "pyi", "rb", "sh", "bash", "pl", "r", "jl", "ex", "exs", "yml", "yaml", "toml", "php",
    ];
    const DASHES: [&str; 4] = ["lua", "sql", "hs", "elm"];
    let start = line.trim_start();
    let is_inner = start.strip_prefix('*').is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|c: char| c == '/' || c.is_whitespace())
    });
    is_inner
        || ["//", "/*", "\"\"\""].iter().any(|sign| start.starts_with(sign))
        || (start.starts_with('#') && HASH.contains(&extension))
        || (start.starts_with("--") && DASHES.contains(&extension))
}

/// Returns the offset of a number of `line` that is the amount.
pub(super) fn has_amount(quantity: &Quantity, line: &str, wider: &[Unit]) -> Option<usize> {
    let units = code_units(line);
    let mut numbers = code_numbers(line).into_iter();
    numbers.find(|number| quantity.is_amount(number, &units, wider)).map(|number| number.at)
}

/// Returns the units that the lines next to a line name.
pub(super) fn units_around(file: &FileEvidence, line: u32) -> Vec<Unit> {
    let around = LineRange::new(line.saturating_sub(2).max(1), line.saturating_add(1));
    let lines = around.into_iter().flat_map(|around| file.lines_in(around));
    lines.flat_map(|(_, text)| code_units(text)).collect()
}

/// Returns the name that a line gives a value to: the word before the first `=`, `=>` or `:` outside of braces, else the last
/// word.
fn defined_name(before: &str) -> Option<String> {
    const COMPARISONS: [&str; 8] = ["==", "<=", ">=", "!=", "+=", "-=", "*=", "~="];
    let last = before.trim_end();
    let is_bound = last.ends_with(['<', '>']) && !last.ends_with("=>") && !last.ends_with("->");
    if is_bound || COMPARISONS.iter().any(|sign| before.contains(sign)) {
        return None;
    }
    let mut depth = 0_usize;
    let outside: String = before
        .chars()
        .filter(|c| {
            depth += usize::from(*c == '{');
            let is_outside = depth == 0;
            depth = depth.saturating_sub(usize::from(*c == '}'));
            is_outside
        })
        .collect();
    let bytes = outside.as_bytes();
    let is_single_colon = |at: usize| {
        bytes[at] == b':' && bytes.get(at + 1) != Some(&b':') && (at == 0 || bytes[at - 1] != b':')
    };
    let sign = (0..bytes.len()).find(|at| bytes[*at] == b'=' || is_single_colon(*at));
    let head = outside.get(..sign.unwrap_or(outside.len()))?;
    words_of(head).last().filter(|name| name.chars().count() >= 3).map(str::to_owned)
}

/// Returns a name in lower case without underscores, so that a field and its property are the same.
pub(super) fn folded(name: impl AsRef<str>) -> String {
    name.as_ref().chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

fn distance(range: LineRange, line: u32) -> u32 {
    if range.contains(line) {
        0
    } else {
        range.start().abs_diff(line).min(range.end().abs_diff(line))
    }
}

/// Splits a line into identifiers and words, without signs such as `$` and `@` around them.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

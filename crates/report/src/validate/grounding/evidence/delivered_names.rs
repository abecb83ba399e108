//! Finds names, files, commands and calls in delivered lines.

use std::str::FromStr;

use super::{
    LetterCase, MentionEvidence, RunEvidence, delivered_quantities::defined_name, folded, words_of,
};
use crate::{
    code_mentions_in_prose::is_http_method,
    prose_normalization::{is_listed, is_word_char},
    validate::citation::{Citation, cites_line, cites_part},
};
use retriever_graph::NodeKind;
use retriever_search::{Declaration, words_in};
use retriever_workspace::{LineRange, RepoPath};

/// What a name that declares a route has beside the method of HTTP: `HttpPost`, `PostMapping`, `MapGet`.
const WORDS_OF_ROUTES: &str = "http map mapping method request route router async";

impl RunEvidence<'_> {
    pub(super) fn find_name(
        &self,
        name: &str,
        refs: &[Citation],
        case: LetterCase,
    ) -> MentionEvidence {
        let name = name.trim_matches('$');
        let singular = name.strip_suffix('s').filter(|singular| singular.chars().count() > 1);
        let names: Vec<&str> = [Some(name), singular].into_iter().flatten().collect();
        for name in &names {
            if refs.iter().any(|citation| self.is_cited(name, citation, case)) {
                return MentionEvidence::Cited;
            }
        }
        let elsewhere = names.iter().find_map(|name| self.find_elsewhere(name, refs));
        elsewhere.unwrap_or_else(|| match self.find_longer_name(name, refs) {
            MentionEvidence::Nowhere => self.find_product(name, refs),
            found => found,
        })
    }

    /// Finds a name with inner capitals, as that of a product has, which code has as one word or part of a name in lower case:
    /// `lakehouse.enabled` for "LakeHouse", or as the name of an object: `workManager.` for "WorkManager". Behind a single small
    /// letter the case may be any: `VCard` for "vCard". It is cited or shown; no line is evidence for it.
    fn find_product(&self, name: &str, refs: &[Citation]) -> MentionEvidence {
        let capitals = name.chars().filter(|c| c.is_uppercase()).count();
        let is_letters = name.chars().all(char::is_alphabetic);
        let has_inner_capital = capitals > usize::from(name.starts_with(char::is_uppercase));
        if !has_inner_capital || !is_letters {
            return MentionEvidence::Nowhere;
        }
        let lower = name.to_lowercase();
        let is_of_letter = name.chars().nth(1).is_some_and(char::is_uppercase);
        let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
        let variable = first.to_lowercase() + rest;
        let is_it = |word: &str| {
            (word.starts_with(&lower) && words_in(word).contains(&lower))
                || (is_of_letter && word.eq_ignore_ascii_case(name))
        };
        let is_object = |(path, line): &&(&RepoPath, u32)| {
            let line = self.text_at(path, *line).unwrap_or_default();
            ["?", "!", ""].iter().any(|sign| line.contains(&format!("{variable}{sign}.")))
        };
        let of_variable = self.words.get(variable.as_str()).into_iter().flatten();
        let found = self.words.iter().filter(|(word, _)| is_it(word)).flat_map(|(_, at)| at);
        let found = found.chain(of_variable.filter(is_object));
        let found = found.filter(|(path, _)| self.is_current(path));
        let found = found.map(|(path, line)| cites_line(refs, path, *line));
        match found.max() {
            Some(true) => MentionEvidence::Cited,
            Some(false) => MentionEvidence::Shown,
            None => MentionEvidence::Nowhere,
        }
    }

    /// Finds a name of which `name` is a part: `H3_EXCESSIVE_LOAD` for `EXCESSIVE_LOAD`, and `HttpPost` or `PostMapping` for
    /// the method of HTTP.
    fn find_longer_name(&self, name: &str, refs: &[Citation]) -> MentionEvidence {
        let is_constant = name.contains('_') && !name.contains(|c: char| c.is_lowercase());
        if !is_constant && !is_http_method(name) {
            return MentionEvidence::Nowhere;
        }
        let lower = name.to_lowercase();
        let is_it = |word: &str| {
            if is_constant {
                return word.strip_suffix(name).is_some_and(|head| head.ends_with('_'))
                    || word.strip_prefix(name).is_some_and(|tail| tail.starts_with('_'));
            }
            let parts = words_in(word);
            parts.contains(&lower)
                && parts.len() > 1
                && parts.iter().all(|part| *part == lower || is_listed(WORDS_OF_ROUTES, part))
        };
        let mut found: Vec<&(&RepoPath, u32)> =
            self.words.iter().filter(|(word, _)| is_it(word)).flat_map(|(_, at)| at).collect();
        found.retain(|(path, _)| self.is_current(path));
        found.sort_unstable();
        if found.iter().any(|(path, line)| cites_line(refs, path, *line)) {
            return MentionEvidence::Cited;
        }
        let first = found.first().and_then(|(path, line)| self.line(path, *line));
        first.map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere)
    }

    /// Finds `name` outside the cited lines: the line that declares it, else the nearest one of a cited file, else any.
    /// A comment proves nothing about code: its lines are not cited.
    fn find_elsewhere(&self, name: &str, refs: &[Citation]) -> Option<MentionEvidence> {
        let is_code = |(path, line): &(&RepoPath, u32)| !self.is_written_text(path, *line);
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
        let best = lines
            .iter()
            .filter(|at| self.is_current(at.0) && is_code(at))
            .min_by_key(|at| worth(at));
        if let Some((path, line)) = best {
            return self.line(path, *line).map(MentionEvidence::Elsewhere);
        }
        // A declaration of which only lines of the body were delivered.
        let of_body = self.declared(name).iter().find_map(|(path, declaration)| {
            let file = self.file(path).filter(|_| self.is_current(path))?;
            let first = file.delivered.within(declaration.range).next()?;
            self.line(path, first.start()).map(MentionEvidence::Elsewhere)
        });
        let is_annotated = self.context.ledger.annotation_words().contains(name);
        let is_shown = || is_annotated || lines.iter().any(|(path, _)| self.is_current(path));
        of_body.or_else(|| is_shown().then_some(MentionEvidence::Shown))
    }

    /// Whether a delivered line of a file that `refs` cite has `name`.
    pub(in crate::validate::grounding) fn is_in_file_of(
        &self,
        name: &str,
        refs: &[Citation],
    ) -> bool {
        let singular = name.strip_suffix('s').unwrap_or(name);
        [name, singular].iter().any(|name| {
            let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
            lines.iter().any(|(path, _)| refs.iter().any(|own| own.path == **path))
        })
    }

    /// Whether a delivered line defines a name of the cited code by `name`: the field `init: Once` of lines with `self.init`.
    pub(in crate::validate::grounding) fn is_type_of_cited(
        &self,
        name: &str,
        refs: &[Citation],
    ) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines.iter().any(|(path, number)| {
            let line = self.text_at(path, *number).unwrap_or_default();
            let before = line.find(name).map_or("", |at| line[..at].trim_end());
            let is_type = before.ends_with(':') && !before.ends_with("::");
            let defined = is_type.then(|| defined_name(before)).flatten();
            defined.is_some_and(|defined| {
                let mut refs = refs.iter().filter(|own| own.path == **path);
                refs.any(|own| self.is_in_code(path, own.range, &defined))
            })
        })
    }

    /// Whether `name` is a constant of an enumeration that the code of `refs` names.
    pub(in crate::validate::grounding) fn is_constant_of_cited(
        &self,
        name: &str,
        refs: &[Citation],
    ) -> bool {
        let lines = self.words.get(name).map_or(&[][..], Vec::as_slice);
        lines.iter().filter_map(|(path, number)| self.line(path, *number)).any(|at| {
            let around = self.overlapping(&at).filter(|around| around.name != name);
            let innermost = around.min_by_key(|around| around.range.width());
            innermost.is_some_and(|around| {
                NodeKind::from_str(&around.kind) == Ok(NodeKind::Enum)
                    && refs.iter().any(|own| self.is_in_code(&own.path, own.range, &around.name))
            })
        })
    }

    pub(super) fn find_file(&self, file: &str, refs: &[Citation]) -> MentionEvidence {
        let file = match file.rsplit_once(':') {
            Some((path, lines)) if lines.chars().all(|c| c.is_ascii_digit() || c == '-') => path,
            _ => file,
        };
        let file = file.trim_start_matches("./");
        let is_named = |path: &str| {
            path.strip_suffix(file).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        if refs.iter().any(|citation| is_named(citation.path.as_str())) {
            return MentionEvidence::Cited;
        }
        match self.find_in_line(refs, |line| has_file_name(line, file)) {
            MentionEvidence::Cited => MentionEvidence::Cited,
            _ if self.paths.iter().any(|path| is_named(path)) => MentionEvidence::Shown,
            MentionEvidence::Nowhere => self.find_member(file, refs),
            found => found,
        }
    }

    /// Finds `Type.member`, which may read as the name of a file: `Response.json`.
    fn find_member(&self, name: &str, refs: &[Citation]) -> MentionEvidence {
        let Some((owner, member)) = name.split_once('.') else { return MentionEvidence::Nowhere };
        let is_within = |(path, declaration): &(&RepoPath, &Declaration)| {
            self.declared(owner).iter().any(|(at, around)| {
                at == path && around.range.covers(declaration.range) && around != declaration
            }) || self
                .is_member_of(&Citation { path: (*path).clone(), range: declaration.range }, owner)
        };
        let mut elsewhere = MentionEvidence::Nowhere;
        for (path, declaration) in self.declared(member).iter().filter(|it| is_within(it)) {
            if cites_part(refs, path, declaration.range) {
                return MentionEvidence::Cited;
            }
            let file = self.file(path).filter(|_| self.is_current(path));
            let shown = file.and_then(|file| file.delivered.within(declaration.range).next());
            if let Some(first) = shown.filter(|_| elsewhere == MentionEvidence::Nowhere) {
                let line = self.line(path, first.start());
                elsewhere = line.map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere);
            }
        }
        elsewhere
    }

    /// Finds a text that stands in one line as it is.
    pub(super) fn find_text(&self, text: &str, refs: &[Citation]) -> MentionEvidence {
        let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.find_in_line(refs, |line| {
            line.contains(text)
                || line.split_whitespace().collect::<Vec<_>>().join(" ").contains(&wanted)
        })
    }

    /// Finds a line that `has` what is looked for, first among the cited ones.
    fn find_in_line(&self, refs: &[Citation], has: impl Fn(&str) -> bool) -> MentionEvidence {
        let is_cited = |citation: &Citation| {
            let file = self.file(&citation.path);
            file.is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| has(line)))
        };
        if refs.iter().any(is_cited) {
            return MentionEvidence::Cited;
        }
        self.first_line(|_, _, line| has(line))
    }

    /// Returns the first delivered line that `has` what is looked for.
    fn first_line(&self, has: impl Fn(&RepoPath, u32, &str) -> bool) -> MentionEvidence {
        let found = self.current_lines().find(|(path, number, line)| has(path, *number, line));
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere)
    }

    /// Finds words that are joined by hyphens, or as an identifier or parts of one, in any case: `TYPE_WIFI` for "Wi-Fi".
    pub(super) fn find_hyphenated(&self, words: &str, refs: &[Citation]) -> MentionEvidence {
        let lower = words.to_lowercase();
        let joined: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
        let has = |line: &str| {
            line.to_lowercase().contains(&lower)
                || words_of(line).any(|word| folded(word) == joined || has_parts(word, &joined))
        };
        let is_cited = |citation: &Citation| {
            let file = self.file(&citation.path);
            citation.path.as_str().to_lowercase().contains(&lower)
                || file.is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| has(line)))
        };
        if refs.iter().any(is_cited) {
            return MentionEvidence::Cited;
        }
        if self.paths.iter().any(|path| path.to_lowercase().contains(&lower)) {
            return MentionEvidence::Shown;
        }
        let in_code =
            self.first_line(|path, line, text| has(text) && !self.is_written_text(path, line));
        match in_code {
            // That a comment has the words is no evidence of what code does.
            MentionEvidence::Nowhere if self.current_lines().any(|(_, _, line)| has(line)) => {
                MentionEvidence::Shown
            }
            found => found,
        }
    }

    /// Finds a word as a literal or a part of one, in any case. Of one sign the quotation marks must be there, too.
    pub(super) fn find_literal(&self, literal: &str, refs: &[Citation]) -> MentionEvidence {
        let wanted = literal.to_lowercase();
        let is_sign = wanted.chars().nth(1).is_none();
        let found = self.find_in_line(refs, |line| {
            let line = line.to_lowercase();
            line.match_indices(&wanted).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + wanted.len()..]);
                if is_sign {
                    return before.ends_with(['"', '\'', '`', ':']);
                }
                let goes_on = |inside: &str, next: Option<char>| {
                    inside.chars().all(is_word_char) && next.is_some_and(is_word_char)
                };
                !goes_on(&wanted, before.chars().next_back())
                    && !goes_on(&wanted, after.chars().next())
            })
        });
        // Words stand between quotation marks for other reasons, too.
        if matches!(found, MentionEvidence::Elsewhere(_)) { MentionEvidence::Shown } else { found }
    }

    /// Finds a call, which may span several lines. An ellipsis at its end means omitted arguments.
    pub(super) fn find_call(&self, call: &str, refs: &[Citation]) -> MentionEvidence {
        let squeezed = |text: &str| -> String {
            text.chars().filter(|c| !c.is_whitespace() && !"\"'`;".contains(*c)).collect()
        };
        let wanted = squeezed(call);
        let wanted = wanted.split("...").next().and_then(|head| head.split('…').next());
        let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else {
            return MentionEvidence::Nowhere;
        };
        let mut found = MentionEvidence::Nowhere;
        for file in self.context.ledger.files().filter(|file| self.is_current(&file.version.path)) {
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
                    let path = &file.version.path;
                    if cites_line(refs, path, *line) {
                        return MentionEvidence::Cited;
                    }
                    if found == MentionEvidence::Nowhere {
                        found = self
                            .line(path, *line)
                            .map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere);
                    }
                }
            }
        }
        found
    }
}

/// Whether a line names a file, with or without its folders: `dead.json` is not `dead.jsonl` nor `dead.json.bak`.
fn has_file_name(line: &str, file: &str) -> bool {
    line.match_indices(file).any(|(at, _)| {
        let mut behind = line[at + file.len()..].chars();
        let goes_on = match behind.next() {
            Some('.') => behind.next().is_some_and(is_word_char),
            next => next.is_some_and(|c| is_word_char(c) || c == '-'),
        };
        !goes_on && !line[..at].ends_with(|c: char| is_word_char(c) || "-.".contains(c))
    })
}

fn distance(range: LineRange, line: u32) -> u32 {
    if range.contains(line) {
        0
    } else {
        range.start().abs_diff(line).min(range.end().abs_diff(line))
    }
}

/// Whether neighbouring parts of a name are `joined`: `Wi` and `Fi` of `isWiFiOn`, not "if" of `notify`.
fn has_parts(name: &str, joined: &str) -> bool {
    let is_start = |at: usize| {
        let (before, own) = (name[..at].chars().next_back(), name[at..].chars().next());
        before.is_none_or(|c| c == '_' || c.is_lowercase() && own.is_some_and(char::is_uppercase))
    };
    let is_end = |at: usize| {
        let (last, next) = (name[..at].chars().next_back(), name[at..].chars().next());
        next.is_none_or(|c| c == '_' || c.is_uppercase() && last.is_some_and(char::is_lowercase))
    };
    name.char_indices().filter(|(at, _)| is_start(*at)).any(|(start, _)| {
        let mut wanted = joined.chars().peekable();
        for (at, c) in name[start..].char_indices().filter(|(_, c)| *c != '_') {
            if wanted.next() != Some(c.to_ascii_lowercase()) {
                return false;
            }
            if wanted.peek().is_none() {
                return is_end(start + at + c.len_utf8());
            }
        }
        false
    })
}

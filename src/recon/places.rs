//! Finds the places inside a file that fit a question: its declarations, scored by their name, the terms in their body and
//! the company these keep, and where nothing is declared the densest windows of lines.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Candidate, CandidateSource, RoleCues, ScoreParts, Symbol, Texts,
    declarations::{self, Declared, declarations},
    files::{RankedFile, Sought},
    matcher::{Field, Hit},
    outline::{imports, innermost, is_lead, leads},
    passages::{WINDOW, clip, densest, text_of},
    reading::TermForm,
    roles::AnyOf,
    senses::{Meaning, Words},
    substance::substance,
    surface, words,
};
use crate::{
    graph::Node,
    ledger::{FileStamp, LineRange},
    question::Role,
    workspace::{FileTraits, TextFile},
};

/// A declaration wider than this is narrowed to the part that fits.
pub(super) const MAX_WIDTH: u32 = 120;
/// Windows of one file.
const WINDOWS: usize = 2;
const TOKENS_PER_LINE: u32 = 12;
/// BM25 of a place: saturation, held length, and the lines of a usual place.
const K1: f64 = 1.2;
const B: f64 = 0.45;
const USUAL_LINES: f64 = 30.0;
/// Points per worth of term, by part of the score.
const NAME: f64 = 0.9;
const WHOLE_NAME: f64 = 0.8;
const BODY: f64 = 0.6;
const TOGETHER: f64 = 6.0;
const OWNER: f64 = 0.25;
const QUALIFIED: f64 = 0.7;
/// Lines of a place that may be a surface.
const SURFACES: usize = 6;
/// Points of a place that holds a text which the question quotes.
const QUOTED: f64 = 6.0;
/// Share of its own points that a place wins or loses by what it does, also when the question names code.
const WORK: f64 = 1.2;
const WORK_OF_NAMED: f64 = 0.25;
/// Points of a place that means what the question means, and the likeness that anything has.
const MEANING: f64 = 5.0;
const MEANING_OF_NAMED: f64 = 2.0;
const USUAL_LIKENESS: f64 = 0.2;
/// Lines above a declaration, and of its beginning, that tell what it means.
const SAID: usize = 12;
const HEAD: u32 = 40;
/// What a usual place does.
const USUAL_WORK: f64 = 0.4;

/// A place before it is cut to a candidate.
struct Place<'a> {
    range: LineRange,
    /// Lines of the comments and attributes directly above it.
    lead: u32,
    /// The declaration, or none for a window.
    declared: Option<&'a Declared>,
    owner: Option<&'a Declared>,
    hits: Vec<Hit>,
}

/// What places are judged by.
pub(super) struct Judge<'a> {
    pub(super) sought: Sought<'a>,
    pub(super) worth: &'a [f64],
    pub(super) cues: &'a RoleCues,
    /// The cues of the roles that are asked for.
    pub(super) asked: AnyOf<'a>,
    pub(super) texts: &'a Texts<'a>,
}

impl Judge<'_> {
    /// Returns the candidates of one file, in no order. `words` are those of any other files.
    pub(super) fn candidates(
        &self,
        file: &TextFile,
        ranked: &RankedFile,
        words: &mut Words,
    ) -> Vec<Candidate> {
        let mut hits = Vec::new();
        match self.sought.lookup.words.file(&file.path, 0).filter(|(_, words)| words.is_of(file)) {
            Some(packed) => self.sought.lookup.scan(packed, |hit| hits.push(hit)),
            None => {
                let (text, extension) = (file.text(), file.path.extension());
                self.sought.matcher.scan(text, extension, |hit| hits.push(hit));
            }
        }
        let found = declarations(file.path.extension(), file.text());
        let said = self.sought.said.get(&file.path);
        let pointed_at = ranked
            .lines
            .iter()
            .map(|(line, _)| *line)
            .chain(said.iter().flat_map(|said| said.lines.iter().map(|(line, _)| *line)));
        let places = self.places(file, &found, &hits, pointed_at);
        let stamp = FileStamp::of(file);
        let mut candidates: Vec<Candidate> =
            places.iter().map(|place| self.candidate(file, &stamp, ranked, place, words)).collect();
        if candidates.is_empty() {
            candidates.push(self.whole(file, stamp, ranked));
        }
        candidates
    }

    /// Gives every hit to the declaration it lies in, and what lies in none to windows.
    fn places<'a>(
        &self,
        file: &TextFile,
        found: &'a [Declared],
        hits: &[Hit],
        pointed_at: impl Iterator<Item = u32>,
    ) -> Vec<Place<'a>> {
        let leads = leads(file, found);
        let imports = imports(file);
        let mut by_place: Vec<Option<Vec<Hit>>> = vec![None; found.len()];
        let mut loose: Vec<Hit> = Vec::new();
        for hit in hits {
            let Some(inner) = innermost(found, &leads, hit.line) else {
                if !LineRange::line(hit.line).is_some_and(|line| imports.contains(line)) {
                    loose.push(*hit);
                }
                continue;
            };
            // What a nested function says, the function around it says too; a type doesn't speak for its methods.
            let mut at = Some(inner);
            while let Some(index) = at {
                by_place[index].get_or_insert_default().push(*hit);
                at = found[index]
                    .parent
                    .filter(|outer| !declarations::is_type(&found[*outer].declaration.kind));
            }
        }
        for line in pointed_at {
            if let Some(index) = innermost(found, &leads, line) {
                by_place[index].get_or_insert_default();
            }
        }
        let mut places: Vec<Place<'a>> = by_place
            .into_iter()
            .enumerate()
            .filter_map(|(index, hits)| Some((index, hits?)))
            .map(|(index, hits)| Place {
                range: found[index].declaration.range,
                lead: found[index].declaration.range.start().saturating_sub(leads[index]),
                declared: Some(&found[index]),
                owner: found[index].parent.map(|owner| &found[owner]),
                hits,
            })
            .collect();
        for _ in 0..WINDOWS {
            let Some(range) = densest(&loose, self.worth, file.line_count(), None) else { break };
            let (inside, outside) = loose.into_iter().partition(|hit| range.contains(hit.line));
            places.push(Place { range, lead: 0, declared: None, owner: None, hits: inside });
            loose = outside;
        }
        places
    }

    fn candidate(
        &self,
        file: &TextFile,
        stamp: &FileStamp,
        ranked: &RankedFile,
        place: &Place<'_>,
        words: &mut Words,
    ) -> Candidate {
        let mut score = ScoreParts::default();
        for (feature, points) in &ranked.score.0 {
            score.add(feature, *points);
        }
        let own_before = score.total();
        let (matched, mut provenance) = self.score(place, ranked, &mut score);
        let likeness = self.likeness(file, place, words);
        let share = if self.sought.reading.names_code() { MEANING_OF_NAMED } else { MEANING };
        score.add("meaning", share * (likeness - USUAL_LIKENESS).max(0.0));
        let is_named = score.0.iter().any(|(part, _)| matches!(*part, "name" | "whole name"));
        let mentioned = ranked.lines.iter().filter(|(line, _)| place.range.contains(*line));
        score.add("line", 8.0 * mentioned.map(|(_, worth)| *worth).fold(0.0, f64::max));
        let mut source = CandidateSource::Lexical;
        if let Some(said) = self.surface(file, place) {
            provenance.insert(0, said);
            source = if is_named { source } else { CandidateSource::Surface };
        }
        let said = self.sought.said.get(&file.path);
        let mut said = said.iter().flat_map(|said| &said.lines);
        if let Some((_, text)) = said.find(|(line, _)| place.range.contains(*line)) {
            score.add("quoted line", QUOTED);
            provenance.insert(0, format!("text \"{text}\""));
            source = if is_named { source } else { CandidateSource::Grep };
        }
        let secondary = ranked.score.0.iter().find(|(feature, _)| *feature == "kind");
        let text = text_of(file, place.range);
        let kind = place.declared.map(|found| found.declaration.kind.as_str());
        let does = substance(kind, &text);
        let own = score.total() - own_before;
        let asked_for = score.0.iter().any(|(part, _)| *part == "whole name");
        let share = if self.sought.reading.names_code() { WORK_OF_NAMED } else { WORK };
        let work = share * (does - USUAL_WORK) * own;
        score.add("work", if asked_for { work.max(0.0) } else { work });
        if let Some((_, lost)) = secondary {
            // A place of a discounted file is discounted alike.
            let before = own_before - lost;
            let share = if before > 0.0 { lost / before } else { 0.0 };
            score.add("kind of place", (score.total() - own_before) * share);
        }
        if ranked.hinted {
            provenance.push("hinted by the caller".to_owned());
        }
        let (range, note) = self.narrowed(file, place);
        provenance.extend(note);
        let text = if range == place.range { text } else { text_of(file, range) };
        let aligned = self.asked.plays(&text, &file.traits);
        score.add("role", if aligned { 0.5 } else { 0.0 });
        // A name that says the role is more than words in passing.
        let name = place.declared.map_or("", |found| found.declaration.name.as_str());
        let is_said = self.asked.plays(name, &FileTraits::default());
        score.add("role", if is_said { 0.25 } else { 0.0 });
        let line = place.declared.map_or(range.start(), |found| found.declaration.range.start());
        let symbols = place.declared.iter().map(|found| Symbol {
            name: found.declaration.name.clone(),
            kind: found.declaration.kind.clone(),
            line,
        });
        Candidate {
            file: stamp.clone(),
            range: Some(range),
            symbols: symbols.collect(),
            signature: file.line(line).map(|text| (line, clip(text.trim_end()))),
            score,
            matched,
            source: if ranked.hinted { CandidateSource::Hint } else { source },
            provenance,
            graph: None,
            estimated_tokens: range.width().saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
        }
    }

    /// Finds out which roles the lines of a candidate play, and which one most speaks for: of those asked for when it may play
    /// one. Only few candidates are kept, so they are made without.
    pub(super) fn add_roles(&self, candidate: &mut Candidate) {
        let stamp = &candidate.file;
        if let Some(range) = candidate.range
            && let Some(file) = self.texts.read(&stamp.path)
        {
            let name = candidate
                .symbols
                .first()
                .map_or_else(|| stamp.path.file_name(), |symbol| symbol.name.as_str());
            let roles = self.roles(name, &text_of(&file, range), &file);
            (candidate.evidence_roles, candidate.leading_role) = roles;
        }
    }

    /// The roles that a place may play, and the one that most speaks for: of those asked for when it may play one.
    fn roles(&self, name: &str, text: &str, file: &TextFile) -> (BTreeSet<Role>, Option<Role>) {
        let roles = self.cues.roles_of(text, &file.traits);
        let asked: BTreeSet<Role> =
            roles.intersection(&self.sought.reading.asked.roles).copied().collect();
        let among = if asked.is_empty() { &roles } else { &asked };
        let leading = self.cues.most_telling(among, name, text, &file.traits);
        let leading = leading.or_else(|| asked.first().copied());
        (roles, leading)
    }

    /// Returns how alike a declaration and the question are in meaning: its name, its owner's, what is said above it, and how it
    /// begins.
    fn likeness(&self, file: &TextFile, found: &Place<'_>, words: &mut Words) -> f64 {
        let Some(declared) = found.declared else { return 0.0 };
        let mut meaning = Meaning::default();
        words.add([declared.declaration.name.as_str()], 1.0, &mut meaning);
        if let Some(owner) = found.owner {
            words.add([owner.declaration.name.as_str()], 0.4, &mut meaning);
        }
        let start = declared.declaration.range.start();
        let above: Vec<&str> = (1..start)
            .rev()
            .take(SAID)
            .map_while(|line| file.line(line).filter(|text| is_lead(text)))
            .collect();
        words.add(above.into_iter().rev(), 0.7, &mut meaning);
        if let Some(head) = LineRange::new(start, found.range.end().min(start + HEAD)) {
            words.add(file.lines(head).map(|(_, line)| line), 0.5, &mut meaning);
        }
        meaning.likeness(&self.sought.query.meaning)
    }

    /// A definition that the graph led to; its score is the caller's to say.
    pub(super) fn defined(&self, file: &TextFile, node: &Node) -> Option<Candidate> {
        let whole = LineRange::new(node.start, node.end)?;
        let end = node.end.min(node.start.saturating_add(MAX_WIDTH - 1));
        let range = whole.intersect(LineRange::new(node.start, end)?)?;
        let symbol = Symbol {
            name: node.name.clone(),
            kind: node.kind.word().to_owned(),
            line: node.name_line,
        };
        Some(Candidate {
            range: Some(range),
            symbols: vec![symbol],
            signature: Some((node.name_line, clip(file.line(node.name_line)?.trim_end()))),
            score: ScoreParts::default(),
            matched: 0.0,
            source: CandidateSource::Graph,
            provenance: Vec::new(),
            graph: None,
            estimated_tokens: range.width().saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
            file: FileStamp::of(file),
        })
    }

    /// A file that was found by its path alone.
    fn whole(&self, file: &TextFile, stamp: FileStamp, ranked: &RankedFile) -> Candidate {
        let lines = file.line_count();
        let range = LineRange::new(1, lines.min(WINDOW));
        let mut provenance: Vec<String> = ranked
            .path_terms
            .iter()
            .filter_map(|term| self.sought.query.terms.get(usize::from(*term)))
            .map(|term| format!("path \"{}\"", term.text))
            .take(3)
            .collect();
        if ranked.hinted {
            provenance.push("hinted by the caller".to_owned());
        }
        Candidate {
            range,
            symbols: Vec::new(),
            signature: file.line(1).map(|text| (1, clip(text.trim_end()))),
            score: ranked.score.clone(),
            matched: 0.0,
            source: if ranked.hinted { CandidateSource::Hint } else { CandidateSource::Path },
            provenance,
            graph: None,
            estimated_tokens: lines.min(WINDOW).saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
            file: stamp,
        }
    }

    /// Adds the parts of a place's own score and returns what it matched: its share, and in words.
    fn score(
        &self,
        place: &Place<'_>,
        ranked: &RankedFile,
        score: &mut ScoreParts,
    ) -> (f64, Vec<String>) {
        let mut tallies: Vec<Option<(f64, bool)>> = vec![None; self.worth.len()];
        let own_line = place.declared.map(|found| found.declaration.range.start());
        for hit in &place.hits {
            let Some(tally) = tallies.get_mut(usize::from(hit.term)) else { continue };
            let (count, named) = tally.get_or_insert_default();
            let names = hit.field == Field::Declared && Some(hit.line) == own_line;
            *named |= names && hit.strength >= 1.0;
            *count += match hit.field {
                _ if names => 3.0,
                Field::Comment => 0.7,
                _ => 1.0,
            } * f64::from(hit.strength);
        }
        let counts: BTreeMap<u8, (f64, bool)> =
            (0..u8::MAX).zip(tallies).filter_map(|(term, tally)| Some((term, tally?))).collect();
        let query = self.sought.query;
        let worth = |term: u8| self.worth.get(usize::from(term)).copied().unwrap_or_default();
        let text = |term: u8| {
            self.sought.query.terms.get(usize::from(term)).map_or("", |term| term.text.as_str())
        };
        // What stands above a place counts for it, so it is part of its length.
        let lines = place.range.width() + place.lead;
        let long = 1.0 - B + B * (f64::from(lines) / USUAL_LINES).max(0.3);
        let (mut names, mut bodies, mut whole) = (Vec::new(), Vec::new(), 0.0);
        let mut said: Vec<(f64, String)> = Vec::new();
        for (term, (count, named)) in &counts {
            let points = worth(*term) * (count / long) / (count / long + K1);
            bodies.push((*term, points));
            if *named {
                names.push((*term, worth(*term)));
                if query.form(*term) == Some(TermForm::Whole) {
                    whole += WHOLE_NAME * worth(*term);
                }
                said.push((worth(*term) * 2.0, format!("name \"{}\"", text(*term))));
            } else {
                said.push((points, format!("body \"{}\"", text(*term))));
            }
        }
        let body = BODY * query.joined(bodies.into_iter());
        let mut name = NAME * query.joined(names.into_iter());
        if let Some(found) = place.declared {
            // A name that holds more than was asked for fits less.
            let parts = words::subwords(&found.declaration.name)
                .iter()
                .filter(|word| words::weight_of(word) != words::Weight::Stop)
                .count()
                .max(1);
            let known = counts
                .iter()
                .filter(|(term, (_, named))| *named && query.form(**term) == Some(TermForm::Word))
                .count();
            let share = f64::from(u32::try_from(known.min(parts)).unwrap_or(0))
                / f64::from(u32::try_from(parts).unwrap_or(1));
            name *= 0.4 + 0.6 * share;
        }
        score.add("name", name);
        score.add("whole name", whole);
        score.add("body", body);
        let all: f64 = self.terms(|term| query.is_own_word(term)).map(worth).sum();
        let mut present: BTreeMap<u8, f64> = BTreeMap::new();
        for term in counts.keys().filter(|term| query.form(**term) == Some(TermForm::Word)) {
            let concept = query.concept(*term);
            if !query.is_own_word(concept) {
                continue;
            }
            let most = present.entry(concept).or_default();
            *most = most.max(worth(*term).min(worth(concept)));
        }
        let here: f64 = present.values().sum();
        let together = if all > 0.0 { (here / all).powf(1.5) } else { 0.0 };
        let spread = 1.0 / (1.0 + (f64::from(place.range.width()) / 200.0));
        score.add("together", TOGETHER * together * spread);
        if let Some(owner) = place.owner {
            let owned: f64 = self
                .sought
                .matcher
                .terms_in(&owner.declaration.name)
                .iter()
                .map(|(term, strength)| worth(*term) * f64::from(*strength))
                .sum();
            // A whole name under the type that was named with it is as good as a qualified name.
            let share = if whole > 0.0 { QUALIFIED } else { OWNER };
            score.add("owner", share * owned);
        }
        if place.declared.is_none() {
            score.add("no declaration", -0.7 * (score.total() - ranked.score.total()).max(0.0));
        }
        said.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let matched = if all > 0.0 { (here / all).min(1.0) } else { 0.0 };
        (matched, said.into_iter().take(4).map(|(_, said)| said).collect())
    }

    /// Says which surface in a place the question's words stand on, the words that are worth most first. What it is worth is what the
    /// words are: the line that publishes a name is no better an answer than what it wires up.
    fn surface(&self, file: &TextFile, place: &Place<'_>) -> Option<String> {
        let mut lines: BTreeMap<u32, Vec<(u8, f64)>> = BTreeMap::new();
        for hit in place.hits.iter().filter(|hit| hit.field == Field::Body) {
            let worth = self.worth.get(usize::from(hit.term)).copied().unwrap_or_default();
            lines.entry(hit.line).or_default().push((hit.term, worth * f64::from(hit.strength)));
        }
        let mut lines: Vec<(f64, u32)> = lines
            .into_iter()
            .map(|(line, terms)| (self.sought.query.joined(terms.into_iter()), line))
            .collect();
        lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        lines.into_iter().take(SURFACES).find_map(|(_, line)| {
            let found = file.line(line).and_then(surface::of)?;
            let name = found.name.map_or_else(String::new, |name| format!(" \"{name}\""));
            Some(format!("{}{name}", found.kind))
        })
    }

    fn terms(&self, wanted: impl Fn(u8) -> bool) -> impl Iterator<Item = u8> {
        (0..u8::MAX).take(self.worth.len()).filter(move |term| wanted(*term))
    }

    /// Cuts a wide place to the part that fits best, and says so.
    fn narrowed(&self, file: &TextFile, place: &Place<'_>) -> (LineRange, Option<String>) {
        let (Some(found), true) = (place.declared, place.range.width() > MAX_WIDTH) else {
            return (place.range, None);
        };
        let whole = found.declaration.range;
        let inside: Vec<Hit> =
            place.hits.iter().filter(|hit| whole.contains(hit.line)).copied().collect();
        let range =
            densest(&inside, self.worth, file.line_count(), Some(whole)).unwrap_or_else(|| {
                LineRange::new(whole.start(), whole.start() + WINDOW - 1).unwrap_or(whole)
            });
        (
            range,
            Some(format!("part of {} {} {whole}", found.declaration.kind, found.declaration.name)),
        )
    }
}

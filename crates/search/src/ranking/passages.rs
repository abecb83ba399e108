//! Finds the places inside a file that fit a question: its declarations, scored by their name, the terms in their body and
//! the company these keep, and where nothing is declared the densest windows of lines.

use std::{collections::BTreeSet, iter};

use crate::query::question::Role;
use crate::{
    candidate::{Candidate, CandidateSource, ScoreParts, Symbol},
    channels::passages::{WINDOW, clip, densest, text_of},
    declarations::{
        self, Declared,
        body_weight::{substance, work},
        outline::FileOutline,
    },
    index::{decoded_text::DecodedText, term_matcher::Hit},
    ranking::{
        chunk_similarity::ChunkSimilarity,
        features::{Feature, FeatureVector, Found, Pool, TermCoverage},
        files::{QueryContext, RankedFile},
    },
    roles::{AnyOf, RoleCues, Seen},
    text_cache::TextCache,
    words,
};
use retriever_graph::Node;
use retriever_workspace::{FileTraits, FileVersion, LineRange, TextFile};

/// A declaration wider than this is narrowed to the part that fits.
pub(crate) const MAX_WIDTH: u32 = 120;
/// Windows of one file.
const WINDOWS: usize = 2;
const TOKENS_PER_LINE: u32 = 12;
/// Points of a place that holds a text which the question quotes.
const QUOTED: f64 = 6.0;
/// Share of its own points that a place wins or loses by what it does, also when the question names code.
const WORK: f64 = 1.2;
const WORK_OF_NAMED: f64 = 0.8;
/// What a place is worth that means what the question means, and one in a file that is about it, in words that stand nowhere else;
/// and the likeness that anything has. Where there are many files such a word is worth more, and being alike is not.
const MEANING: f64 = 3.6;
const MEANING_OF_NAMED: f64 = 1.2;
const TOPIC: f64 = 2.4;
const MOST_RARE: f64 = 3.3;
const USUAL_LIKENESS: f64 = 0.2;
/// Share of its own points that a test beside the code loses when no test is asked for, as files of tests do.
const IN_TEST: f64 = 0.65;
/// What a usual place does.
const USUAL_WORK: f64 = 0.4;

/// A place before it is cut to a candidate.
pub(crate) struct Place<'a> {
    pub(crate) range: LineRange,
    /// Lines of the comments and attributes directly above it.
    pub(crate) lead: u32,
    /// The declaration, or none for a window.
    pub(crate) declared: Option<&'a Declared>,
    pub(crate) owner: Option<&'a Declared>,
    /// Declarations around it.
    pub(crate) depth: u32,
    /// Whether it is a test beside the code.
    pub(crate) in_test: bool,
    /// Calls and branches of a declaration, in halves.
    pub(crate) work: Option<u32>,
    pub(crate) hits: Vec<Hit>,
}

/// The file that places are in.
struct Whole<'a> {
    file: &'a TextFile,
    script: &'a DecodedText<'a>,
    stamp: &'a FileVersion,
    ranked: &'a RankedFile,
    /// How alike the question is what it is about.
    topic: f64,
    /// Places that the question points at by their lines, with what that is worth, 0 to 1.
    pointed_at: &'a [(LineRange, f64)],
}

/// What places are judged by.
pub(crate) struct PassageScorer<'a> {
    pub(crate) sought: QueryContext<'a>,
    pub(crate) worth: &'a [f64],
    /// Worth of a word that stands nowhere else.
    pub(crate) rare: f64,
    pub(crate) cues: &'a RoleCues,
    /// The cues of the roles that are asked for.
    pub(crate) asked: AnyOf<'a>,
    pub(crate) texts: &'a TextCache<'a>,
}

impl PassageScorer<'_> {
    /// Returns the candidates of one file, in no order.
    pub(crate) fn candidates(&self, file: &TextFile, ranked: &RankedFile) -> Pool {
        let mut hits = Vec::new();
        let QueryContext { lookup, query, matcher, .. } = self.sought;
        let kept = lookup.words;
        let packed = kept.file(&file.path, 0).filter(|(_, words)| words.is_of(&file.hash));
        let (text, extension) = (file.text(), file.path.extension());
        let mut topics = ChunkSimilarity::new(&query.meaning);
        let script = packed.and_then(|packed| {
            lookup.scan(packed, |hit| hits.push(hit));
            lookup.read(packed, |word| topics.read(word))
        });
        let script = script.unwrap_or_else(|| {
            matcher.scan(text, extension, |hit| hits.push(hit));
            DecodedText::of(text, extension, |word| topics.read(word))
        });
        let topic = topics.likeness();
        let outline = packed.and_then(|packed| kept.outline(packed));
        let outline = outline.unwrap_or_else(|| FileOutline::of(file));
        let said = self.sought.said.get(&file.path);
        let pointed_at = ranked
            .lines
            .iter()
            .map(|(line, _)| *line)
            .chain(said.iter().flat_map(|said| said.lines.iter().map(|(line, _)| *line)));
        let places = self.places(file, &outline, &hits, pointed_at);
        let stamp = FileVersion::of(file);
        // Who points at a line means the innermost place that it lies in.
        let innermost = |(line, worth): &(u32, f64)| {
            let around =
                places.iter().map(|place| place.range).filter(|range| range.contains(*line));
            Some((around.min_by_key(|range| range.width())?, *worth))
        };
        let pointed_at: Vec<_> = ranked.lines.iter().filter_map(innermost).collect();
        let pointed_at = pointed_at.as_slice();
        let whole = Whole { file, script: &script, stamp: &stamp, ranked, topic, pointed_at };
        let weighed = TermCoverage::new(self.sought.query, self.worth);
        let found = |place: Place<'_>| {
            let (candidate, facts) = self.candidate(&whole, &place, &weighed);
            Box::new(Found { candidate, facts, hits: place.hits })
        };
        let mut candidates: Pool = places.into_iter().map(found).collect();
        if candidates.is_empty() {
            let candidate = self.whole(file, stamp, ranked);
            let (facts, hits) = (FeatureVector::default(), Vec::new());
            candidates.push(Box::new(Found { candidate, facts, hits }));
        }
        candidates
    }

    /// Gives every hit to the declaration it lies in, and what lies in none to windows.
    fn places<'a>(
        &self,
        file: &TextFile,
        outline: &'a FileOutline,
        hits: &[Hit],
        pointed_at: impl Iterator<Item = u32>,
    ) -> Vec<Place<'a>> {
        let FileOutline { declared: found, asides, imports } = outline;
        let mut by_place: Vec<Option<Vec<Hit>>> = vec![None; found.len()];
        let mut loose: Vec<Hit> = Vec::new();
        for hit in hits {
            let Some(inner) = outline.innermost(hit.line) else {
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
            if let Some(index) = outline.innermost(line) {
                by_place[index].get_or_insert_default();
            }
        }
        let mut places: Vec<Place<'a>> = by_place
            .into_iter()
            .enumerate()
            .filter_map(|(index, hits)| Some((index, hits?)))
            .map(|(index, hits)| {
                let around = || outline.around(Some(index));
                Place {
                    range: found[index].declaration.range,
                    lead: found[index].declaration.range.start().saturating_sub(asides[index].lead),
                    declared: Some(&found[index]),
                    owner: found[index].parent.map(|owner| &found[owner]),
                    depth: u32::try_from(around().count() - 1).unwrap_or_default(),
                    in_test: around().any(|at| asides[at].is_test),
                    work: Some(asides[index].work),
                    hits,
                }
            })
            .collect();
        for _ in 0..WINDOWS {
            let Some(range) = densest(&loose, self.worth, file.line_count(), None) else { break };
            let (inside, outside) = loose.into_iter().partition(|hit| range.contains(hit.line));
            let in_test = outline.is_test(range.start());
            let (lead, declared, owner, depth, work, hits) = (0, None, None, 0, None, inside);
            places.push(Place { range, lead, declared, owner, depth, in_test, work, hits });
            loose = outside;
        }
        places
    }

    fn candidate(
        &self,
        whole: &Whole<'_>,
        place: &Place<'_>,
        weighed: &TermCoverage<'_>,
    ) -> (Candidate, FeatureVector) {
        let Whole { file, script, stamp, ranked, topic, pointed_at } = *whole;
        let mut score = ScoreParts::default();
        let mut facts = FeatureVector::default();
        for (feature, points) in &ranked.score.0 {
            score.add(feature, *points);
        }
        let own_before = score.total();
        let (matched, mut provenance) = self.score(place, ranked, &mut score);
        let head = place.declared.map(|found| found.declaration.range.start());
        let lines = place.range.width() + place.lead;
        let said_here = weighed.note(head, lines, &place.hits, &mut facts);
        self.note_around(place, ranked, weighed, said_here, &mut facts);
        let likeness = self.likeness(file, script, place, &mut facts);
        let share = if self.sought.reading.names_code() { MEANING_OF_NAMED } else { MEANING };
        let likely =
            |likeness: f64| self.rare.min(MOST_RARE) * (likeness - USUAL_LIKENESS).max(0.0);
        score.add("meaning", share * likely(likeness));
        let is_named = is_named(&score);
        let mentioned = pointed_at.iter().filter(|(range, _)| *range == place.range);
        score.add("line", 8.0 * mentioned.map(|(_, worth)| *worth).fold(0.0, f64::max));
        let mut source = CandidateSource::Lexical;
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
        let lines =
            || file.lines(place.range).map(|(number, line)| (line, number == place.range.start()));
        let done =
            place.work.unwrap_or_else(|| lines().map(|(line, first)| work(line, first)).sum());
        let does = substance(kind, done);
        facts.set(Feature::Work, does);
        let own = score.total() - own_before;
        let asked_for = score.0.iter().any(|(part, _)| *part == "whole name");
        let share = if self.sought.reading.names_code() { WORK_OF_NAMED } else { WORK };
        let work = share * (does - USUAL_WORK) * own;
        score.add("work", if asked_for { work.max(0.0) } else { work });
        score.add("topic", TOPIC * likely(topic));
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
        let aligned = self.asked.plays(&text, script.words(range), &file.traits);
        score.add("role", if aligned { 0.5 } else { 0.0 });
        // A name that says the role is more than words in passing.
        let name = place.declared.map_or("", |found| found.declaration.name.as_str());
        let words = iter::once_with(|| words::subwords(name)).flatten();
        let is_said = self.asked.plays(name, words, &FileTraits::default());
        score.add("role", if is_said { 0.25 } else { 0.0 });
        if place.in_test && !self.sought.reading.asked.wants_tests && secondary.is_none() {
            score.add("kind of place", -IN_TEST * (score.total() - own_before));
        }
        let line = head.unwrap_or(range.start());
        self.note_form(file, place, &mut facts);
        let symbols = place.declared.iter().map(|found| Symbol {
            name: found.declaration.name.clone(),
            kind: found.declaration.kind.clone(),
            line,
        });
        let candidate = Candidate {
            file: stamp.clone(),
            range: Some(range),
            symbols: symbols.collect(),
            signature: file.line(line).map(|text| (line, clip(text.trim_end()))),
            score,
            matched,
            source: if ranked.hinted { CandidateSource::Hint } else { source },
            provenance,
            graph: None,
            in_test: place.in_test,
            estimated_tokens: range.width().saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
        };
        (candidate, facts)
    }

    /// Tells of a candidate what no score depends on: its roles, and the surface that led to it. Only few are kept, so they are made
    /// without.
    pub(crate) fn tell(&self, found: &mut Found) {
        let Found { candidate, hits, .. } = found;
        self.add_roles(candidate);
        let file = self.texts.read(&candidate.file.path);
        if let Some(said) = file.and_then(|file| self.surface(&file, hits)) {
            let quotes = candidate.score.0.iter().any(|(part, _)| *part == "quoted line");
            candidate.provenance.insert(usize::from(quotes), said);
            if candidate.source == CandidateSource::Lexical && !is_named(&candidate.score) {
                candidate.source = CandidateSource::EntryPoint;
            }
        }
    }

    /// Finds out which roles the lines of a candidate play, and which one most speaks for: of those asked for when it may play
    /// one.
    fn add_roles(&self, candidate: &mut Candidate) {
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
        let seen = Seen::of(text);
        let roles = self.cues.roles_in(&seen, &file.traits);
        let asked: BTreeSet<Role> =
            roles.intersection(&self.sought.reading.asked.roles).copied().collect();
        let among = if asked.is_empty() { &roles } else { &asked };
        let leading = self.cues.most_telling(among, name, &seen, &file.traits);
        let leading = leading.or_else(|| asked.first().copied());
        (roles, leading)
    }

    /// A definition that the graph led to; its score is the caller's to say.
    pub(crate) fn defined(&self, file: &TextFile, node: &Node) -> Option<Candidate> {
        let whole = LineRange::new(node.start, node.end)?;
        let end = node.end.min(node.start.saturating_add(MAX_WIDTH - 1));
        let range = whole.intersect(LineRange::new(node.start, end)?)?;
        let symbol = Symbol {
            name: node.name.clone(),
            kind: node.kind.as_ref().to_owned(),
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
            in_test: false,
            estimated_tokens: range.width().saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
            file: FileVersion::of(file),
        })
    }

    /// A file that was found by its path alone.
    fn whole(&self, file: &TextFile, stamp: FileVersion, ranked: &RankedFile) -> Candidate {
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
            in_test: false,
            estimated_tokens: lines.min(WINDOW).saturating_mul(TOKENS_PER_LINE),
            evidence_roles: BTreeSet::new(),
            leading_role: None,
            file: stamp,
        }
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

/// Whether a place is named after something that is asked for.
fn is_named(score: &ScoreParts) -> bool {
    score.0.iter().any(|(part, _)| matches!(*part, "name" | "whole name"))
}

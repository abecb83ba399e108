//! How well a place fits: points by hand for the question's words in its name, its body and around it, how alike it is in meaning,
//! and the facts that go with them. Which places there are is [`crate::ranking::passages`]'s.

use std::collections::BTreeMap;

use crate::declarations::declaration::Declaration;
use crate::{
    candidate::ScoreParts,
    channels::entry_points,
    declarations::{self, body_weight::is_plain, outline::is_lead},
    index::{
        decoded_text::DecodedText,
        term_matcher::{Field, Hit},
    },
    query::parsed::TermForm,
    ranking::{
        features::{self, Feature, FeatureVector, Said, TermCoverage},
        files::RankedFile,
        passages::{PassageScorer, Place},
    },
    words::{self, vectors::TextVector},
};
use retriever_workspace::{LineRange, TextFile};

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
/// Lines above a declaration, and of its beginning, that tell what it means.
const SAID: usize = 12;
const HEAD: u32 = 40;

impl PassageScorer<'_> {
    /// Adds the parts of a place's own score and returns what it matched: its share, and in words.
    pub(crate) fn score(
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
        let counts: Vec<(u8, (f64, bool))> =
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
                .filter(|(term, (_, named))| *named && query.form(*term) == Some(TermForm::Word))
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
        for term in counts
            .iter()
            .map(|(term, _)| term)
            .filter(|term| query.form(**term) == Some(TermForm::Word))
        {
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
    pub(crate) fn surface(&self, file: &TextFile, hits: &[Hit]) -> Option<String> {
        let mut lines: BTreeMap<u32, Vec<(u8, f64)>> = BTreeMap::new();
        for hit in hits.iter().filter(|hit| hit.field == Field::Body) {
            let worth = self.worth.get(usize::from(hit.term)).copied().unwrap_or_default();
            lines.entry(hit.line).or_default().push((hit.term, worth * f64::from(hit.strength)));
        }
        let mut lines: Vec<(f64, u32)> = lines
            .into_iter()
            .map(|(line, terms)| (self.sought.query.joined(terms.into_iter()), line))
            .collect();
        lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        lines.into_iter().take(SURFACES).find_map(|(_, line)| {
            let found = file.line(line).and_then(entry_points::of)?;
            let name = found.name.map_or_else(String::new, |name| format!(" \"{name}\""));
            Some(format!("{}{name}", found.kind))
        })
    }

    fn terms(&self, wanted: impl Fn(u8) -> bool) -> impl Iterator<Item = u8> {
        (0..u8::MAX).take(self.worth.len()).filter(move |term| wanted(*term))
    }

    /// Returns how alike a declaration and the question are in meaning: its name, its owner's, what is said above it, and how it
    /// begins.
    pub(crate) fn likeness(
        &self,
        file: &TextFile,
        script: &DecodedText<'_>,
        found: &Place<'_>,
        facts: &mut FeatureVector,
    ) -> f64 {
        let Some(declared) = found.declared else { return 0.0 };
        let asked = &self.sought.query.meaning;
        let [mut name, mut said, mut head] = <[TextVector; 3]>::default();
        let named = |declared: &Declaration| {
            script.senses_of_name(declared.range.start(), &declared.name).into_iter()
        };
        name.add_text(named(&declared.declaration), 1.0);
        if let Some(owner) = found.owner {
            name.add_text(named(&owner.declaration), 0.4);
        }
        let start = declared.declaration.range.start();
        let above = (1..start).rev().take(SAID);
        let above = above.take_while(|line| file.line(*line).is_some_and(is_lead));
        if let Some(lines) = above.last().and_then(|first| LineRange::new(first, start - 1)) {
            said.add_text(script.senses(lines), 0.7);
        }
        if let Some(lines) = LineRange::new(start, found.range.end().min(start + HEAD)) {
            head.add_text(script.senses(lines), 0.5);
        }
        facts.set(Feature::MeaningName, name.likeness(asked));
        facts.set(Feature::MeaningSaid, said.likeness(asked));
        facts.set(Feature::MeaningHead, head.likeness(asked));
        name.join(&said, 1.0);
        name.join(&head, 1.0);
        let likeness = name.likeness(asked);
        facts.set(Feature::TextVector, likeness);
        likeness
    }

    /// Notes what stands around a place, in which `here` is said, and which of its name's words are known.
    pub(crate) fn note_around(
        &self,
        place: &Place<'_>,
        ranked: &RankedFile,
        weighed: &TermCoverage<'_>,
        here: Said,
        facts: &mut FeatureVector,
    ) {
        let (mut around, mut owned, mut in_path) = (here, Said::default(), Said::default());
        if let Some(owner) = place.owner {
            for (term, strength) in self.sought.matcher.terms_in(&owner.declaration.name) {
                weighed.hear(term, strength, &mut owned);
                weighed.hear(term, strength, &mut around);
            }
        }
        for term in &ranked.path_terms {
            weighed.hear(*term, 1.0, &mut in_path);
            weighed.hear(*term, 1.0, &mut around);
        }
        facts.set(Feature::Owner, weighed.share(&owned));
        facts.set(Feature::InPath, weighed.share(&in_path));
        facts.set(Feature::Around, weighed.share(&around));
        facts.set(Feature::NamesCode, f64::from(u8::from(self.sought.reading.names_code())));
        let Some(found) = place.declared else { return };
        let query = self.sought.query;
        let terms = self.sought.matcher.terms_in(&found.declaration.name);
        let whole = |term: &&(u8, f32)| query.form(term.0) == Some(TermForm::Whole);
        facts.set(Feature::NamedWhole, f64::from(u8::from(terms.iter().any(|term| whole(&term)))));
        let words = words::subwords(&found.declaration.name);
        let telling = words.iter().filter(|word| words::weight_of(word) != words::Weight::Stop);
        let count = telling.count().max(1) as f64;
        let known = terms.iter().filter(|term| query.form(term.0) == Some(TermForm::Word));
        facts.set(Feature::NameWords, count);
        facts.set(Feature::NameKnown, (known.count() as f64 / count).min(1.0));
    }

    /// Notes what kind of place it is.
    pub(crate) fn note_form(&self, file: &TextFile, place: &Place<'_>, facts: &mut FeatureVector) {
        facts.set(Feature::Depth, f64::from(place.depth));
        let is_test = place.in_test || file.traits.test || file.traits.support;
        facts.set(Feature::Test, f64::from(u8::from(is_test)));
        let Some(found) = place.declared else { return };
        let Declaration { range, name, kind } = &found.declaration;
        let form = match kind.as_str() {
            "section" => 1.0,
            kind if is_plain(kind) => 2.0,
            kind if declarations::is_type(kind) => 3.0,
            _ => 4.0,
        };
        facts.set(Feature::Form, form);
        let line = file.line(range.start()).unwrap_or_default();
        let owner = place.owner.map(|owner| owner.declaration.name.as_str());
        facts.set(Feature::Hidden, f64::from(u8::from(features::is_hidden(line, name))));
        facts.set(Feature::Makes, f64::from(u8::from(features::makes(name, owner))));
    }
}

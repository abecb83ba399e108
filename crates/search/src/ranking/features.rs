//! What is known of a place beside its score, as plain numbers: what of the question stands in which part of it, what kind of
//! place it is, and how it stands to others. [`crate::ranking::learned_trees`] judges by them, and `retriever eval features` prints them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{
    candidate::Candidate,
    index::term_matcher::{Field, Hit},
    query::{expansion::ExpandedQuery, parsed::TermForm},
    ranking::files::RankedFile,
};
use retriever_workspace::{RepoPath, UnknownVariant};

/// A number about a place. *Share* is of what the question's own words are worth, in them or in words related to them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Feature>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Its points by hand.
    Points,
    /// The same against the best place of all.
    PointsShare,
    /// Its number by points, from 0, as a logarithm.
    Rank,
    /// Its number in its file.
    RankInFile,
    /// Points below the best of its file, against the best of all.
    BelowBestOfFile,
    /// Places of its file in the pool, as a logarithm.
    PlacesOfFile,
    /// Number of its file, as a logarithm.
    FileRank,
    /// Points of its file against those of the best.
    FileShare,
    /// Number of its file by the points of the best places.
    FilePlaceRank,
    /// Points that the graph gave, against the best place of all.
    Graph,
    /// Edges that come in, as a logarithm; -1 when it isn't in the graph.
    Inbound,
    /// Edges that go out.
    Outbound,
    /// Points of the path.
    Path,
    /// Points lost for the kind of file.
    Kind,
    /// Share in its name.
    Name,
    /// Share in its own line.
    Head,
    /// Share in its code.
    Body,
    /// Share in comments.
    Comment,
    /// Share anywhere.
    Any,
    /// Share by the question's own words alone.
    Own,
    /// The same in its name.
    OwnName,
    /// Share in place, owner and path together.
    Around,
    /// Share in the owner's name.
    Owner,
    /// Share in the path.
    InPath,
    /// Share that stands within eight lines.
    Close,
    /// Share of its file's that is its own.
    OfFile,
    /// Distinct words of the question.
    Words,
    /// The same against all.
    WordsShare,
    /// Worth of the best word against the best of all.
    Best,
    /// The same in its name.
    BestName,
    /// Share of pairs.
    Pairs,
    /// Share of its name's words that the question has.
    NameKnown,
    /// Words of its name.
    NameWords,
    /// Whether its name stands in the question as a whole.
    NamedWhole,
    /// Lines with a word of the question against its lines.
    Density,
    /// Matches, as a logarithm.
    Hits,
    /// Lines, as a logarithm.
    Lines,
    /// Likeness in meaning: all of it.
    #[serde(rename = "meaning")]
    #[strum(serialize = "meaning")]
    TextVector,
    /// That of its name and its owner's.
    MeaningName,
    /// That of what stands above it.
    MeaningSaid,
    /// That of its beginning.
    MeaningHead,
    /// Its likeness below the best of its file.
    MeaningBelow,
    /// What it does.
    Work,
    /// 0 a window, 1 a section, 2 a value or a shape, 3 a type, 4 a function.
    Form,
    /// Declarations around it.
    Depth,
    /// Whether it is hidden from others: private or of a hidden name.
    Hidden,
    /// Whether it makes a thing of its owner's type.
    Makes,
    /// Whether it is a test, or in a file of tests or support.
    Test,
    /// Whether it fits a role that is asked for.
    Role,
    /// Distinct words of the question that have weight.
    QuestionWords,
    /// Whether the question names code.
    NamesCode,
    /// Points of the best place of all, against a rare word's worth.
    BestPoints,
}

/// Every fact about one place; what isn't known is 0.
#[derive(Clone, Copy, Debug)]
pub struct FeatureVector([f32; Feature::VARIANTS.len()]);

impl Default for FeatureVector {
    fn default() -> Self {
        Self([0.0; Feature::VARIANTS.len()])
    }
}

impl FeatureVector {
    /// Returns a fact.
    pub fn get(&self, fact: Feature) -> f32 {
        self.0[fact as usize]
    }

    /// Returns them in the order of [`Feature::VARIANTS`].
    pub fn all(&self) -> &[f32] {
        &self.0
    }

    pub(crate) fn set(&mut self, fact: Feature, value: f64) {
        self.0[fact as usize] = value as f32;
    }
}

/// A candidate with what else is known of it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The candidate.
    pub candidate: Candidate,
    /// The facts.
    pub facts: FeatureVector,
    /// Where the question's words stand in it.
    pub(crate) hits: Vec<Hit>,
}

/// Places, of which only the order is moved.
pub(crate) type Pool = Vec<Box<Found>>;

/// Worth of the question's words, and where they stand outside of a place.
pub(crate) struct TermCoverage<'a> {
    query: &'a ExpandedQuery,
    worth: &'a [f64],
    all: f64,
    most: f64,
    count: usize,
    pairs: f64,
}

/// The part of each concept that stands somewhere; there are few.
#[derive(Default)]
pub(crate) struct Said(Vec<(u8, f64)>);

/// Lines within which words stand close together.
const CLOSE: u32 = 8;

impl<'a> TermCoverage<'a> {
    pub(crate) fn new(query: &'a ExpandedQuery, worth: &'a [f64]) -> Self {
        let of = |term: u8| worth.get(usize::from(term)).copied().unwrap_or_default();
        let terms = || (0..u8::MAX).take(worth.len());
        let own = || terms().filter(|term| query.is_own_word(*term)).map(of);
        let pair = |term: &u8| query.is_own(*term) && query.form(*term) == Some(TermForm::Pair);
        Self {
            query,
            worth,
            all: own().sum(),
            most: own().fold(0.0, f64::max),
            count: own().filter(|worth| *worth > 0.0).count(),
            pairs: terms().filter(pair).map(of).sum(),
        }
    }

    /// Raises what `term` says of its concept.
    pub(crate) fn hear(&self, term: u8, strength: f32, said: &mut Said) {
        let concept = self.query.concept(term);
        if self.query.form(term) == Some(TermForm::Word) && self.query.is_own_word(concept) {
            let of = |term: u8| self.worth.get(usize::from(term)).copied().unwrap_or_default();
            let worth = of(term).min(of(concept)) * f64::from(strength);
            match said.0.iter_mut().find(|(known, _)| *known == concept) {
                Some((_, known)) => *known = known.max(worth),
                None => said.0.push((concept, worth)),
            }
        }
    }

    pub(crate) fn share(&self, said: &Said) -> f64 {
        if self.all > 0.0 {
            (said.0.iter().map(|(_, worth)| worth).sum::<f64>() / self.all).min(1.0)
        } else {
            0.0
        }
    }

    fn best(&self, said: &Said) -> f64 {
        let best = said.0.iter().map(|(_, worth)| *worth).fold(0.0, f64::max);
        if self.most > 0.0 { best / self.most } else { 0.0 }
    }

    /// Notes what of the question stands in which part of a place that begins with line `head` and has `hits`.
    pub(crate) fn note(
        &self,
        head: Option<u32>,
        lines: u32,
        hits: &[Hit],
        facts: &mut FeatureVector,
    ) -> Said {
        let mut said = <[Said; 6]>::default();
        let [name, own_line, body, comment, any, own] = &mut said;
        let (mut own_name, mut pairs) = (Said::default(), BTreeMap::new());
        let (mut with_hits, mut last) = (0_u32, 0);
        for hit in hits {
            let Hit { term, strength, .. } = *hit;
            let at_head = Some(hit.line) == head;
            let is_own = self.query.is_own(term);
            if is_own && self.query.form(term) == Some(TermForm::Pair) {
                pairs.insert(term, self.worth.get(usize::from(term)).copied().unwrap_or_default());
            }
            self.hear(term, strength, any);
            if is_own {
                self.hear(term, strength, own);
            }
            match hit.field {
                Field::Comment => self.hear(term, strength, comment),
                Field::Declared if at_head => {
                    self.hear(term, strength, name);
                    if is_own {
                        self.hear(term, strength, &mut own_name);
                    }
                }
                Field::Declared | Field::Body if at_head => self.hear(term, strength, own_line),
                Field::Declared | Field::Body => self.hear(term, strength, body),
            }
            if hit.line != last {
                with_hits += 1;
                last = hit.line;
            }
        }
        let kinds = [
            Feature::Name,
            Feature::Head,
            Feature::Body,
            Feature::Comment,
            Feature::Any,
            Feature::Own,
        ];
        for (fact, said) in kinds.into_iter().zip(&said) {
            facts.set(fact, self.share(said));
        }
        let [name, _, _, _, any, _] = said;
        facts.set(Feature::OwnName, self.share(&own_name));
        facts.set(Feature::Close, self.close(hits));
        facts.set(Feature::Words, any.0.len() as f64);
        facts.set(Feature::WordsShare, any.0.len() as f64 / self.count.max(1) as f64);
        facts.set(Feature::Best, self.best(&any));
        facts.set(Feature::BestName, self.best(&name));
        if self.pairs > 0.0 {
            facts.set(Feature::Pairs, pairs.values().sum::<f64>() / self.pairs);
        }
        facts.set(Feature::Density, f64::from(with_hits) / f64::from(lines.max(1)));
        facts.set(Feature::Hits, (hits.len() as f64).ln_1p());
        facts.set(Feature::Lines, f64::from(lines).ln_1p());
        facts.set(Feature::QuestionWords, self.count as f64);
        any
    }

    /// The greatest share that stands within a few lines.
    fn close(&self, hits: &[Hit]) -> f64 {
        let mut best: f64 = 0.0;
        let mut said = Said::default();
        let mut block = 0;
        // Blocks of lines that overlap by half.
        for shift in [0, CLOSE / 2] {
            for hit in hits {
                let here = (hit.line + shift) / CLOSE + 1;
                if here != block {
                    best = best.max(self.share(&said));
                    said.0.clear();
                    block = here;
                }
                self.hear(hit.term, hit.strength, &mut said);
            }
            best = best.max(self.share(&said));
            said.0.clear();
            block = 0;
        }
        best
    }
}

/// Notes how each place stands to the others; `found` is in the order of points, and `files` in theirs.
pub(crate) fn compare(found: &mut [Box<Found>], files: &[RankedFile], rare: f64) {
    let total = |found: &Found| found.candidate.score.total();
    let top = found.first().map_or(0.0, |found| total(found)).max(f64::MIN_POSITIVE);
    let best_file = files.first().map_or(0.0, |file| file.score.total()).max(f64::MIN_POSITIVE);
    /// What is known of a file's places.
    struct OfFile {
        count: usize,
        best: f64,
        share: f32,
        meaning: f32,
        /// Its place among the files and its points.
        ranked: (u32, f64),
        /// Places that were met.
        met: usize,
    }
    // Files by the order in which their first places come.
    let mut numbers: FxHashMap<&RepoPath, usize> = FxHashMap::default();
    let mut of_files: Vec<OfFile> = Vec::new();
    let mut file_of: Vec<usize> = Vec::with_capacity(found.len());
    for one in found.iter() {
        let number = *numbers.entry(&one.candidate.file.path).or_insert(of_files.len());
        if number == of_files.len() {
            let (best, ranked) = (total(one), (u32::MAX, 0.0));
            of_files.push(OfFile { count: 0, best, share: 0.0, meaning: 0.0, ranked, met: 0 });
        }
        let known = &mut of_files[number];
        known.count += 1;
        known.share = known.share.max(one.facts.get(Feature::Any));
        known.meaning = known.meaning.max(one.facts.get(Feature::TextVector));
        file_of.push(number);
    }
    for (file, at) in files.iter().zip(0_u32..) {
        if let Some(number) = numbers.get(&file.path) {
            of_files[*number].ranked = (at, file.score.total());
        }
    }
    for (at, (one, number)) in found.iter_mut().zip(file_of).enumerate() {
        let known = &mut of_files[number];
        let (file_rank, file_points) = known.ranked;
        let parts = &one.candidate.score.0;
        let part = |name: &str| {
            parts.iter().filter(|(part, _)| *part == name).map(|(_, points)| points).sum::<f64>()
        };
        let points = total(one);
        let (graph, kind, path_points, role) =
            (part("graph"), part("kind"), part("path"), part("role"));
        let facts = &mut one.facts;
        facts.set(Feature::Points, points);
        facts.set(Feature::PointsShare, points / top);
        facts.set(Feature::Rank, (at as f64).ln_1p());
        facts.set(Feature::RankInFile, known.met as f64);
        facts.set(Feature::BelowBestOfFile, (known.best - points) / top);
        facts.set(Feature::PlacesOfFile, (known.count as f64).ln_1p());
        facts.set(Feature::FileRank, f64::from(file_rank.min(10_000)).ln_1p());
        facts.set(Feature::FileShare, file_points / best_file);
        facts.set(Feature::FilePlaceRank, number as f64);
        facts.set(Feature::Graph, graph / top);
        facts.set(Feature::Path, path_points);
        facts.set(Feature::Kind, kind / top);
        facts.set(Feature::Role, role);
        facts.set(
            Feature::OfFile,
            f64::from(facts.get(Feature::Any)) / f64::from(known.share.max(1e-6)),
        );
        facts.set(Feature::MeaningBelow, f64::from(known.meaning - facts.get(Feature::TextVector)));
        facts.set(Feature::BestPoints, top / rare.max(f64::MIN_POSITIVE));
        let graph = one.candidate.graph.as_ref();
        let edges = |count: Option<u32>| count.map_or(-1.0, |count| f64::from(count).ln_1p());
        facts.set(Feature::Inbound, edges(graph.map(|graph| graph.inbound)));
        facts.set(Feature::Outbound, edges(graph.map(|graph| graph.outbound)));
        known.met += 1;
    }
}

/// Whether a declaration's own line, or its name, says that others don't see it.
pub(crate) fn is_hidden(line: &str, name: &str) -> bool {
    let before = &line[..line.find(name).unwrap_or(0)];
    name.starts_with('_') && !name.starts_with("__")
        || name.starts_with('#')
        || before
            .split_whitespace()
            .any(|word| matches!(word, "private" | "fileprivate" | "static"))
}

/// Whether a name is that of what makes things of its owner's type.
pub(crate) fn makes(name: &str, owner: Option<&str>) -> bool {
    matches!(
        name,
        "new" | "init" | "__init__" | "__construct" | "constructor" | "initialize" | "default"
    ) || owner == Some(name)
}

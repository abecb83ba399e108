//! The features of a file: numbers that say what of the query stands in its path, its names and its text, how its places
//! score, what kind of file it is, and how the tree uses it. [`super::learned_file_order`] judges by them, and `retriever eval
//! features` prints them for training.

use rayon::prelude::*;
use retriever_graph::{EdgeKind, Graph, NodeKind};
use retriever_workspace::{RepoPath, base_name};
use rustc_hash::FxHashMap;
use strum::{AsRefStr, EnumString, VariantArray};

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool},
    exact_name_matches::is_internal_folder,
    features::{FeatureNumber, Features},
    file_ranking::RankedFile,
    passage_scorer::PassageScorer,
    ranking_features::{CandidatePlaceKind, RankingFeature},
    term_coverage::CoveredConcepts,
};
use crate::{
    path_statistics::{TreeSummary, is_header},
    query::TermForm,
    retrieval_channels::GraphForSearch,
    score_parts::ScorePart,
    words,
};

/// A number about a file. A *share* is that of the weight of the query's own words. Counts and ranks are from 0.
#[derive(AsRefStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileFeature {
    /// Score of its best place relative to the best of all.
    Points,
    /// The same of its second place, and of its third.
    SecondPoints,
    /// See above.
    ThirdPoints,
    /// Its rank by its best place; logarithm.
    Rank,
    /// Its places; logarithm.
    Places,
    /// Its own score, without its places, relative to the best file's.
    FileScore,
    /// Its rank by that; logarithm.
    FileRank,
    /// Greatest share in the name of a place.
    BestName,
    /// Greatest share of a place's words that the query has.
    BestNameKnown,
    /// Greatest share anywhere in a place.
    BestAny,
    /// Greatest share within a few lines.
    BestClose,
    /// Greatest share in the comments of a place.
    BestComment,
    /// Greatest share of pairs.
    BestPairs,
    /// Greatest cosine of a place, of its name, and of the comment above it.
    Meaning,
    /// See above.
    MeaningName,
    /// See above.
    MeaningSaid,
    /// Points of similar chunks, relative to the file for which they are most.
    Topic,
    /// Greatest share in the name of a type.
    TypeName,
    /// Greatest share of a type's words that the query has.
    TypeNameKnown,
    /// Whether the query names a type, and anything, as a whole.
    TypeWhole,
    /// See above.
    AnyWhole,
    /// Most incoming edges of a type, and of any place; logarithm, -1 where the graph has none of its places.
    TypeInbound,
    /// See above.
    Inbound,
    /// Files that import it; logarithm, -1 for what is not in the graph.
    Importers,
    /// Share in the names that it declares, also in related words.
    Declared,
    /// See above.
    DeclaredRelated,
    /// Share of the weight of the names in the query that it declares as a whole.
    DeclaredWhole,
    /// Share anywhere in its text.
    Said,
    /// Share in the name of the file, also in related words.
    FileName,
    /// See above.
    FileNameRelated,
    /// Share in the names of its folders.
    Folders,
    /// Share in its path and the names that it declares.
    PathOrDeclared,
    /// Share of the words of the file's name that the query has, and their number.
    FileNameKnown,
    /// See above.
    FileNameWords,
    /// Share of the words of its folder's name that the query has.
    FolderKnown,
    /// What its kind leaves of its score.
    Kept,
    /// Whether a folder says that it is internal, or an earlier version.
    Internal,
    /// Whether its name only says that it is first or common: `index`, `mod`, `util`.
    PlainName,
    /// Whether it is named like its folder.
    NamedLikeFolder,
    /// Whether it is a header, and whether a header or implementation of its name exists.
    Header,
    /// See above.
    Paired,
    /// Folders above it beyond those above all code.
    Depth,
    /// Share of the code's files that have its extension.
    LanguageShare,
    /// Words; logarithm.
    Length,
    /// Other files of its name; logarithm.
    Namesakes,
    /// Files in its folder; logarithm.
    FolderFiles,
    /// Words of the query that have weight.
    QuestionWords,
    /// Whether the query names code.
    NamesCode,
}

/// The features of one file.
pub type FileFeatures = Features<FileFeature, { FileFeature::VARIANTS.len() }>;

impl FeatureNumber for FileFeature {
    fn number(self) -> usize {
        self as usize
    }
}

/// A file of the pool with its features.
#[derive(Clone, Debug)]
pub struct ScoredFile {
    /// The file.
    pub path: RepoPath,
    /// What ranking knows of it.
    pub features: FileFeatures,
    /// How similar it is to the question by the user's model, from 0 to 1.
    pub(super) similarity: f32,
    /// Score of its best place.
    pub(super) best: f64,
    /// Whether the question points at one of its places.
    pub(super) is_pointed_at: bool,
}

/// Features of which the greatest of a file's places counts.
const GREATEST: &[(RankingFeature, FileFeature)] = &[
    (RankingFeature::OwnName, FileFeature::BestName),
    (RankingFeature::NameKnown, FileFeature::BestNameKnown),
    (RankingFeature::Any, FileFeature::BestAny),
    (RankingFeature::Close, FileFeature::BestClose),
    (RankingFeature::Comment, FileFeature::BestComment),
    (RankingFeature::Pairs, FileFeature::BestPairs),
    (RankingFeature::Meaning, FileFeature::Meaning),
    (RankingFeature::MeaningName, FileFeature::MeaningName),
    (RankingFeature::MeaningSaid, FileFeature::MeaningSaid),
    (RankingFeature::NamedWhole, FileFeature::AnyWhole),
];
const GREATEST_OF_TYPES: &[(RankingFeature, FileFeature)] = &[
    (RankingFeature::OwnName, FileFeature::TypeName),
    (RankingFeature::NameKnown, FileFeature::TypeNameKnown),
    (RankingFeature::NamedWhole, FileFeature::TypeWhole),
];
/// Names of files that say only that the file is the first of its folder, or that others share it.
const PLAIN_NAMES: &[&str] = &[
    "index", "mod", "init", "main", "lib", "base", "core", "common", "util", "utils", "helper",
    "helpers", "types", "type", "impl", "default", "misc", "shared", "package",
];

/// Returns the files of `pool`, which is sorted, in the order of their best places.
pub(crate) fn scored_files(
    scorer: &PassageScorer<'_>,
    tree: &TreeSummary,
    graph: Option<&GraphForSearch<'_>>,
    pool: &ScoredPool,
) -> Vec<ScoredFile> {
    let mut files = files_of(pool);
    let facts = FileFacts { scorer, graph: graph.map(|graph| graph.code_graph), tree };
    let best = scorer.ranking.best_first().next();
    let best_score = best.map_or(0.0, |file| file.score.total());
    files.par_iter_mut().for_each(|file| {
        if let Some((rank, ranked)) = scorer.ranking.of_path(file.path.as_str()) {
            let score = ranked.score.total() / best_score.max(f64::MIN_POSITIVE);
            file.features.set(FileFeature::FileScore, score);
            file.features.set(FileFeature::FileRank, (rank as f64).ln_1p());
            facts.set_coverage(ranked, &mut file.features);
        }
        facts.set_kind(&file.path, &mut file.features);
        let similar = scorer.context.similar;
        file.similarity = similar.map_or(0.0, |similar| similar.of_file(&file.path) as f32);
    });
    files
}

/// Collects the files of the pool with what their places say.
fn files_of(pool: &ScoredPool) -> Vec<ScoredFile> {
    let best = pool.first().map_or(0.0, |first| first.total()).max(f64::MIN_POSITIVE);
    let topic = |scored: &ScoredCandidate| scored.candidate.score.get(ScorePart::Topic);
    let best_topic = pool.iter().map(|scored| topic(scored)).fold(f64::MIN_POSITIVE, f64::max);
    let mut numbers: FxHashMap<&RepoPath, usize> = FxHashMap::default();
    let mut files: Vec<ScoredFile> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for scored in pool {
        let path = &scored.candidate.file.path;
        let number = *numbers.entry(path).or_insert(files.len());
        if number == files.len() {
            let mut features = FileFeatures::default();
            features.set(FileFeature::Rank, (number as f64).ln_1p());
            features.set(FileFeature::TypeInbound, -1.0);
            features.set(FileFeature::Inbound, -1.0);
            features.set(FileFeature::Kept, 1.0);
            let best = scored.total();
            let path = path.clone();
            files.push(ScoredFile { path, features, similarity: 0.0, best, is_pointed_at: false });
            places.push(0);
        }
        let file = &mut files[number];
        file.is_pointed_at |= scored.candidate.score.is_pointed_at();
        let points = [FileFeature::Points, FileFeature::SecondPoints, FileFeature::ThirdPoints]
            .get(places[number]);
        if let Some(points) = points {
            file.features.set(*points, scored.total() / best);
        }
        places[number] += 1;
        add_place(scored, &mut file.features);
        file.features.raise(FileFeature::Topic, (topic(scored) / best_topic) as f32);
    }
    for (file, places) in files.iter_mut().zip(places) {
        file.features.set(FileFeature::Places, (places as f64).ln_1p());
    }
    files
}

/// Raises the features of a file to those of one of its places.
fn add_place(scored: &ScoredCandidate, features: &mut FileFeatures) {
    let is_type = scored.features.get(RankingFeature::Form) == CandidatePlaceKind::Type.value();
    let of_types = GREATEST_OF_TYPES.iter().filter(|_| is_type);
    for (place, file) in GREATEST.iter().chain(of_types) {
        features.raise(*file, scored.features.get(*place));
    }
    if let Some(graph) = &scored.candidate.graph {
        let inbound = (graph.inbound as f32).ln_1p();
        features.raise(FileFeature::Inbound, inbound);
        if is_type {
            features.raise(FileFeature::TypeInbound, inbound);
        }
    }
}

/// What is needed to compute features.
struct FileFacts<'a> {
    scorer: &'a PassageScorer<'a>,
    graph: Option<&'a Graph>,
    tree: &'a TreeSummary,
}

impl FileFacts<'_> {
    /// Sets which of the query's words stand in which part of a file.
    fn set_coverage(&self, ranked: &RankedFile, features: &mut FileFeatures) {
        let is_own = |term: u8| self.scorer.context.expanded.is_own_word(term);
        let share = |is_in: &dyn Fn(u8) -> f32| {
            let mut covered = CoveredConcepts::default();
            for (term, _) in ranked.counts.iter() {
                let strength = is_in(term);
                if strength > 0.0 {
                    self.scorer.coverage.add(term, strength, &mut covered);
                }
            }
            self.scorer.coverage.share(&covered)
        };
        let counts = |term: u8| ranked.counts.get(term);
        let one_if = |holds: bool| if holds { 1.0 } else { 0.0 };
        let own = |term: u8| one_if(is_own(term));
        let declared = |term: u8| one_if(counts(term).declared > 0.0);
        let said = |term: u8| {
            let counts = counts(term);
            one_if(counts.declared + counts.body + counts.comment > 0.0)
        };
        let in_path = |term: u8| counts(term).name.max(counts(term).folder);
        features.set(FileFeature::Declared, share(&|term| own(term) * declared(term)));
        features.set(FileFeature::DeclaredRelated, share(&declared));
        let declared_whole = self.share_of_names(|term| counts(term).declared > 0.0);
        features.set(FileFeature::DeclaredWhole, declared_whole);
        features.set(FileFeature::Said, share(&|term| own(term) * said(term)));
        features.set(FileFeature::FileName, share(&|term| own(term) * counts(term).name));
        features.set(FileFeature::FileNameRelated, share(&|term| counts(term).name));
        features.set(FileFeature::Folders, share(&|term| own(term) * counts(term).folder));
        let either = |term: u8| own(term) * declared(term).max(in_path(term));
        features.set(FileFeature::PathOrDeclared, share(&either));
        features.set(FileFeature::Kept, 1.0 - ranked.lost_share);
        features.set(FileFeature::Length, f64::from(ranked.length).ln_1p());
    }

    /// Returns the share of the weight of the query's names for which `is_in` holds.
    fn share_of_names(&self, is_in: impl Fn(u8) -> bool) -> f64 {
        let expanded = self.scorer.context.expanded;
        let weights = &self.scorer.ranking.term_weights;
        let is_name =
            |term: &u8| expanded.is_own(*term) && expanded.form(*term) == Some(TermForm::Whole);
        let (mut covered, mut all) = (0.0, f64::MIN_POSITIVE);
        for term in weights.terms().filter(is_name) {
            let weight = weights.get(term);
            all += weight;
            covered += if is_in(term) { weight } else { 0.0 };
        }
        covered / all
    }

    /// Sets what kind of file it is, and how the tree uses it.
    fn set_kind(&self, path: &RepoPath, features: &mut FileFeatures) {
        let parsed = self.scorer.context.parsed;
        let (folders, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let base_name = base_name(name);
        let folder = folders.rsplit('/').next().unwrap_or_default();
        let (plain, extension) = (words::normalized(base_name), path.extension());
        let is_plain = PLAIN_NAMES.contains(&plain.as_str());
        let is_internal = folders.split('/').any(is_internal_folder);
        let is_like_folder = !plain.is_empty() && plain == words::normalized(folder);
        let depth = folders.split('/').filter(|part| !part.is_empty()).count();
        let own_words = self.scorer.ranking.term_weights.terms();
        let own_words = own_words.filter(|term| self.scorer.context.expanded.is_own_word(*term));
        let flag = f64::from;
        features.set(FileFeature::FileNameKnown, self.known_share(base_name));
        features.set(FileFeature::FileNameWords, words::content_words(base_name) as f64);
        features.set(FileFeature::FolderKnown, self.known_share(folder));
        features.set(FileFeature::Internal, flag(is_internal));
        features.set(FileFeature::PlainName, flag(is_plain));
        features.set(FileFeature::NamedLikeFolder, flag(is_like_folder));
        features.set(FileFeature::Header, flag(is_header(extension)));
        features.set(FileFeature::Paired, flag(self.tree.is_paired(base_name, extension)));
        features.set(FileFeature::Depth, depth.saturating_sub(self.tree.depth) as f64);
        features.set(FileFeature::LanguageShare, self.tree.language_share(extension));
        features.set(
            FileFeature::Namesakes,
            (self.tree.namesakes(base_name).saturating_sub(1) as f64).ln_1p(),
        );
        features.set(FileFeature::FolderFiles, (self.tree.files_in(folders) as f64).ln_1p());
        features.set(FileFeature::Importers, self.importers(path));
        features.set(FileFeature::QuestionWords, own_words.count() as f64);
        features.set(FileFeature::NamesCode, flag(parsed.names_code()));
    }

    /// Returns the share of the words of a name that the query has.
    fn known_share(&self, name: &str) -> f64 {
        let expanded = self.scorer.context.expanded;
        let terms = self.scorer.context.matcher.terms_in(name);
        let known =
            terms.iter().filter(|(term, strength)| expanded.is_own_word(*term) && *strength >= 1.0);
        (known.count() as f64 / words::content_words(name).max(1) as f64).min(1.0)
    }

    fn importers(&self, path: &RepoPath) -> f64 {
        let Some(graph) = self.graph else { return -1.0 };
        let is_file = |node: &retriever_graph::NodeId| {
            graph.heading(*node).is_some_and(|heading| heading.kind == NodeKind::File)
        };
        let mut nodes = graph.nodes_of(path.as_str()).map(retriever_graph::NodeId);
        let Some(file) = nodes.find(is_file) else { return -1.0 };
        let imports = graph.incoming(file).iter().filter(|edge| edge.kind == EdgeKind::Imports);
        (imports.count() as f64).ln_1p()
    }
}

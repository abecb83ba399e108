//! The features of a candidate: numbers that say what of the query stands in which part of it, what kind of place it
//! is, and how it compares with the others. [`super::learned_passage_order`] judges by them, and `retriever eval
//! features` prints them for training.

use strum::{AsRefStr, EnumString, VariantArray};

use super::features::{FeatureNumber, Features};

/// A number about a candidate. A *share* is that of the weight of the query's own words, matched by them or by related
/// words. Counts and ranks are from 0.
#[derive(AsRefStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankingFeature {
    /// Score relative to that of the best candidate.
    PointsShare,
    /// Rank in its file.
    RankInFile,
    /// Difference to the best score of its file, relative to the best of all.
    BelowBestOfFile,
    /// Candidates of its file; logarithm.
    PlacesOfFile,
    /// Points from the graph, relative to the best score.
    Graph,
    /// Incoming edges; logarithm, -1 for what is not in the graph.
    Inbound,
    /// Outgoing edges; as above.
    Outbound,
    /// Share in its name.
    Name,
    /// Share on its own line, beside the name.
    Head,
    /// Share in its code.
    Body,
    /// Share in comments.
    Comment,
    /// Share anywhere in it.
    Any,
    /// Share anywhere in it by the query's own words alone.
    Own,
    /// Share in its name by the query's own words alone.
    OwnName,
    /// Share in it, its owner's name and its path together.
    Around,
    /// Share in its owner's name.
    Owner,
    /// Greatest share within eight lines.
    Close,
    /// Share anywhere in it relative to the greatest of its file.
    OfFile,
    /// Distinct words of the query in it.
    Words,
    /// The same relative to all words of the query.
    WordsShare,
    /// Weight of the heaviest word in its name relative to the heaviest of the query.
    BestName,
    /// Share of pairs.
    Pairs,
    /// Share of its name's words that the query has.
    NameKnown,
    /// Words of its name.
    NameWords,
    /// Whether the query names it as a whole.
    NamedWhole,
    /// Lines with hits relative to its lines.
    Density,
    /// Hits; logarithm.
    Hits,
    /// Lines; logarithm.
    Lines,
    /// Cosine of its vector and the query's.
    Meaning,
    /// Cosine of the vector of its name and its owner's.
    MeaningName,
    /// Cosine of the vector of the comment above it.
    MeaningSaid,
    /// Cosine of the vector of its first lines.
    MeaningHead,
    /// Difference of its cosine to the greatest of its file.
    MeaningBelow,
    /// Call density.
    Work,
    /// See [`CandidatePlaceKind`].
    Form,
    /// Declarations around it.
    Depth,
    /// Whether it is private by its keyword or name.
    Hidden,
    /// Whether it is a constructor.
    Makes,
    /// Words of the query that have weight.
    QuestionWords,
    /// Whether the query names code.
    NamesCode,
}

/// What kind of place a candidate is; the value of [`RankingFeature::Form`], 0 for lines without a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidatePlaceKind {
    /// A section of a document.
    Section = 1,
    /// A declaration without a body.
    Plain = 2,
    Type = 3,
    Function = 4,
}

impl CandidatePlaceKind {
    /// Returns the form as a feature.
    pub(super) fn value(self) -> f32 {
        f32::from(self as u8)
    }
}

/// The features of one candidate.
pub type FeatureVector = Features<RankingFeature, { RankingFeature::VARIANTS.len() }>;

impl FeatureNumber for RankingFeature {
    fn number(self) -> usize {
        self as usize
    }
}

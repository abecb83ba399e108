//! The features of a file: numbers that say what of the query stands in its path, its names and its text, how its places
//! score, what kind of file it is, and how the tree uses it. [`super::learned_file_order`] judges by them, and `retriever eval
//! features` prints them for training. [`super::compute_file_features`] computes them.

use strum::{AsRefStr, EnumString, VariantArray};

use retriever_workspace::RepoPath;

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
    /// Whether its name says nothing but that it is first or common: `index`, `mod`, `util`.
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

/// The features of one file; one that is not known is 0.
#[derive(Clone, Copy, Debug)]
pub struct FileFeatures([f32; FileFeature::VARIANTS.len()]);

impl Default for FileFeatures {
    fn default() -> Self {
        Self([0.0; FileFeature::VARIANTS.len()])
    }
}

impl FileFeatures {
    /// Returns a feature.
    pub fn get(&self, feature: FileFeature) -> f32 {
        self.0[feature as usize]
    }

    /// Returns all features in the order of [`FileFeature::VARIANTS`].
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    pub(super) fn set(&mut self, feature: FileFeature, value: f64) {
        self.0[feature as usize] = value as f32;
    }

    /// Raises a feature to `value` if it is less.
    pub(super) fn raise(&mut self, feature: FileFeature, value: f32) {
        let known = &mut self.0[feature as usize];
        *known = known.max(value);
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

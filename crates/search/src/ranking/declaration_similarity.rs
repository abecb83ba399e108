//! Vector similarity of a declaration and the query: its name and its owner's, the comment above it, and its first lines.

use super::ranking_features::{FeatureVector, RankingFeature};
use crate::{
    declarations::{NestedDeclaration, is_comment_or_attribute},
    index::FileWords,
    retrieval_channels::Passage,
    words::TextVector,
};
use retriever_workspace::{LineRange, TextFile};

/// Lines of the comment, and of the beginning, that are read.
const MAX_COMMENT_LINES: usize = 12;
const MAX_FIRST_LINES: u32 = 40;
/// Weights of the parts.
const NAME: f32 = 1.0;
const OWNER: f32 = 0.4;
const COMMENT: f32 = 0.7;
const FIRST_LINES: f32 = 0.5;

/// Sets the features of a passage and returns the cosine of all parts together; 0 for a window.
pub(super) fn passage_similarity(
    query: &TextVector,
    file: &TextFile,
    text: &FileWords<'_>,
    passage: &Passage<'_>,
    features: &mut FeatureVector,
) -> f64 {
    let Some(declared) = passage.declared else { return 0.0 };
    let [mut name, mut comment, mut first_lines] = <[TextVector; 3]>::default();
    let name_of = |found: &NestedDeclaration| {
        let line = found.declaration.range.start();
        text.vectors_of_name(line, &found.declaration.name).into_iter()
    };
    name.add_words(name_of(declared), NAME);
    if let Some(owner) = passage.owner {
        name.add_words(name_of(owner), OWNER);
    }
    let start = declared.declaration.range.start();
    let above = (1..start).rev().take(MAX_COMMENT_LINES);
    let extension = file.path.extension();
    let above = above.take_while(|line| {
        file.line(*line).is_some_and(|line| is_comment_or_attribute(extension, line))
    });
    if let Some(lines) = above.last().and_then(|first| LineRange::new(first, start - 1)) {
        comment.add_words(text.vectors(lines), COMMENT);
    }
    if let Some(lines) = LineRange::new(start, passage.range.end().min(start + MAX_FIRST_LINES)) {
        first_lines.add_words(text.vectors(lines), FIRST_LINES);
    }
    features.set(RankingFeature::MeaningName, name.cosine(query));
    features.set(RankingFeature::MeaningSaid, comment.cosine(query));
    features.set(RankingFeature::MeaningHead, first_lines.cosine(query));
    name.add_vector(&comment, 1.0);
    name.add_vector(&first_lines, 1.0);
    let cosine = name.cosine(query);
    features.set(RankingFeature::Meaning, cosine);
    cosine
}

//! Vector similarity of a declaration and the query.

use super::ranking_features::{FeatureVector, RankingFeature};
use crate::{index::DeclarationVectors, words::MeasuredVector};

/// Sets the features of a declaration and returns the cosine of all parts together.
pub(super) fn declaration_similarity(
    query: &MeasuredVector,
    declared: &DeclarationVectors,
    features: &mut FeatureVector,
) -> f64 {
    features.set(RankingFeature::MeaningName, declared.name.cosine(query));
    features.set(RankingFeature::MeaningSaid, declared.comment.cosine(query));
    features.set(RankingFeature::MeaningHead, declared.first_lines.cosine(query));
    let cosine = declared.whole.cosine(query);
    features.set(RankingFeature::Meaning, cosine);
    cosine
}

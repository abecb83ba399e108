//! What form of code a passage is: private, a constructor, a type.

use super::ranking_features::{CandidatePlaceKind, FeatureVector, RankingFeature};
use crate::{
    declarations::{self, Declaration},
    index::DeclarationVectors,
    retrieval_channels::Passage,
};

/// Sets the features of what kind of place a passage is; of a declaration, what depends on no query is `known`.
pub(super) fn set_kind_features(
    passage: &Passage<'_>,
    known: Option<&DeclarationVectors>,
    features: &mut FeatureVector,
) {
    features.set(RankingFeature::Depth, f64::from(passage.depth));
    let Some(found) = passage.declared else { return };
    let Declaration { name, kind, .. } = &found.declaration;
    let form = match kind.as_str() {
        "section" => CandidatePlaceKind::Section,
        kind if declarations::is_plain_kind(kind) => CandidatePlaceKind::Plain,
        kind if declarations::is_type(kind) => CandidatePlaceKind::Type,
        _ => CandidatePlaceKind::Function,
    };
    features.set(RankingFeature::Form, form.value().into());
    let owner = passage.owner.map(|owner| owner.declaration.name.as_str());
    features.set(RankingFeature::Hidden, f64::from(known.is_some_and(|known| known.is_private)));
    features.set(RankingFeature::Makes, f64::from(is_constructor(name, owner)));
}

/// Whether a name is that of a constructor.
pub(super) fn is_constructor(name: &str, owner: Option<&str>) -> bool {
    matches!(
        name,
        "new" | "init" | "__init__" | "__construct" | "constructor" | "initialize" | "default"
    ) || owner == Some(name)
}

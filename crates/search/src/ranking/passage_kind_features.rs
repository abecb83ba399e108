//! What form of code a passage is: private, a constructor, a type.

use retriever_workspace::TextFile;

use super::ranking_features::{CandidatePlaceKind, FeatureVector, RankingFeature};
use crate::{
    declarations::{self, Declaration},
    retrieval_channels::Passage,
};

/// Files in which `static` hides a function.
const STATIC_OF_FILE: &[&str] = &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx"];

/// Sets the features of what kind of place a passage is.
pub(super) fn set_kind_features(
    file: &TextFile,
    passage: &Passage<'_>,
    features: &mut FeatureVector,
) {
    features.set(RankingFeature::Depth, f64::from(passage.depth));
    let Some(found) = passage.declared else { return };
    let Declaration { range, name, kind } = &found.declaration;
    let form = match kind.as_str() {
        "section" => CandidatePlaceKind::Section,
        kind if declarations::is_plain_kind(kind) => CandidatePlaceKind::Plain,
        kind if declarations::is_type(kind) => CandidatePlaceKind::Type,
        _ => CandidatePlaceKind::Function,
    };
    features.set(RankingFeature::Form, form.value().into());
    let line = file.line(range.start()).unwrap_or_default();
    let modifiers = line.get(..found.name_column.into()).unwrap_or_default();
    let is_private = is_private(modifiers, name, file.path.extension());
    let owner = passage.owner.map(|owner| owner.declaration.name.as_str());
    features.set(RankingFeature::Hidden, f64::from(is_private));
    features.set(RankingFeature::Makes, f64::from(is_constructor(name, owner)));
}

/// Whether a declaration is private by a keyword among its modifiers or by its name.
fn is_private(modifiers: &str, name: &str, extension: &str) -> bool {
    let is_keyword = |word| match word {
        "private" | "fileprivate" => true,
        // Of one file, not of a class.
        "static" => STATIC_OF_FILE.iter().any(|known| known.eq_ignore_ascii_case(extension)),
        _ => false,
    };
    name.starts_with('_') && !name.starts_with("__")
        || name.starts_with('#')
        || modifiers.split_whitespace().any(is_keyword)
}

/// Whether a name is that of a constructor.
pub(super) fn is_constructor(name: &str, owner: Option<&str>) -> bool {
    matches!(
        name,
        "new" | "init" | "__init__" | "__construct" | "constructor" | "initialize" | "default"
    ) || owner == Some(name)
}

//! Resolution of Swift: its capabilities, and the rules that differ from the common ones.

use std::rc::Rc;

use super::Swift;
use crate::{
    facts::language_capabilities::{LanguageCapabilities, MethodOverrideRule},
    resolve::{
        inference_results::Ty,
        language_resolution_rules::{ResolutionRules, UnboundName},
        program_facts::{DefRef, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of Swift.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    members_in_scope: true,
    bare_members_are_known: true,
    shares_file_scope: true,
    own_type_names: &["Self"],
    names_outer_types: true,
    variants_are_types: true,
    extends_outside_types: true,
    labels_arguments: true,
    overriding: MethodOverrideRule::Labels,
    fields_hide_methods: true,
    constructor_name: Some("init"),
    runs_unnamed: |name| matches!(name, "subscript" | "deinit" | "callAsFunction"),
    ..LanguageCapabilities::NONE
};

/// Type parameters of the standard library's types. An extension names them without declaring them, and what they stand for
/// is known only where the extended type is used. Source: the declarations of `Array`, `Dictionary`, `Result`, `Optional` and
/// `Range` in the Swift standard library.
const LIBRARY_TYPE_PARAMETERS: [&str; 7] =
    ["Bound", "Element", "Failure", "Key", "Success", "Value", "Wrapped"];

impl ResolutionRules for Swift {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.swift_outside(at.file, at.module, at.name)
    }

    fn library_type(&self, _: &ProgramFacts<'_>, name: &str, _: &[Ty]) -> Option<Ty> {
        LIBRARY_TYPE_PARAMETERS.contains(&name).then_some(Ty::Unknown)
    }

    fn bare_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: &Ty,
        name: Name,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        if found.is_empty() {
            found.extend(inference.extended_param(ty, name));
        }
        found
    }

    fn inherited_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.layered_member(ty, args, name))
    }
}

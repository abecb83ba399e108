//! Resolution of Ruby: its capabilities, and the rules that differ from the common ones.

use super::Ruby;
use crate::{
    facts::{Expr, ExprId, ScopeId, language_capabilities::LanguageCapabilities},
    resolve::{
        inference_results::Ty,
        language_resolution_rules::{NameUse, ResolutionRules, UnboundName},
        program_facts::{DefRef, FileId, Name},
        type_inference::{
            InferenceCertainty, InferredType, InstanceOrClass, NameReferent, TypeInference,
        },
    },
};

/// What generic code may ask of Ruby.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    separator: "::",
    types_in_parts: true,
    reopens_types: true,
    asks_heirs: true,
    module_for_types: Some("ClassMethods"),
    bases_without_members: &["Object"],
    traits_are_modules: true,
    bodies_run_on_type: true,
    calls_types: false,
    names_call_methods: true,
    invoking_methods: &["call"],
    infers_results: true,
    named_imports_are_private: true,
    glob_imports_are_private: true,
    constructor_name: Some("initialize"),
    has_one_constructor: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Ruby {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn lookup_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: NameUse,
    ) -> Option<Vec<NameReferent>> {
        let NameUse { file, scope, sym, pos, .. } = at;
        let local = inference.ruby_local(file, scope, sym, pos);
        Some(local.map_or_else(
            || inference.ruby_name(file, scope, inference.program.name_of(file, sym)),
            |local| vec![local],
        ))
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.ruby_name(at.file, at.scope, at.name)
    }

    fn member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: DefRef,
        side: InstanceOrClass,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.ruby_member(ty, side, name))
    }

    fn super_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        scope: ScopeId,
        around: DefRef,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        let own = inference.this_type(file, scope);
        let side = if matches!(own, Ty::Class(..)) {
            InstanceOrClass::Class
        } else {
            InstanceOrClass::Instance
        };
        Some(inference.ruby_above(around, side, name))
    }

    fn call(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<InferredType> {
        let ty = inference.ruby_class_of(file, callee)?;
        Some(InferredType { ty, certainty: InferenceCertainty::Inferred })
    }

    /// A block that is passed to `Thread.new` receives its arguments.
    fn forwarded_argument(
        &self,
        inference: &TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
        place: u16,
    ) -> Option<u16> {
        let facts = inference.program.facts(file);
        let starts_thread =
            matches!(facts.expr(callee), Expr::Name { name, .. } if facts.text(*name) == "Thread");
        starts_thread.then_some(place)
    }
}

//! Resolution of Rust: its capabilities, and the rules that differ from the common ones.

use super::Rust;
use crate::{
    facts::{
        Expr, ImportId,
        language_capabilities::{ExportRule, LanguageCapabilities},
    },
    resolve::{
        inferred_types::{CallArguments, Ty},
        program_facts::{FileId, Name, ProgramFacts},
        resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of Rust.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    separator: "::",
    modules_close_scopes: true,
    modules_beside_values: true,
    own_type_names: &["Self"],
    variants_are_types: true,
    implements_for_outside_types: true,
    fields_hide_methods: true,
    exports: ExportRule::DeclaredAndImported,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Rust {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn lay_out(
        &self,
        program: &mut ProgramFacts<'_>,
        project: ProjectFiles<'_>,
    ) -> Option<Box<dyn ProjectModel>> {
        Some(Box::new(super::project::lay_out(program, project)))
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.rust_outside(at.file, at.scope, at.module, at.name)
    }

    fn import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        (file, import): (FileId, ImportId),
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.rust_import(file, import, hops))
    }

    fn glob_import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        (file, import): (FileId, ImportId),
        name: Name,
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        for entity in inference.rust_path_of(file, import, hops) {
            let found = inference.under(&entity, name, hops);
            if !found.is_empty() {
                return Some(found);
            }
        }
        Some(Vec::new())
    }

    /// Returns nothing for derived methods: they have no source.
    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        CallArguments { file, callee, .. }: CallArguments<'_>,
    ) -> Option<Ty> {
        if !matches!(name, "clone" | "to_owned" | "default") {
            return None;
        }
        let Expr::Member { object, .. } = inference.program.facts(file).expr(callee) else {
            return Some(Ty::Unknown);
        };
        Some(match inference.type_of(file, *object).ty {
            Ty::Class(def, args) if name == "default" => Ty::Inst(def, args),
            Ty::Inst(def, args) if name != "default" => Ty::Inst(def, args),
            _ => Ty::Unknown,
        })
    }
}

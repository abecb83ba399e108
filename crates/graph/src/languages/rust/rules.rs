//! What Rust asks of resolution: its capabilities and where it goes its own way.

use super::Rust;
use crate::{
    facts::{
        Expr, ImportId,
        capabilities::{Capabilities, Exports},
    },
    resolve::{
        entities::Arguments,
        evaluator::{Entity, Evaluator},
        program::{FileId, Name, Program},
        rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        types::Ty,
    },
};

/// What generic code may ask of Rust.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    separator: "::",
    modules_close_scopes: true,
    modules_beside_values: true,
    own_type_names: &["Self"],
    variants_are_types: true,
    implements_for_outside_types: true,
    fields_hide_methods: true,
    exports: Exports::DeclaredAndImported,
    ..Capabilities::NONE
};

impl ResolutionRules for Rust {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn lay_out(
        &self,
        program: &mut Program<'_>,
        project: ProjectFiles<'_>,
    ) -> Option<Box<dyn ProjectModel>> {
        Some(Box::new(super::project::lay_out(program, project)))
    }

    fn unbound_name(&self, evaluator: &mut Evaluator<'_, '_>, at: UnboundName) -> Vec<Entity> {
        evaluator.rust_outside(at.file, at.scope, at.module, at.name)
    }

    fn import(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        (file, import): (FileId, ImportId),
        hops: u32,
    ) -> Option<Vec<Entity>> {
        Some(evaluator.rust_import(file, import, hops))
    }

    fn glob_import(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        (file, import): (FileId, ImportId),
        name: Name,
        hops: u32,
    ) -> Option<Vec<Entity>> {
        for entity in evaluator.rust_path_of(file, import, hops) {
            let found = evaluator.under(&entity, name, hops);
            if !found.is_empty() {
                return Some(found);
            }
        }
        Some(Vec::new())
    }

    /// What is derived has no code of its own.
    fn library_function(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        name: &str,
        Arguments { file, callee, .. }: Arguments<'_>,
    ) -> Option<Ty> {
        if !matches!(name, "clone" | "to_owned" | "default") {
            return None;
        }
        let Expr::Member { object, .. } = evaluator.program.facts(file).expr(callee) else {
            return Some(Ty::Unknown);
        };
        Some(match evaluator.type_of(file, *object).ty {
            Ty::Class(def, args) if name == "default" => Ty::Inst(def, args),
            Ty::Inst(def, args) if name != "default" => Ty::Inst(def, args),
            _ => Ty::Unknown,
        })
    }
}

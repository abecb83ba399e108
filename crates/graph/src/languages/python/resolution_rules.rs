//! Resolution of Python: its capabilities, and the rules that differ from the common ones.

use std::rc::Rc;

use super::Python;
use crate::{
    facts::{
        Expr, ExprId,
        language_capabilities::{ConstructorReferenceTarget, ExportRule, LanguageCapabilities},
    },
    resolve::{
        inference_results::{CallArguments, Ty},
        language_resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        program_facts::{DefRef, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference, class_of},
    },
};

/// What generic code may ask of Python.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    hoists: true,
    type_bodies_are_scopes: true,
    unbound_own_type_names: &["Self"],
    runs_unnamed: |name| name.len() > 4 && name.starts_with("__") && name.ends_with("__"),
    accessors_run: true,
    infers_results: true,
    constructor_references: ConstructorReferenceTarget::TypeUnlessNamed,
    exports: ExportRule::DeclaredAndImported,
    constructor_name: Some("__init__"),
    has_one_constructor: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Python {
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
        let found = inference.glob_imported(at.module, at.name, 0);
        found.into_iter().filter(|entity| *entity != NameReferent::Module(at.module)).collect()
    }

    fn inherited_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        (ty, args): (DefRef, &Rc<[Ty]>),
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.linear_member(ty, args, name))
    }

    /// `sorted(all, key=lambda one: …)`, `filter(lambda one: …, all)`
    fn library_lambda_param(
        &self,
        inference: &mut TypeInference<'_, '_>,
        arguments: CallArguments<'_>,
        place: u16,
    ) -> Option<Ty> {
        let CallArguments { file, values, callee, .. } = arguments;
        let facts = inference.program.facts(file);
        let Expr::Name { name, .. } = facts.expr(callee) else { return None };
        let is_key = |value: &ExprId| matches!(facts.expr(*value), Expr::Lambda(_));
        let all = match (facts.text(*name), place) {
            ("sorted", 0) => values.first()?,
            // `max(a, b, key=…)` compares its arguments themselves.
            ("max" | "min", 0) if values.get(1).is_none_or(is_key) => values.first()?,
            ("filter" | "map", 0) => values.get(1)?,
            _ => return None,
        };
        let (named, _) = inference.resolve_expr(file, callee);
        if named.iter().any(|entity| entity.definition().is_some()) {
            return None;
        }
        let all = inference.type_of(file, *all).ty;
        Some(inference.element_of(&all))
    }

    fn library_type(&self, _: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        match (name, args) {
            ("Optional" | "Union", _) => Some(Ty::union(args.to_vec())),
            ("Type" | "type", [of]) => Some(class_of(of)),
            ("tuple" | "Tuple", [one]) => Some(Ty::List(Rc::new(one.clone()))),
            ("tuple" | "Tuple", _) => Some(Ty::Tuple(args.into())),
            _ => None,
        }
    }
}

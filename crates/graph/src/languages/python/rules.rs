//! What Python asks of resolution: its capabilities and where it goes its own way.

use std::rc::Rc;

use super::Python;
use crate::{
    facts::capabilities::{Capabilities, ConstructorReferences, Exports},
    resolve::{
        evaluator::{Entity, Evaluator, class_of},
        program::{DefRef, Name, Program},
        rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        types::Ty,
    },
};

/// What generic code may ask of Python.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    hoists: true,
    type_bodies_are_scopes: true,
    unbound_own_type_names: &["Self"],
    infers_results: true,
    constructor_references: ConstructorReferences::TypeUnlessNamed,
    exports: Exports::DeclaredAndImported,
    ..Capabilities::NONE
};

impl ResolutionRules for Python {
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
        let found = evaluator.glob_imported(at.module, at.name, 0);
        found.into_iter().filter(|entity| *entity != Entity::Module(at.module)).collect()
    }

    fn inherited_member(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        (ty, args): (DefRef, &Rc<[Ty]>),
        name: Name,
    ) -> Option<Vec<Entity>> {
        Some(evaluator.linear_member(ty, args, name))
    }

    fn library_type(&self, _: &Program<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        match (name, args) {
            ("Optional" | "Union", _) => Some(Ty::union(args.to_vec())),
            ("Type" | "type", [of]) => Some(class_of(of)),
            ("tuple" | "Tuple", [one]) => Some(Ty::List(Rc::new(one.clone()))),
            ("tuple" | "Tuple", _) => Some(Ty::Tuple(args.into())),
            _ => None,
        }
    }
}

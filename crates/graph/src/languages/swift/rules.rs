//! What Swift asks of resolution: its capabilities and where it goes its own way.

use std::rc::Rc;

use super::Swift;
use crate::{
    facts::capabilities::{Capabilities, Overriding},
    resolve::{
        evaluator::{Entity, Evaluator},
        program::{DefRef, Name, Program},
        rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        types::Ty,
    },
};

/// What generic code may ask of Swift.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    members_in_scope: true,
    bare_members_are_known: true,
    shares_file_scope: true,
    own_type_names: &["Self"],
    variants_are_types: true,
    extends_outside_types: true,
    labels_arguments: true,
    overriding: Overriding::Labels,
    fields_hide_methods: true,
    ..Capabilities::NONE
};

impl ResolutionRules for Swift {
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
        evaluator.swift_outside(at.file, at.module, at.name)
    }

    fn bare_members(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        ty: &Ty,
        name: Name,
        mut found: Vec<Entity>,
    ) -> Vec<Entity> {
        if found.is_empty() {
            found.extend(evaluator.extended_param(ty, name));
        }
        found
    }

    fn inherited_member(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        (ty, args): (DefRef, &Rc<[Ty]>),
        name: Name,
    ) -> Option<Vec<Entity>> {
        Some(evaluator.layered_member(ty, args, name))
    }
}

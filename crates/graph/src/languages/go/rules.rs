//! What Go asks of resolution: its capabilities and where it goes its own way.

use super::{Go, implementations};
use crate::{
    facts::capabilities::Capabilities,
    resolve::{
        def_edges::StructuralEdges,
        evaluator::{Entity, Evaluator},
        program::Program,
        rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
    },
};

/// What generic code may ask of Go.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    structural_interfaces: true,
    type_calls_convert: true,
    named_imports_are_private: true,
    ..Capabilities::NONE
};

impl ResolutionRules for Go {
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
        let own = evaluator.top_level_entities(at.module, at.name);
        let found =
            if own.is_empty() { evaluator.glob_imported(at.module, at.name, 0) } else { own };
        found.into_iter().filter(|entity| *entity != Entity::Module(at.module)).collect()
    }

    fn structural_edges(&self, evaluator: &mut Evaluator<'_, '_>) -> StructuralEdges {
        implementations::implementations(evaluator)
    }
}

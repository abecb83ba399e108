//! Resolution of Go: its capabilities, and the rules that differ from the common ones.

use super::{Go, interface_satisfaction, standard_interfaces};
use crate::{
    facts::language_capabilities::LanguageCapabilities,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules, UnboundName},
        program_facts::ProgramFacts,
        resolved_edge::StructuralTypingEdges,
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of Go.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    structural_interfaces: true,
    known_interfaces: standard_interfaces::STANDARD_INTERFACES,
    locals_name_no_types: true,
    type_calls_convert: true,
    imports_name_whole_paths: true,
    given_names: "any append bool byte cap clear close complex complex128 complex64 copy delete error \
        float32 float64 imag int int16 int32 int64 int8 len make max min new panic print \
        println real recover rune string uint uint16 uint32 uint64 uint8 uintptr",
    named_imports_are_private: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Go {
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
        let own = inference.top_level_entities(at.module, at.name);
        let found =
            if own.is_empty() { inference.glob_imported(at.module, at.name, 0) } else { own };
        found.into_iter().filter(|entity| *entity != NameReferent::Module(at.module)).collect()
    }

    fn structural_edges(&self, inference: &mut TypeInference<'_, '_>) -> StructuralTypingEdges {
        interface_satisfaction::implementations(inference)
    }
}

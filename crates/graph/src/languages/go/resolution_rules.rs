//! Resolution of Go: its capabilities, and the rules that differ from the common ones.

use std::collections::BTreeSet;

use super::{Go, interface_satisfaction, standard_interfaces};
use crate::{
    facts::language_capabilities::LanguageCapabilities,
    resolve::{
        language_resolution_rules::{ResolutionRules, UnboundName},
        program_facts::{DefRef, FileId, ModId},
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

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        let own = inference.top_level_referents(at.module, at.name);
        let found =
            if own.is_empty() { inference.glob_imported(at.module, at.name, 0) } else { own };
        found.into_iter().filter(|referent| *referent != NameReferent::Module(at.module)).collect()
    }

    /// A package has a name once: files that have it, too, are for other platforms.
    fn variants(
        &self,
        inference: &mut TypeInference<'_, '_>,
        _: FileId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        let program = inference.program;
        let files: BTreeSet<FileId> = found.iter().map(|def| def.file).collect();
        let packages: BTreeSet<ModId> =
            files.iter().map(|file| program.module_of[file.index()]).collect();
        if files.len() == found.len() && packages.len() == 1 { found } else { Vec::new() }
    }

    fn structural_edges(&self, inference: &mut TypeInference<'_, '_>) -> StructuralTypingEdges {
        interface_satisfaction::implementations(inference)
    }
}

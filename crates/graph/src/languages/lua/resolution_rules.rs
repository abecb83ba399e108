//! Resolution of Lua: its capabilities, and the rules that differ from the common ones.

use super::{Lua, project};
use crate::{
    facts::{
        DefKind,
        language_capabilities::{ExportRule, LanguageCapabilities},
    },
    resolve::{
        program_facts::{Name, ProgramFacts},
        resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules, TypeName, UnboundName},
        type_inference::{NameReferent, TypeInference},
        types::{Ty, no_args},
    },
};

/// What generic code may ask of Lua.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    receivers_own: false,
    infers_results: true,
    exports: ExportRule::Listed,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Lua {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn lay_out(
        &self,
        program: &mut ProgramFacts<'_>,
        project: ProjectFiles<'_>,
    ) -> Option<Box<dyn ProjectModel>> {
        Some(Box::new(project::lay_out(program, project)))
    }

    /// A global, if one place defines it.
    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        let found = globals_named(inference, at.name);
        let is_class = |it: &NameReferent| matches!(it, NameReferent::Def(def, _) if inference.program.def(*def).kind == DefKind::Class);
        let found: Vec<NameReferent> = found.into_iter().filter(|it| !is_class(it)).collect();
        if found.len() == 1 { found } else { Vec::new() }
    }

    /// A class that a comment declares in any file.
    fn type_name(&self, inference: &mut TypeInference<'_, '_>, at: TypeName<'_>) -> Option<Ty> {
        let name = inference.program.name_of(at.file, *at.path.first()?);
        let found = globals_named(inference, name).into_iter().filter_map(|it| match it {
            NameReferent::Def(def, _) if inference.program.def(def).kind == DefKind::Class => {
                Some(Ty::Inst(def, no_args()))
            }
            _ => None,
        });
        Some(Ty::union(found.collect::<Vec<_>>()))
    }
}

fn globals_named(inference: &mut TypeInference<'_, '_>, name: Name) -> Vec<NameReferent> {
    let globals = inference.program.project::<project::LuaModules>().and_then(|it| it.globals);
    globals.map_or_else(Vec::new, |globals| inference.top_level_entities(globals, name))
}

//! Resolution of Lua: its capabilities, and the rules that differ from the common ones.

use super::{Lua, project};
use crate::{
    facts::{
        DefKind, Reference,
        language_capabilities::{ExportRule, LanguageCapabilities},
    },
    resolve::{
        inference_results::{Ty, no_args},
        language_resolution_rules::{ResolutionRules, TypeName, UnboundName},
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of Lua.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    receivers_own: false,
    returned_value_is_module: true,
    infers_results: true,
    exports: ExportRule::Listed,
    ..LanguageCapabilities::NONE
};

/// Functions of the standard library: a file that replaces one does so for itself.
const STANDARD: &[&str] = &[
    "assert",
    "collectgarbage",
    "dofile",
    "error",
    "getmetatable",
    "ipairs",
    "load",
    "loadfile",
    "loadstring",
    "next",
    "pairs",
    "pcall",
    "print",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "require",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "unpack",
    "xpcall",
];

impl ResolutionRules for Lua {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    /// A member that another file puts into a table gives way to that of the table's own file.
    fn called_overloads(
        &self,
        inference: &mut TypeInference<'_, '_>,
        _file: FileId,
        mut found: Vec<DefRef>,
        _reference: &Reference,
    ) -> Vec<DefRef> {
        if found.len() > 1 {
            let own: Vec<DefRef> =
                found.iter().copied().filter(|def| is_own_member(inference, *def)).collect();
            if !own.is_empty() {
                found = own;
            }
        }
        found
    }

    /// A global, if one place defines it.
    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        if STANDARD.contains(&inference.program.text(at.name)) {
            return Vec::new();
        }
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

/// Whether a function is a member of a table of its own file.
fn is_own_member(inference: &mut TypeInference<'_, '_>, at: DefRef) -> bool {
    let receiver = inference.program.def(at).receiver;
    let host = inference.eval_type(at.file, receiver);
    host.each().iter().any(|ty| matches!(ty, Ty::Inst(host, _) if host.file == at.file))
}

fn globals_named(inference: &mut TypeInference<'_, '_>, name: Name) -> Vec<NameReferent> {
    let globals = inference.program.project::<project::LuaModules>().and_then(|it| it.globals);
    globals.map_or_else(Vec::new, |globals| inference.top_level_referents(globals, name))
}

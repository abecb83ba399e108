//! Resolution of PHP: its capabilities, and the rules that differ from the common ones.

use super::Php;
use crate::{
    facts::{ExprId, ScopeId, language_capabilities::LanguageCapabilities},
    resolve::{
        inference_results::{CallArguments, Ty},
        language_resolution_rules::{ResolutionRules, TypeName, UnboundName},
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Functions of containers that give an object of the class that they are given.
const GIVE_NAMED_CLASS: &[&str] = &["app", "get", "make", "makeWith", "resolve"];

/// What generic code may ask of PHP.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    separator: "\\",
    own_type_names: &["static"],
    traits_are_copied: true,
    asks_heirs: true,
    call_methods: &["__invoke"],
    calls_types: false,
    infers_results: true,
    declares_packages: true,
    named_imports_are_private: true,
    glob_imports_are_private: true,
    constructor_name: Some("__construct"),
    has_one_constructor: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Php {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.php_outside(at.file, at.module, at.name, at.namespace)
    }

    fn type_name(&self, inference: &mut TypeInference<'_, '_>, at: TypeName<'_>) -> Option<Ty> {
        inference.php_class(at)
    }

    fn ends_lookup(
        &self,
        inference: &TypeInference<'_, '_>,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> bool {
        inference.hides_variables(file, scope, name)
    }

    fn call_of(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
        function: DefRef,
    ) -> Option<Ty> {
        inference.late_static(file, callee, function)
    }

    /// `$container->get(Store::class)`
    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        arguments: CallArguments<'_>,
    ) -> Option<Ty> {
        let asked = arguments.values.first().filter(|_| GIVE_NAMED_CLASS.contains(&name))?;
        match inference.type_of(arguments.file, *asked).ty {
            Ty::Class(class, args) => Some(Ty::Inst(class, args)),
            _ => None,
        }
    }
}

//! Resolution of C#: its capabilities, and the rules that differ from the common ones.

use std::rc::Rc;

use super::CSharp;
use crate::{
    facts::{
        Reference,
        language_capabilities::{BodylessDeclarations, LanguageCapabilities, MethodOverrideRule},
    },
    resolve::{
        inference_results::Ty,
        language_resolution_rules::{MemberUse, ResolutionRules, UnboundName},
        program_facts::{DefRef, FileId, ProgramFacts},
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of C#.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    subscript_methods: &["this[]"],
    members_in_scope: true,
    shares_module_scopes: true,
    types_in_parts: true,
    types_by_arity: true,
    extensions_by_name: true,
    calls_types: false,
    runs_unnamed: |name| name == "this[]" || name.starts_with("operator "),
    overloads: true,
    declarations: BodylessDeclarations::DifferInArity,
    overriding: MethodOverrideRule::Parameters,
    fields_hide_methods: true,
    invoking_methods: &["Invoke", "DynamicInvoke"],
    declares_packages: true,
    named_imports_are_private: true,
    glob_imports_are_private: true,
    project_imports: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for CSharp {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.csharp_outside(at.file, at.module, at.name)
    }

    fn extension_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: MemberUse<'_>,
    ) -> Vec<NameReferent> {
        inference.csharp_extensions(at.file, at.expr, at.name, at.receiver)
    }

    fn called_overloads(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        found: Vec<DefRef>,
        reference: &Reference,
    ) -> Vec<DefRef> {
        inference.csharp_overloads(file, found, reference)
    }

    fn library_type(&self, program: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        match args {
            [held] if name == "Nullable" => Some(held.clone()),
            // In other languages a type of this name stands for what it holds.
            [_] if name == "Lazy" => Some(Ty::Ext(program.intern("System.Lazy"), args.into())),
            [element] if is_collection(name) => Some(Ty::List(Rc::new(element.clone()))),
            _ => None,
        }
    }
}

/// Whether a type of .NET holds elements in a row.
fn is_collection(name: &str) -> bool {
    let plain = name.trim_start_matches("Immutable").trim_start_matches("Concurrent");
    let plain = plain.strip_prefix('I').unwrap_or(plain).trim_start_matches("ReadOnly");
    matches!(
        plain,
        "Enumerable"
            | "Enumerator"
            | "Collection"
            | "List"
            | "Set"
            | "Queryable"
            | "AsyncEnumerable"
            | "Array"
            | "Bag"
            | "Queue"
            | "Stack"
            | "Span"
            | "Memory"
            | "ArraySegment"
            | "ObservableCollection"
            | "SortedSet"
    )
}

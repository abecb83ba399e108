//! Resolution of C and C++: its capabilities, and the rules that differ from the common ones.

use super::{C, standard_library};
use crate::{
    facts::{
        DefId, DefKind, ExprId, ImportId,
        language_capabilities::{
            BodylessDeclarations, ConstructorReferenceTarget, ExportRule, LanguageCapabilities,
        },
    },
    resolve::{
        inference_results::{CallArguments, Ty},
        language_resolution_rules::{ResolutionRules, TypeName, UnboundName},
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference},
    },
};

/// What generic code may ask of C and C++.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    subscript_methods: &["operator[]"],
    iterator_methods: &["begin"],
    call_methods: &["operator()"],
    separator: "::",
    members_in_scope: true,
    shares_module_scopes: true,
    locals_name_no_types: true,
    receiver_is_this: true,
    names_outer_types: true,
    types_are_no_values: true,
    overloads_by_type: true,
    declarations: BodylessDeclarations::DifferInArity,
    runs_unnamed: |name| {
        let sign = name.strip_prefix("operator");
        sign.is_some_and(|sign| sign.starts_with(|c: char| !c.is_alphanumeric() && c != '_'))
    },
    defaults_elsewhere: true,
    deduces_results: true,
    constructor_references: ConstructorReferenceTarget::Constructor,
    includes_files: true,
    headers: &[".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp"],
    file_local_words: &["static"],
    exports: ExportRule::Defined,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for C {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.c_outside(at.file, at.scope, at.name)
    }

    fn bare_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        class: &Ty,
        name: Name,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        if found.is_empty() {
            found = inference.c_around_class(class, name);
        }
        inference.constructed_classes(found)
    }

    fn qualified_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        ty: &Ty,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.c_qualified(file, ty, name))
    }

    fn type_name(&self, inference: &mut TypeInference<'_, '_>, at: TypeName<'_>) -> Option<Ty> {
        inference.iterated(at.file, at.path, at.scope, at.pos)
    }

    fn type_member(&self, inference: &mut TypeInference<'_, '_>, base: &Ty, name: Name) -> Ty {
        inference.pointed_to(base, name)
    }

    fn element(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty) -> Option<Ty> {
        let begin = inference.method_result(ty, "begin");
        // An iterator is what it points to, unless the repository has it.
        match inference.method_result(&begin, "operator*") {
            Ty::Unknown => Some(begin),
            item => Some(item),
        }
    }

    fn indexed(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty) -> Option<Ty> {
        // What is no container is reached by a pointer to several.
        match inference.method_result(ty, "operator[]") {
            Ty::Unknown => Some(ty.clone()),
            item => Some(item),
        }
    }

    fn deduced_type(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        declared: &Ty,
        value: ExprId,
    ) -> Option<Ty> {
        inference.deduced_arguments(file, declared, value)
    }

    fn unknown_call(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<Ty> {
        inference.held_by_pointer(file, callee)
    }

    fn constructed_class(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        target: ExprId,
    ) -> Option<DefRef> {
        inference.made_class(file, target)
    }

    fn constructor_calls(
        &self,
        inference: &mut TypeInference<'_, '_>,
        class: DefRef,
    ) -> Option<Vec<DefRef>> {
        if inference.program.def(class).kind != DefKind::Alias {
            return Some(inference.c_constructors(class));
        }
        let Some(class) = inference.aliased_class(class) else { return Some(Vec::new()) };
        let constructors = inference.c_constructors(class);
        Some(if constructors.is_empty() { vec![class] } else { constructors })
    }

    fn constructors_run(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        target: ExprId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        inference.without_copies(file, target, found)
    }

    fn variant_of(&self, inference: &mut TypeInference<'_, '_>, body: DefRef) -> Vec<DefRef> {
        inference.c_variant_of(body)
    }

    fn variants(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        inference.c_variants(file, found)
    }

    fn import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        import: ImportId,
        _: u32,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.c_import(file, import))
    }

    /// `void space::name() {}` is attached to what the namespace declares.
    fn attached_to(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        def: DefId,
    ) -> Vec<DefRef> {
        inference.declared_in_namespace(file, def)
    }

    fn library_type(&self, _: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        standard_library::type_of(name, args)
    }

    fn library_method(
        &self,
        inference: &mut TypeInference<'_, '_>,
        receiver: &Ty,
        method: &str,
    ) -> Option<Ty> {
        Some(standard_library::method_result(inference, receiver, method))
    }

    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        arguments: CallArguments<'_>,
    ) -> Option<Ty> {
        let file = arguments.file;
        let types: Vec<Ty> =
            arguments.types.iter().map(|ty| inference.eval_type(file, *ty)).collect();
        let first = arguments.values.first().copied();
        Some(standard_library::function_result(name, &types, || {
            first.map_or(Ty::Unknown, |value| inference.type_of(file, value).ty)
        }))
    }
}

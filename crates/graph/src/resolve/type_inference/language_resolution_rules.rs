//! What a language decides itself while names are resolved, where [`LanguageCapabilities`] don't say enough. Each
//! method has the behaviour of a language without the special case as its default. [`crate::languages`] implements it
//! for each language and hands the implementations to the resolver, which knows no language.

use std::rc::Rc;

use crate::{
    facts::{
        DefId, ExprId, ImportId, Reference, ScopeId, Sym,
        language_capabilities::LanguageCapabilities,
    },
    graph_model::Language,
    resolve::{
        file_and_definition_ids::{DefRef, FileId, ModId, Name},
        inference_results::{
            CallArguments, InferredType, InstanceOrClass, NameReferent, SymbolNamespace, Ty,
        },
        library_api_table::LibraryApiTable,
        program_facts::ProgramFacts,
        resolved_edge::StructuralTypingEdges,
        type_inference::TypeInference,
    },
};

pub(crate) use crate::resolve::program_facts::project_model::{
    ProjectFiles, ProjectLayout, ProjectModel,
};

/// The languages that the resolver works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanguageRules {
    /// One of each family, in the order in which their modules are laid out.
    pub(crate) families: &'static [Language],
    /// Those of which only imports are resolved; each is a family.
    pub(crate) outlined: fn() -> Vec<Language>,
    pub(crate) of: fn(Language) -> &'static dyn ResolutionRules,
    /// What gives every file of a language's family its module, and returns where the modules of its projects are.
    pub(crate) layout: fn(Language) -> Option<ProjectLayout>,
    pub(crate) library: fn() -> &'static LibraryApiTable,
}

/// A name where it is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameUse {
    pub(crate) file: FileId,
    pub(crate) scope: ScopeId,
    pub(crate) sym: Sym,
    /// The byte it stands at.
    pub(crate) pos: u32,
}

/// A name that no scope binds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnboundName {
    pub(crate) file: FileId,
    pub(crate) scope: ScopeId,
    /// The module around the scope.
    pub(crate) module: ModId,
    pub(crate) name: Name,
    pub(crate) namespace: SymbolNamespace,
}

/// `object.name`, after `object` was evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberUse<'a> {
    pub(crate) file: FileId,
    /// The whole expression.
    pub(crate) expr: ExprId,
    pub(crate) receiver: &'a Ty,
    pub(crate) name: Name,
}

/// A type name where it is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName<'a> {
    pub(crate) file: FileId,
    pub(crate) path: &'a [Sym],
    pub(crate) scope: ScopeId,
    pub(crate) pos: u32,
}

/// What a language decides itself in resolution.
#[expect(unused_variables, reason = "the default is that of a language without the special case")]
pub(crate) trait ResolutionRules: Sync {
    /// The properties that generic code decides by.
    fn capabilities(&self) -> &'static LanguageCapabilities;

    /// Looks up a bare name, in languages where lexical scopes do not decide it.
    fn lookup_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: NameUse,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Whether `name` is not looked for beyond `scope`.
    fn ends_lookup(
        &self,
        inference: &TypeInference<'_, '_>,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> bool {
        false
    }

    /// Looks up a name that no scope binds.
    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        Vec::new()
    }

    /// Changes the referents of a member that is named without its object; `ty` is the enclosing type.
    fn bare_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: &Ty,
        name: Name,
        found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        found
    }

    /// Looks up what `name` is in a value, a type or a module, where that depends on the file that asks.
    fn qualified_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        ty: &Ty,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Looks up what `name` is on a type of the language, or on its values.
    fn member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: DefRef,
        side: InstanceOrClass,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Looks a member up in a type and those above it, where that is not breadth first.
    fn inherited_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Returns the type of what a value of the type `ty`, which has no member `name`, stands for.
    fn pointed_at(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty, name: Name) -> Ty {
        Ty::Unknown
    }

    /// Looks up what `super.name` is in a method of the type `around`.
    fn super_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        scope: ScopeId,
        around: DefRef,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Returns those of the definitions that `object.name` may mean by its type which are meant where it stands.
    fn members_meant(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: MemberUse<'_>,
        found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        found
    }

    /// Returns the functions attached from outside that `object.name` may mean where the object's type has no such member.
    fn extension_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: MemberUse<'_>,
    ) -> Vec<NameReferent> {
        Vec::new()
    }

    /// Evaluates a type name, where the type is not simply the name's referent.
    fn type_name(&self, inference: &mut TypeInference<'_, '_>, at: TypeName<'_>) -> Option<Ty> {
        None
    }

    /// Evaluates the member `name` of the type `base`, where that is not a declaration.
    fn type_member(&self, inference: &mut TypeInference<'_, '_>, base: &Ty, name: Name) -> Ty {
        Ty::Unknown
    }

    /// Returns the element type of iterating an object of the repository; `None` leaves it to the names of iteration
    /// methods.
    fn element(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty) -> Option<Ty> {
        None
    }

    /// Returns the type of a subscript of an object of the repository; `None` leaves it to the names of such methods.
    fn indexed(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty) -> Option<Ty> {
        None
    }

    /// Returns the type of a variable whose declared type is a template without arguments, by its value.
    fn deduced_type(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        declared: &Ty,
        value: ExprId,
    ) -> Option<Ty> {
        None
    }

    /// Evaluates a call by what is called as it is written.
    fn call(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<InferredType> {
        None
    }

    /// Evaluates a call of `function` whose result depends on the receiver.
    fn call_of(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
        function: DefRef,
    ) -> Option<Ty> {
        None
    }

    /// Evaluates a call of something that is not known.
    fn unknown_call(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<Ty> {
        None
    }

    /// Returns the argument of the call that becomes parameter `place` of a callback.
    fn forwarded_argument(
        &self,
        inference: &TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
        place: u16,
    ) -> Option<u16> {
        None
    }

    /// Returns the class that a declaration makes a value of where no call is written.
    fn constructed_class(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        target: ExprId,
    ) -> Option<DefRef> {
        None
    }

    /// Returns what calling the name of a class, or another name for one, runs; `None` leaves it to the common rules.
    fn constructor_calls(
        &self,
        inference: &mut TypeInference<'_, '_>,
        class: DefRef,
    ) -> Option<Vec<DefRef>> {
        None
    }

    /// Chooses among `constructors` those that a declaration runs.
    fn constructors_run(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        target: ExprId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        found
    }

    /// Returns the functions of one name that a call may mean, before arity decides.
    fn called_overloads(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        found: Vec<DefRef>,
        reference: &Reference,
    ) -> Vec<DefRef> {
        found
    }

    /// Returns what headers declare that the file of a function includes, where the function is one of several bodies of it.
    fn variant_of(&self, inference: &mut TypeInference<'_, '_>, body: DefRef) -> Vec<DefRef> {
        Vec::new()
    }

    /// Returns those of more functions than a call is bound to that are the bodies, for several platforms, of one that a
    /// header declares for `file`: a build takes one of them.
    fn variants(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        found: Vec<DefRef>,
    ) -> Vec<DefRef> {
        Vec::new()
    }

    /// Evaluates a type from outside the repository that is known by its shape.
    fn library_type(&self, program: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        None
    }

    /// Evaluates a call of a method of a type from outside the repository.
    fn library_method(
        &self,
        inference: &mut TypeInference<'_, '_>,
        receiver: &Ty,
        method: &str,
    ) -> Option<Ty> {
        None
    }

    /// Evaluates a call of a function from outside the repository.
    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        arguments: CallArguments<'_>,
    ) -> Option<Ty> {
        None
    }

    /// Returns the type of parameter `place` of a callback that is given to an unknown function.
    fn library_lambda_param(
        &self,
        inference: &mut TypeInference<'_, '_>,
        arguments: CallArguments<'_>,
        place: u16,
    ) -> Option<Ty> {
        None
    }

    /// Returns what an import brings, where that is neither by modules nor by packages.
    fn import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        import: ImportId,
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Returns what an import of everything brings under a name, where that is not by modules.
    fn glob_import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        import: ImportId,
        name: Name,
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        None
    }

    /// Returns the declarations that a definition is attached to by its qualified name, where that is not a type's.
    fn attached_to(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        def: DefId,
    ) -> Vec<DefRef> {
        Vec::new()
    }

    /// Returns edges that follow from all files of the family together.
    fn structural_edges(&self, inference: &mut TypeInference<'_, '_>) -> StructuralTypingEdges {
        StructuralTypingEdges::default()
    }
}

//! What generic code may ask of a language. Each language's folder has one constant of this type; no generic code asks
//! for a language by its name.

/// How the value of a field is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldCalls {
    Never,
    ByName,
    /// The name alone is that of a method: `(object.field)(argument)`.
    InParentheses,
}

/// An interface of an outside package that types implement by their methods alone.
#[derive(Debug)]
pub(crate) struct KnownInterface {
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    pub(crate) methods: &'static [KnownMethod],
}

/// A method, by its name and the last names of the types that it takes and gives back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownMethod {
    pub(crate) name: &'static str,
    pub(crate) takes: &'static [&'static str],
    pub(crate) gives: &'static [&'static str],
}

/// Properties of a language that generic code decides by. [`LanguageCapabilities::NONE`] has none of them; the constant
/// of a language sets those that it has.
#[derive(Debug)]
pub(crate) struct LanguageCapabilities {
    /// The text between the parts of a qualified name.
    pub(crate) separator: &'static str,

    // Scopes and names.
    /// A name may be used above the line that binds it.
    pub(crate) hoists: bool,
    /// The members of a type are found by their bare names inside of it.
    pub(crate) members_in_scope: bool,
    /// Of members named without their object, only those that the repository defines count.
    pub(crate) bare_members_are_known: bool,
    /// The body of a type sees its own names, its functions do not.
    pub(crate) type_bodies_are_scopes: bool,
    /// Names at the top of a module are those of all its files: a file's own scope is not asked by itself.
    pub(crate) shares_module_scopes: bool,
    /// A file's own declarations are found together with those of its module.
    pub(crate) shares_file_scope: bool,
    /// A module inside a file sees nothing of what is around it.
    pub(crate) modules_close_scopes: bool,
    /// Where a type or, at [`PATH_START`](super::PATH_START), a path begins, no name means a parameter or a variable.
    pub(crate) locals_name_no_types: bool,
    /// A module and a function may have the same name in one scope.
    pub(crate) modules_beside_values: bool,
    /// Type names that stand for the type around them.
    pub(crate) own_type_names: &'static [&'static str],
    /// The same, for names that are bound to nothing else.
    pub(crate) unbound_own_type_names: &'static [&'static str],
    /// Words that begin the path of a module of the same package.
    pub(crate) own_package_words: &'static [&'static str],
    /// Names of a first parameter that stands for the type itself.
    pub(crate) own_type_parameters: &'static [&'static str],
    /// The methods that a subscript of an object calls.
    pub(crate) subscript_methods: &'static [&'static str],
    /// The methods that give what goes over the elements of an object.
    pub(crate) iterator_methods: &'static [&'static str],
    /// The methods by which that gives the next one.
    pub(crate) next_methods: &'static [&'static str],
    /// The methods whose result is what an entered object stands for.
    pub(crate) enter_methods: &'static [&'static str],
    /// The methods that a call of an object runs, without being named.
    pub(crate) call_methods: &'static [&'static str],

    // Types and members.
    /// A type may be declared in several parts.
    pub(crate) types_in_parts: bool,
    /// Types of one name are told apart by the number of their parameters.
    pub(crate) types_by_arity: bool,
    /// The parts of a type are named by a path, from wherever they stand.
    pub(crate) reopens_types: bool,
    /// A variant is a type of its own in patterns.
    pub(crate) variants_are_types: bool,
    /// What a trait brings is a member of the class itself, so that `super` does not look there.
    pub(crate) traits_are_copied: bool,
    /// A method may call on `self` what only the types that build on its own have.
    pub(crate) asks_heirs: bool,
    /// The module inside of a trait whose methods are those of the types themselves that have the trait.
    pub(crate) module_for_types: Option<&'static str>,
    /// Types from outside that bring no member which code asks for by name.
    pub(crate) bases_without_members: &'static [&'static str],
    /// A trait is shown as a module.
    pub(crate) traits_are_modules: bool,
    /// A type implements an interface by having its methods.
    pub(crate) structural_interfaces: bool,
    /// Interfaces of its library that types implement by having their methods.
    pub(crate) known_interfaces: &'static [KnownInterface],
    /// A function may stand for an interface with one method.
    pub(crate) functional_interfaces: bool,
    /// A function that is assigned to a member of a type belongs to that type.
    pub(crate) receivers_own: bool,
    /// What a definition names before its own name leads to the type that it belongs to: `Outer::Inner::f`.
    pub(crate) names_outer_types: bool,
    /// The member of a function that stands for the objects that it makes, where functions do: `new f()`. Their members are
    /// attached to the function.
    pub(crate) prototype: Option<&'static str>,
    /// What a file gives back is its module: what is put into it goes by the name of the module, and what is put into another value
    /// of the file by the name of that, too.
    pub(crate) returned_value_is_module: bool,
    /// Within a type, outside of its methods, `self` is the type itself.
    pub(crate) bodies_run_on_type: bool,

    // Functions attached to a type from outside.
    /// They are found by their bare names as well.
    pub(crate) binds_extensions: bool,
    /// They have the type's value as their own.
    pub(crate) receiver_is_this: bool,
    /// They are inherited as members of the type that declares them.
    pub(crate) inherits_extensions: bool,
    /// Private ones are seen in their own file only, others in their package and where they are imported.
    pub(crate) hides_private_extensions: bool,
    /// Functions that are written behind a call are its last argument.
    pub(crate) literals_behind_calls: bool,
    /// They may be attached to types from outside the repository, as members of these.
    pub(crate) extends_outside_types: bool,
    /// The same through traits of the repository: such a member is the only one by its name.
    pub(crate) implements_for_outside_types: bool,
    /// They are found by their name alone, wherever they are declared.
    pub(crate) extensions_by_name: bool,

    // Calls.
    /// A type is made by calling its name.
    pub(crate) calls_types: bool,
    /// Calling a type converts a value to it.
    pub(crate) type_calls_convert: bool,
    /// A type is no value, so that its name as an operand hands nothing on: `sizeof(T)`.
    pub(crate) types_are_no_values: bool,
    /// Arguments carry labels that tell functions of one name apart.
    pub(crate) labels_arguments: bool,
    /// Functions of one name in a type, and in those it builds on, are told apart by their parameters.
    pub(crate) overloads: bool,
    /// Functions of one name and arity are told apart by the types of their arguments.
    pub(crate) overloads_by_type: bool,
    /// Which declarations without a body are functions beside those of the same name with one.
    pub(crate) declarations: BodylessDeclarations,
    /// Which methods stand in for one of a supertype.
    pub(crate) overriding: MethodOverrideRule,
    /// Default values of parameters may be written at another declaration than the one with the body.
    pub(crate) defaults_elsewhere: bool,
    /// `f(a)(b)` may be one call with two lists of arguments.
    pub(crate) curries: bool,
    /// Naming a method calls it.
    pub(crate) names_call_methods: bool,
    /// Naming a method without a parameter list calls it.
    pub(crate) bare_methods_run: bool,
    /// Reading a member calls the accessor by its name, and assigning to it the one that takes a value.
    pub(crate) accessors_run: bool,
    /// Whether a function of this name runs without being named: `a + b`, `a[b]`. Those whose names are signs do.
    pub(crate) runs_unnamed: fn(&str) -> bool,
    /// The method that calling an object runs.
    pub(crate) object_call_method: Option<&'static str>,
    /// A member that is named and not called is the field of that name, if there is one.
    pub(crate) fields_hide_methods: bool,
    /// A function of a block that is written for a type itself hides those that interfaces give it.
    pub(crate) own_blocks_hide_interfaces: bool,
    /// A name that is not called prefers a value to a function.
    pub(crate) values_hide_functions: bool,
    /// Whether a field may be called.
    pub(crate) field_calls: FieldCalls,
    /// Methods of a function's value that run it.
    pub(crate) invoking_methods: &'static [&'static str],
    /// Callbacks of a map's methods take keys before values.
    pub(crate) keys_before_values: bool,
    /// A function without a declared result type returns the value of its body.
    pub(crate) infers_results: bool,
    /// The same where no result type is written: `auto`.
    pub(crate) deduces_results: bool,
    /// The annotation of a parameter that takes the rest is that of the whole.
    pub(crate) rest_is_annotated_whole: bool,
    /// Which definition an indexer records for a constructor call.
    pub(crate) constructor_references: ConstructorReferenceTarget,

    // Modules and imports.
    /// Files declare the package that they belong to.
    pub(crate) declares_packages: bool,
    /// The path of an import may start at any name that is seen there.
    pub(crate) imports_are_relative: bool,
    /// An import names the whole path of a module: where that leads to no module of the repository, it is from outside.
    pub(crate) imports_name_whole_paths: bool,
    /// Names that the language gives where nothing declares them, apart by blanks: functions, and what has functions as members.
    pub(crate) given_names: &'static str,
    /// What a file imports by name is not seen by others of its module.
    pub(crate) named_imports_are_private: bool,
    /// The same for imports of everything.
    pub(crate) glob_imports_are_private: bool,
    /// Imports may be those of a whole project.
    pub(crate) project_imports: bool,
    /// Imports without a level put another file's text in their place.
    pub(crate) includes_files: bool,
    /// What the names of files end with that are parts of those that include them: functions by one full name in several
    /// of these are overloads.
    pub(crate) headers: &'static [&'static str],
    /// Ends of paths of files that only declare what the code of others defines.
    pub(crate) declaration_files: &'static [&'static str],
    /// The words before a function that only its own file sees.
    pub(crate) file_local_words: &'static [&'static str],
    /// The name of constructors, where that is not their type's.
    pub(crate) constructor_name: Option<&'static str>,
    /// The member by which an interface says what the classes make that it stands for.
    pub(crate) construct_signature: Option<&'static str>,
    /// Whether a type has one constructor, which all its declarations stand for, and a call that makes an object leads to
    /// the type.
    pub(crate) has_one_constructor: bool,
    /// Which names a module exports.
    pub(crate) exports: ExportRule,
    /// The member of a type that stands for the type itself in imports.
    pub(crate) companion: Option<&'static str>,
}

/// Which declarations without a body are separate functions, although another function of the name has a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodylessDeclarations {
    /// None of them.
    GiveWay,
    /// Those that take another number of parameters.
    DifferInArity,
    /// Those of a related type.
    OfRelatedTypes,
}

/// Which methods override one of the same name in a supertype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodOverrideRule {
    Name,
    Labels,
    Parameters,
}

/// What an indexer names where a call makes a value of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstructorReferenceTarget {
    /// The type, or its constructor, which then stands for the type.
    Type,
    /// The same, unless the constructor's own name is written.
    TypeUnlessNamed,
    /// The constructor.
    Constructor,
}

/// What a module offers to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportRule {
    /// What it lists.
    Listed,
    /// What is declared at its top.
    Declared,
    /// What is declared at its top; definitions before declarations.
    Defined,
    /// What is declared at its top, and what it imports.
    DeclaredAndImported,
}

impl LanguageCapabilities {
    /// Whether a declaration without a body is always another function than those of its name that have a body, since what they
    /// take tells them apart.
    pub(crate) const fn keeps_bodyless_apart(&self) -> bool {
        self.labels_arguments || matches!(self.declarations, BodylessDeclarations::OfRelatedTypes)
    }

    /// A language that has none of it.
    pub(crate) const NONE: Self = Self {
        separator: ".",
        hoists: false,
        members_in_scope: false,
        bare_members_are_known: false,
        type_bodies_are_scopes: false,
        shares_module_scopes: false,
        shares_file_scope: false,
        modules_close_scopes: false,
        locals_name_no_types: false,
        modules_beside_values: false,
        own_type_names: &[],
        unbound_own_type_names: &[],
        own_package_words: &[],
        own_type_parameters: &[],
        subscript_methods: &[],
        iterator_methods: &[],
        next_methods: &[],
        enter_methods: &[],
        call_methods: &[],
        types_in_parts: false,
        types_by_arity: false,
        reopens_types: false,
        variants_are_types: false,
        traits_are_copied: false,
        asks_heirs: false,
        module_for_types: None,
        bases_without_members: &[],
        traits_are_modules: false,
        structural_interfaces: false,
        known_interfaces: &[],
        functional_interfaces: false,
        receivers_own: true,
        names_outer_types: false,
        prototype: None,
        returned_value_is_module: false,
        bodies_run_on_type: false,
        binds_extensions: false,
        receiver_is_this: false,
        inherits_extensions: false,
        hides_private_extensions: false,
        literals_behind_calls: false,
        extends_outside_types: false,
        implements_for_outside_types: false,
        extensions_by_name: false,
        calls_types: true,
        types_are_no_values: false,
        type_calls_convert: false,
        labels_arguments: false,
        overloads: false,
        overloads_by_type: false,
        declarations: BodylessDeclarations::GiveWay,
        overriding: MethodOverrideRule::Name,
        defaults_elsewhere: false,
        curries: false,
        names_call_methods: false,
        bare_methods_run: false,
        accessors_run: false,
        runs_unnamed: |_| false,
        object_call_method: None,
        fields_hide_methods: false,
        own_blocks_hide_interfaces: false,
        values_hide_functions: false,
        field_calls: FieldCalls::ByName,
        invoking_methods: &[],
        keys_before_values: false,
        infers_results: false,
        deduces_results: false,
        rest_is_annotated_whole: false,
        constructor_references: ConstructorReferenceTarget::Type,
        declares_packages: false,
        imports_are_relative: false,
        imports_name_whole_paths: false,
        given_names: "",
        named_imports_are_private: false,
        glob_imports_are_private: false,
        project_imports: false,
        includes_files: false,
        headers: &[],
        declaration_files: &[],
        file_local_words: &[],
        constructor_name: None,
        construct_signature: None,
        has_one_constructor: false,
        exports: ExportRule::Declared,
        companion: None,
    };
}

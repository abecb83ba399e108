//! What the languages of the JVM have in common: packages, overloads, functions attached to types, interfaces that
//! functions stand for.

use std::rc::Rc;

use crate::{
    facts::{
        Expr, RECEIVER,
        language_capabilities::{BodylessDeclarations, LanguageCapabilities, MethodOverrideRule},
    },
    resolve::{
        inference_results::{CallArguments, Ty, no_args},
        language_resolution_rules::{ResolutionRules, UnboundName},
        library_api_table::LibraryTypeShape,
        program_facts::ProgramFacts,
        type_inference::{NameReferent, TypeInference},
    },
};

pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    subscript_methods: &["get"],
    iterator_methods: &["iterator"],
    next_methods: &["next"],
    call_methods: &["invoke"],
    members_in_scope: true,
    bare_members_are_known: true,
    names_outer_types: true,
    functional_interfaces: true,
    binds_extensions: true,
    receiver_is_this: true,
    inherits_extensions: true,
    overloads: true,
    overloads_by_type: true,
    declarations: BodylessDeclarations::OfRelatedTypes,
    overriding: MethodOverrideRule::Parameters,
    fields_hide_methods: true,
    values_hide_functions: true,
    invoking_methods: &["invoke", "accept", "run", "call"],
    keys_before_values: true,
    infers_results: true,
    declares_packages: true,
    named_imports_are_private: true,
    glob_imports_are_private: true,
    companion: Some("Companion"),
    ..LanguageCapabilities::NONE
};

/// The rules of a language of the JVM. The languages differ in their capabilities alone.
pub(crate) struct JvmRules(pub(crate) &'static LanguageCapabilities);

impl JvmRules {
    /// Whether a list or a map is read, and made, by a call: `list(0)`, `Seq(a, b)`.
    const fn collections_are_called(&self) -> bool {
        self.0.object_call_method.is_some()
    }
}

impl ResolutionRules for JvmRules {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        self.0
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.package_outside(at.file, at.module, at.name)
    }

    /// An array of plain values: `IntArray`.
    fn library_type(&self, program: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        let item = name.strip_suffix("Array").filter(|_| args.is_empty())?;
        let plain = ["Boolean", "Char", "Double", "Float", "Int", "Long", "Short"];
        plain.contains(&item).then(|| Ty::List(Rc::new(Ty::Ext(program.intern(item), no_args()))))
    }

    /// A number as a plain value: `n.longValue()`.
    fn library_method(
        &self,
        inference: &mut TypeInference<'_, '_>,
        receiver: &Ty,
        method: &str,
    ) -> Option<Ty> {
        if self.collections_are_called()
            && let Some(held) = optionally(receiver, method)
        {
            return Some(Ty::Ext(inference.program.name("Option"), [held].into()));
        }
        let plain = method.strip_suffix("Value")?;
        let numbers = ["byte", "short", "int", "long", "float", "double"];
        let is_number = matches!(receiver, Ty::Ext(_, args) if args.is_empty());
        (is_number && numbers.contains(&plain))
            .then(|| Ty::Ext(inference.program.name(plain), no_args()))
    }

    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        arguments: CallArguments<'_>,
    ) -> Option<Ty> {
        let CallArguments { file, values, callee, .. } = arguments;
        let library = inference.program.library;
        if self.collections_are_called() && library.is(name, LibraryTypeShape::Row) {
            // `Seq(a, b)`
            let first = values.first()?;
            return Some(Ty::List(Rc::new(inference.type_of(file, *first).ty)));
        }
        match (name, inference.program.facts(file).expr(callee)) {
            // `fun with(x: X) = apply { … }` gives what it was called on.
            ("apply" | "also", Expr::Name { scope, .. }) => Some(inference.this_type(file, *scope)),
            // Effects: what they are made of is one, too.
            ("eval" | "liftF" | "make" | "resource", _) => {
                let value = values.first();
                Some(value.map_or(Ty::Unknown, |value| inference.type_of(file, *value).ty))
            }
            _ => None,
        }
    }

    /// A function that is passed to `value.let` receives the value; in one that is passed to `value.apply` it is `this`.
    fn library_lambda_param(
        &self,
        inference: &mut TypeInference<'_, '_>,
        arguments: CallArguments<'_>,
        place: u16,
    ) -> Option<Ty> {
        let CallArguments { file, values, callee, .. } = arguments;
        let facts = inference.program.facts(file);
        let receiver = match *facts.expr(callee) {
            Expr::Member { object, name } => match (facts.text(name), place) {
                ("let" | "also" | "takeIf" | "takeUnless", 0) | ("apply" | "run", RECEIVER) => {
                    object
                }
                _ => return None,
            },
            Expr::Name { name, .. } => match (facts.text(name), place) {
                ("with", RECEIVER) => *values.first()?,
                ("buildString", RECEIVER) => {
                    return Some(Ty::Ext(inference.program.name("StringBuilder"), no_args()));
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(inference.type_of(file, receiver).ty)
    }
}

/// What a method gives in an option where objects are called: of a list an element, of a map a value.
fn optionally(receiver: &Ty, method: &str) -> Option<Ty> {
    match (receiver, method) {
        (Ty::List(element), "find" | "headOption" | "lastOption") => Some((**element).clone()),
        (Ty::Ext(_, args), "get") if args.len() == 2 => Some(args[1].clone()),
        _ => None,
    }
}

//! Resolution of Rust: its capabilities, and the rules that differ from the common ones.

use super::Rust;
use crate::{
    facts::{
        Expr, ExprId, ImportId, TypeExpr,
        language_capabilities::{ExportRule, FieldCalls, LanguageCapabilities},
    },
    resolve::{
        inference_results::{CallArguments, Ty},
        language_resolution_rules::{MemberUse, ResolutionRules, UnboundName},
        library_api_table::LibraryTypeShape,
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        type_inference::{InferredType, NameReferent, TypeInference},
    },
};

/// What generic code may ask of Rust.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    own_package_words: &["crate", "self", "super"],
    subscript_methods: &["index"],
    iterator_methods: &["into_iter"],
    next_methods: &["next"],
    separator: "::",
    modules_close_scopes: true,
    locals_name_no_types: true,
    modules_beside_values: true,
    own_type_names: &["Self"],
    variants_are_types: true,
    implements_for_outside_types: true,
    runs_unnamed: |name| OPERATORS.contains(&name),
    fields_hide_methods: true,
    own_blocks_hide_interfaces: true,
    field_calls: FieldCalls::InParentheses,
    exports: ExportRule::DeclaredAndImported,
    ..LanguageCapabilities::NONE
};

/// Methods that operators, formats and the end of a scope run.
const OPERATORS: &[&str] = &[
    "add",
    "add_assign",
    "bitand",
    "bitand_assign",
    "bitor",
    "bitor_assign",
    "bitxor",
    "bitxor_assign",
    "cmp",
    "deref",
    "deref_mut",
    "div",
    "div_assign",
    "drop",
    "eq",
    "fmt",
    "index",
    "index_mut",
    "mul",
    "mul_assign",
    "ne",
    "neg",
    "not",
    "partial_cmp",
    "rem",
    "rem_assign",
    "shl",
    "shl_assign",
    "shr",
    "shr_assign",
    "sub",
    "sub_assign",
];

/// Methods of rows and iterators that give an element if there is one.
const MAY_LACK: &[&str] = &[
    "back",
    "back_mut",
    "find",
    "first",
    "first_mut",
    "front",
    "front_mut",
    "get",
    "get_mut",
    "last",
    "last_mut",
    "max_by_key",
    "min_by_key",
    "next",
    "next_back",
    "nth",
    "peek",
    "peek_mut",
    "pop",
    "pop_back",
    "pop_front",
];

/// Methods of pointers that give what they point to. A pointer counts as that.
const GIVEN_BY_POINTERS: &[&str] = &["as_mut", "as_ref", "into_owned"];

/// Methods that a type has without code of its own, by `derive` or by what the library implements for all types.
pub(super) const DERIVED: &[&str] = &[
    "borrow",
    "borrow_mut",
    "clamp",
    "clone",
    "clone_from",
    "cmp",
    "deserialize",
    "eq",
    "fmt",
    "ge",
    "gt",
    "hash",
    "into",
    "le",
    "lt",
    "max",
    "min",
    "ne",
    "partial_cmp",
    "serialize",
    "to_owned",
    "to_string",
    "try_into",
    "type_id",
];

impl ResolutionRules for Rust {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        inference.rust_outside(at.file, at.scope, at.module, at.name)
    }

    fn import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        import: ImportId,
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.rust_import(file, import, hops))
    }

    fn glob_import(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        import: ImportId,
        name: Name,
        hops: u32,
    ) -> Option<Vec<NameReferent>> {
        for referent in inference.rust_path_of(file, import, hops) {
            let found = inference.brought_from(file, import, &referent, name, hops);
            if !found.is_empty() {
                return Some(found);
            }
        }
        Some(Vec::new())
    }

    fn members_meant(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: MemberUse<'_>,
        found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        inference.of_visible_traits(at, found)
    }

    /// `library::name!`: a macro that a crate exports, from whichever of its modules; `value.name()`: a method that a trait of
    /// the repository gives to all types.
    fn extension_members(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: MemberUse<'_>,
    ) -> Vec<NameReferent> {
        match (at.receiver, inference.program.text(at.name).strip_suffix('!')) {
            (Ty::Module(library), Some(bare)) => inference.exported_macro(*library, bare),
            (_, None) => {
                let is_derived = DERIVED.contains(&inference.program.text(at.name));
                match inference.outside_trait_method(at) {
                    found if !found.is_empty() || is_derived => found,
                    _ => inference.blanket_method(at),
                }
            }
            _ => Vec::new(),
        }
    }

    /// `value.lock().unwrap()`: the result of a lock is taken for what it holds, as other libraries' locks give.
    fn call(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<InferredType> {
        let facts = inference.program.facts(file);
        let Expr::Member { object, name } = facts.expr(callee) else { return None };
        let Expr::Call { callee: locks, .. } = facts.expr(*object) else { return None };
        let Expr::Member { object: lock, name: locks } = facts.expr(*locks) else { return None };
        let is_taken = matches!(facts.text(*name), "expect" | "unwrap" | "unwrap_or_else")
            && matches!(
                facts.text(*locks),
                "get_mut" | "into_inner" | "lock" | "read" | "try_lock" | "write"
            );
        if !is_taken {
            return None;
        }
        let lock = inference.type_of(file, *lock).ty;
        if !lock.each().iter().any(|ty| is_lock(inference.program, ty)) {
            return None;
        }
        let held = inference.type_of(file, *object);
        held.ty.is_known().then_some(held)
    }

    fn call_of(
        &self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        callee: ExprId,
        function: DefRef,
    ) -> Option<Ty> {
        inference.result_of_trait(file, callee, function)
    }

    /// A pointer says by `deref` what it points to. The methods that any type may derive are the pointer's own.
    fn pointed_at(&self, inference: &mut TypeInference<'_, '_>, ty: &Ty, name: Name) -> Ty {
        match inference.program.text(name) {
            "deref" | "deref_mut" => Ty::Unknown,
            name if DERIVED.contains(&name) => Ty::Unknown,
            _ if implements_deref(inference, ty) => inference.method_result(ty, "deref"),
            _ => Ty::Unknown,
        }
    }

    /// What may be missing is given as an option.
    fn library_method(
        &self,
        inference: &mut TypeInference<'_, '_>,
        receiver: &Ty,
        method: &str,
    ) -> Option<Ty> {
        let program = inference.program;
        let held = match receiver {
            // What it gives is what its function holds.
            Ty::List(_) if method == "find_map" => return Some(Ty::Unknown),
            // What is made once may not have been made yet.
            Ty::Ext(cell, held)
                if matches!(program.text(*cell), "OnceCell" | "OnceLock")
                    && matches!(method, "get" | "get_mut" | "into_inner" | "take") =>
            {
                held.first()?.clone()
            }
            Ty::List(element) if MAY_LACK.contains(&method) => (**element).clone(),
            Ty::Ext(name, args) if matches!(method, "get" | "get_mut" | "remove") => {
                let [_, value] = &args[..] else { return None };
                let is_map = !program.library.is(program.text(*name), LibraryTypeShape::Wrapper);
                is_map.then(|| value.clone())?
            }
            _ => return None,
        };
        Some(Ty::Ext(program.name("Option"), [held].into()))
    }

    /// Returns nothing for derived methods: they have no source.
    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        CallArguments { file, callee, values, .. }: CallArguments<'_>,
    ) -> Option<Ty> {
        if !matches!(name, "clone" | "default" | "to_owned") && !GIVEN_BY_POINTERS.contains(&name) {
            return None;
        }
        let facts = inference.program.facts(file);
        let Expr::Member { object, .. } = facts.expr(callee) else { return Some(Ty::Unknown) };
        let of = inference.type_of(file, *object).ty;
        Some(match (name, of, values) {
            ("default", Ty::Class(def, args), _) => Ty::Inst(def, args),
            ("default", Ty::Param(def, place) | Ty::ParamClass(def, place), _) => {
                Ty::Param(def, place)
            }
            ("clone" | "to_owned", of @ (Ty::Inst(..) | Ty::Param(..)), _) => of,
            (_, of @ Ty::Inst(..), []) if GIVEN_BY_POINTERS.contains(&name) => of,
            // `Arc::clone(&value)`
            ("clone" | "as_ref" | "as_mut", _, [value]) if facts.names_type(*object) => {
                inference.type_of(file, *value).ty
            }
            _ => Ty::Unknown,
        })
    }
}

/// Whether the `deref` of a type is that of the trait, which the compiler calls, and no method that only has its name.
fn implements_deref(inference: &mut TypeInference<'_, '_>, ty: &Ty) -> bool {
    let name = inference.program.name("deref");
    let program = inference.program;
    inference.member(ty, name).iter().any(|found| {
        let NameReferent::Def(deref, _) = found else { return false };
        let facts = program.facts(deref.file);
        let block = program.def(*deref).parent.map(|parent| facts.def(parent));
        let traits = block.into_iter().flat_map(|block| &block.supers);
        traits.into_iter().any(|(_, ty)| match facts.ty(*ty) {
            TypeExpr::Named { path, .. } => {
                path.last().is_some_and(|last| facts.text(*last) == "Deref")
            }
            _ => false,
        })
    })
}

/// Whether a type is a lock of the standard library, or a pointer to one.
fn is_lock(program: &ProgramFacts<'_>, ty: &Ty) -> bool {
    let Ty::Ext(name, held) = ty else { return false };
    let name = program.text(*name);
    matches!(name, "Mutex" | "RwLock")
        || program.library.is(name, LibraryTypeShape::Transparent)
            && held.first().is_some_and(|inner| is_lock(program, inner))
}

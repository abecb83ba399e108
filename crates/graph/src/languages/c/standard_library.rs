//! The types and functions of C++'s standard library, and of libraries that resemble it, by `library.table`. The table is not
//! one with those of other languages, since its names are common words.

use std::{rc::Rc, sync::LazyLock};

use crate::{
    facts::{DefKind, Expr, ExprId, ScopeId, Sym},
    languages::Language,
    resolve::{
        inference_results::Ty,
        library_api_table::{
            LibraryApiTable, LibraryFunctionResult, LibraryTypeShape, SequenceMethodResult,
            WrapperMethodResult,
        },
        program_facts::{FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

static LIBRARY: LazyLock<LibraryApiTable> = LazyLock::new(|| {
    let mut library = LibraryApiTable::default();
    library.add(include_str!("library.table"));
    library
});

/// Returns what a type stands for: smart pointers and iterators count as what they point to.
pub(super) fn type_of(name: &str, args: &[Ty]) -> Option<Ty> {
    let first = args.first()?;
    match LIBRARY.types.get(name)? {
        LibraryTypeShape::Transparent => Some(first.clone()),
        LibraryTypeShape::Row => Some(Ty::List(Rc::new(first.clone()))),
        LibraryTypeShape::Tuple => Some(Ty::Tuple(args.into())),
        _ => None,
    }
}

/// Returns the type of a variable of a template without arguments that is made of `given`: `std::pair p(a, b)`.
pub(super) fn made_of(name: &str, given: &[Ty]) -> Option<Ty> {
    let first = given.first()?;
    match (LIBRARY.types.get(name)?, given) {
        (LibraryTypeShape::Transparent, [held]) => Some(held.clone()),
        (LibraryTypeShape::Row, [Ty::List(_)]) | (LibraryTypeShape::Tuple, [Ty::Tuple(_)]) => {
            Some(first.clone())
        }
        (LibraryTypeShape::Row, all) if all.iter().all(|ty| ty == first) => {
            Some(Ty::List(Rc::new(first.clone())))
        }
        (LibraryTypeShape::Tuple, [_, _, ..]) => Some(Ty::Tuple(given.into())),
        _ => None,
    }
}

/// Returns the result of a method of a container.
pub(super) fn method_result(
    inference: &mut TypeInference<'_, '_>,
    receiver: &Ty,
    method: &str,
) -> Ty {
    let element = inference.element_of(receiver);
    match (LIBRARY.rows.get(method), method) {
        (Some(SequenceMethodResult::Element), _) => element,
        (_, "at") => inference.index_of(receiver),
        (_, "insert" | "emplace" | "try_emplace" | "insert_or_assign") => match receiver {
            Ty::Ext(..) => Ty::Tuple([element, Ty::Unknown].into()),
            _ => element,
        },
        _ => Ty::Unknown,
    }
}

/// Whether a method of a smart pointer returns the value that it holds.
pub(super) fn unwraps(method: &str) -> bool {
    LIBRARY.wrappers.get(method) == Some(&WrapperMethodResult::Value)
}

/// Returns the result of a function that is called with type arguments.
pub(super) fn function_result(name: &str, types: &[Ty], argument: impl FnOnce() -> Ty) -> Ty {
    match LIBRARY.functions.get(name) {
        Some(LibraryFunctionResult::TypeArgument) => types.first().cloned().unwrap_or(Ty::Unknown),
        Some(LibraryFunctionResult::Same) => argument(),
        // `std::unique_ptr<T>(…)`
        _ => type_of(name, types).unwrap_or(Ty::Unknown),
    }
}

/// Whether a nested type of a container is its element type or an iterator.
pub(crate) fn is_iterated(name: &str) -> bool {
    matches!(
        name,
        "iterator"
            | "const_iterator"
            | "reverse_iterator"
            | "const_reverse_iterator"
            | "value_type"
            | "reference"
            | "const_reference"
    )
}
impl TypeInference<'_, '_> {
    /// Returns the type of `p.get()` for a smart pointer `p`, which has the type of its value.
    pub(crate) fn held_by_pointer(&mut self, file: FileId, callee: ExprId) -> Option<Ty> {
        let Expr::Member { object, name } = *self.program.facts(file).expr(callee) else {
            return None;
        };
        let is_cpp = self.program.facts(file).language == Language::Cpp;
        (is_cpp && unwraps(self.program.facts(file).text(name)))
            .then(|| self.type_of(file, object).ty)
    }

    /// Returns what `Nodes::iterator` points to, where `Nodes` is another name for a container.
    pub(crate) fn iterated(
        &mut self,
        file: FileId,
        path: &[Sym],
        scope: ScopeId,
        pos: u32,
    ) -> Option<Ty> {
        let (last, above) = path.split_last().filter(|(_, above)| !above.is_empty())?;
        let name = self.program.name_of(file, *last);
        if !is_iterated(self.program.text(name)) {
            return None;
        }
        let alias =
            self.type_path(file, above, scope, pos).into_iter().find_map(
                |referent| match referent {
                    NameReferent::Def(at, _) if self.program.def(at).kind == DefKind::Alias => {
                        Some(at)
                    }
                    _ => None,
                },
            )?;
        let container = self.eval_type(alias.file, self.program.def(alias).ty);
        Some(self.pointed_to(&container, name)).filter(Ty::is_known)
    }

    /// Returns what `name` inside a container's type is, where it says what the container holds.
    pub(crate) fn pointed_to(&mut self, container: &Ty, name: Name) -> Ty {
        match container {
            Ty::List(_) | Ty::Ext(..) if is_iterated(self.program.text(name)) => {
                self.element_of(container)
            }
            _ => Ty::Unknown,
        }
    }
}

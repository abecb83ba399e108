//! The types and functions of C++'s standard library, and of libraries that resemble it, by `library.table`. The table is not
//! one with those of other languages, since its names are common words.

use std::{rc::Rc, sync::LazyLock};

use crate::resolve::{
    library_table::{
        FunctionShape, LibraryTable, LibraryTypeShape, SequenceMethodResult, WrapperMethodResult,
    },
    type_inference::TypeInference,
    types::Ty,
};

static LIBRARY: LazyLock<LibraryTable> = LazyLock::new(|| {
    let mut library = LibraryTable::default();
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
        Some(FunctionShape::TypeArgument) => types.first().cloned().unwrap_or(Ty::Unknown),
        Some(FunctionShape::Same) => argument(),
        // `std::unique_ptr<T>(…)`
        _ => type_of(name, types).unwrap_or(Ty::Unknown),
    }
}

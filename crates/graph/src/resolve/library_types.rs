//! What is known of types and functions from outside the repository: only their shape — which ones hold elements, wrap
//! a value, or hand an element to a function — never their definitions.

use std::rc::Rc;

use crate::{
    facts::{Flags, UNLABELLED},
    resolve::{
        program::{DefRef, Name, Program},
        types::Ty,
    },
};

pub(crate) const ITERATORS: &[&str] = &["__iter__", "__aiter__", "into_iter", "iterator", "begin"];
pub(crate) const NEXT: &[&str] = &["__next__", "__anext__", "next"];
pub(crate) const SUBSCRIPTS: &[&str] = &["__getitem__", "get", "operator[]", "index", "this[]"];
pub(crate) const CONSTRUCTORS: &[&str] = &["constructor", "__init__"];
pub(crate) const ENTER: &[&str] = &["__enter__", "__aenter__"];
pub(crate) const CALLABLE: &[&str] = &["__call__", "invoke", "operator()", "call", "__invoke"];
/// Types that stand for their first argument.
const TRANSPARENT: &[&str] = &[
    "Annotated",
    "Arc",
    "AsyncIO",
    "Box",
    "ClassVar",
    "Cow",
    "Final",
    "MutexGuard",
    "NonNullable",
    "Omit",
    "Partial",
    "Pick",
    "Pin",
    "Rc",
    "ReadOnly",
    "Readonly",
    "Ref",
    "RefMut",
    "Required",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Lazy",
    "LazyLock",
    "ManuallyDrop",
    "ReadonlyDeep",
    "Mutable",
];
/// Types that hold elements in a row.
const ROWS: &[&str] = &[
    "Array",
    "ArrayDeque",
    "ArrayList",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "BTreeSet",
    "BinaryHeap",
    "Collection",
    "Deque",
    "FrozenSet",
    "Generator",
    "HashSet",
    "ImmutableList",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "LinkedHashSet",
    "LinkedList",
    "List",
    "MutableCollection",
    "MutableIterable",
    "MutableList",
    "MutableSequence",
    "MutableSet",
    "NonNull",
    "PriorityQueue",
    "Queue",
    "ReadonlyArray",
    "ReadonlySet",
    "Sequence",
    "Seq",
    "Set",
    "SmallVec",
    "Stream",
    "TreeSet",
    "Vec",
    "VecDeque",
    "Vector",
    "deque",
    "frozenset",
    "list",
    "set",
    "vector",
];
/// Types that hold one value that has to be taken out.
pub(super) const WRAPPERS: &[&str] = &[
    "Option",
    "Optional",
    "Result",
    "LockResult",
    "Poll",
    "Weak",
    "Cell",
    "RefCell",
    "Mutex",
    "RwLock",
];
pub(super) const AWAITABLE: &[&str] = &[
    "Awaitable",
    "CompletableFuture",
    "Coroutine",
    "Deferred",
    "Future",
    "Promise",
    "PromiseLike",
    "Task",
    "ValueTask",
];

pub(crate) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

/// The type arguments that say what a type holds: how keys of a map are hashed or ordered does not.
pub(crate) fn content_types(name: &str, mut args: Vec<Ty>) -> Vec<Ty> {
    if name.ends_with("Map") || name.ends_with("map") {
        args.truncate(2);
    }
    args
}

/// A type that neither the repository defines nor its language's rules know.
pub(crate) fn external_type(program: &Program<'_>, name: &str, args: Vec<Ty>) -> Ty {
    match (name, args.len()) {
        (name, 1..) if TRANSPARENT.contains(&name) => {
            args.into_iter().next().unwrap_or(Ty::Unknown)
        }
        (name, 1..) if ROWS.contains(&name) => {
            Ty::List(Rc::new(args.into_iter().next().unwrap_or(Ty::Unknown)))
        }
        ("NonNullable" | "Awaited", 1) => args.into_iter().next().unwrap_or(Ty::Unknown),
        _ => Ty::Ext(program.intern(name), args.into()),
    }
}

/// What awaiting a value gives.
pub(crate) fn awaited(program: &Program<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if AWAITABLE.contains(&program.text(*name)) => {
            args.last().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// What is inside an optional, a result or a wrapper.
pub(crate) fn unwrapped(program: &Program<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if WRAPPERS.contains(&program.text(*name)) => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// What is inside an optional.
pub(crate) fn unwrapped_optional(program: &Program<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if program.text(*name) == "Optional" => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// A value of the type that all errors have in Swift.
pub(super) fn thrown(program: &Program<'_>) -> Ty {
    Ty::Ext(program.name("Error"), Rc::from([]))
}

/// Outside types of plain values: none of them is another, or can be called.
pub(crate) fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "Bool"
            | "Character"
            | "Data"
            | "Date"
            | "Dictionary"
            | "Double"
            | "Float"
            | "Int"
            | "String"
            | "URL"
            | "URLRequest"
            | "UUID"
    )
}

/// What a property of an outside type holds.
pub(crate) fn property(program: &Program<'_>, receiver: &Ty, name: Name) -> Ty {
    match (receiver, program.text(name)) {
        (Ty::List(inner), "first" | "last") => (**inner).clone(),
        (Ty::List(_), "lazy") => receiver.clone(),
        // An entry of a map, a pair.
        (Ty::Tuple(items), "Key" | "key" | "first") => {
            items.first().cloned().unwrap_or(Ty::Unknown)
        }
        (Ty::Tuple(items), "Value" | "value" | "second") => {
            items.get(1).cloned().unwrap_or(Ty::Unknown)
        }
        (Ty::Ext(_, args), "values") if args.len() == 2 => Ty::List(Rc::new(args[1].clone())),
        (Ty::Ext(_, args), "keys") if args.len() == 2 => Ty::List(Rc::new(args[0].clone())),
        (Ty::Ext(outside, args), "start" | "end")
            if program.text(*outside).starts_with("Range") && args.len() == 1 =>
        {
            args[0].clone()
        }
        (Ty::Ext(outside, args), "success" | "failure") if program.text(*outside) == "Result" => {
            let place = usize::from(program.text(name) == "failure");
            args.get(place).map_or(Ty::Unknown, |ty| Ty::Tuple([ty.clone()].into()))
        }
        _ => Ty::Unknown,
    }
}

/// What a method of an outside container takes under a label.
pub(crate) fn taken(program: &Program<'_>, receiver: &Ty, name: Name, label: &str) -> Ty {
    match (receiver, program.text(name), label) {
        (Ty::List(_), _, "contentsOf") => receiver.clone(),
        (
            Ty::List(inner),
            "append" | "insert" | "contains" | "firstIndex" | "lastIndex" | "remove",
            UNLABELLED | "of",
        ) => (**inner).clone(),
        _ => Ty::Unknown,
    }
}

/// One element of an outside container.
pub(crate) fn element(program: &Program<'_>, ty: &Ty, args: &Rc<[Ty]>) -> Ty {
    let Ty::Ext(name, _) = ty else { return Ty::Unknown };
    let name = program.text(*name);
    match args.len() {
        1 => args[0].clone(),
        2 if name.contains("Map") || name.ends_with("map") || name.contains("Dictionary") => {
            Ty::Tuple(args.clone())
        }
        2 => args[0].clone(),
        _ => Ty::Unknown,
    }
}

/// What calling a function of the repository gives, where its declared result isn't that itself.
pub(crate) fn called(program: &Program<'_>, at: DefRef, ty: Ty) -> Ty {
    let _ = (program.def(at).flags.has(Flags::ASYNC), at);
    ty
}

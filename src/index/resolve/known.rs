//! What is known of types and functions from outside the repository: only their shape — which ones hold elements, wrap
//! a value, or hand an element to a function — never their definitions.

use std::rc::Rc;

use super::{
    calls::Arguments,
    cpp,
    session::Session,
    types::Ty,
    world::{DefRef, FileId, Name, World},
};
use crate::index::{
    facts::{Expr, ExprId, Flags},
    languages::Family,
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
const WRAPPERS: &[&str] = &[
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
const AWAITABLE: &[&str] = &[
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

/// Collections of .NET that the other lists don't have.
fn is_dotnet_row(name: &str) -> bool {
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

/// A type that the repository doesn't define.
pub(crate) fn external_type(
    family: Family,
    name: &str,
    args: Vec<Ty>,
    number: impl Fn(&str) -> Name,
) -> Ty {
    let mut args = args;
    if name.ends_with("Map") || name.ends_with("map") {
        // How keys are hashed or ordered says nothing of what is held.
        args.truncate(2);
    }
    if family == Family::C {
        return cpp::shaped(name, &args).unwrap_or_else(|| Ty::Ext(number(name), args.into()));
    }
    match (name, args.len()) {
        (name, 1..) if TRANSPARENT.contains(&name) => {
            args.into_iter().next().unwrap_or(Ty::Unknown)
        }
        (name, 1..) if ROWS.contains(&name) => {
            Ty::List(Rc::new(args.into_iter().next().unwrap_or(Ty::Unknown)))
        }
        ("Nullable", 1) if family == Family::CSharp => {
            args.into_iter().next().unwrap_or(Ty::Unknown)
        }
        (name, 1) if family == Family::CSharp && is_dotnet_row(name) => {
            Ty::List(Rc::new(args.into_iter().next().unwrap_or(Ty::Unknown)))
        }
        ("Optional" | "Union", _) if family == Family::Python => Ty::union(args),
        ("Type" | "type", 1) if family == Family::Python => super::session::class_of(&args[0]),
        ("tuple" | "Tuple", _) if family == Family::Python => match args.as_slice() {
            [one] => Ty::List(Rc::new(one.clone())),
            _ => Ty::Tuple(args.into()),
        },
        ("NonNullable" | "Awaited", 1) => args.into_iter().next().unwrap_or(Ty::Unknown),
        _ => Ty::Ext(number(name), args.into()),
    }
}

/// What awaiting a value gives.
pub(crate) fn awaited(world: &World<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if AWAITABLE.contains(&world.text(*name)) => {
            args.last().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// What is inside an optional, a result or a wrapper.
pub(crate) fn unwrapped(world: &World<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if WRAPPERS.contains(&world.text(*name)) => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// What is inside an optional.
pub(crate) fn unwrapped_optional(world: &World<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if world.text(*name) == "Optional" => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// A value of the type that all errors have in Swift.
fn thrown(world: &World<'_>) -> Ty {
    Ty::Ext(world.name("Error"), Rc::from([]))
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
pub(crate) fn property(world: &World<'_>, receiver: &Ty, name: Name) -> Ty {
    match (receiver, world.text(name)) {
        (Ty::List(inner), "first" | "last") => (**inner).clone(),
        (Ty::Tuple(items), "first") => items.first().cloned().unwrap_or(Ty::Unknown),
        (Ty::Tuple(items), "second") => items.get(1).cloned().unwrap_or(Ty::Unknown),
        (Ty::List(_), "lazy") => receiver.clone(),
        (Ty::Ext(_, args), "values") if args.len() == 2 => Ty::List(Rc::new(args[1].clone())),
        (Ty::Ext(_, args), "keys") if args.len() == 2 => Ty::List(Rc::new(args[0].clone())),
        (Ty::Ext(outside, args), "start" | "end")
            if world.text(*outside).starts_with("Range") && args.len() == 1 =>
        {
            args[0].clone()
        }
        (Ty::Ext(outside, args), "success" | "failure") if world.text(*outside) == "Result" => {
            let place = usize::from(world.text(name) == "failure");
            args.get(place).map_or(Ty::Unknown, |ty| Ty::Tuple([ty.clone()].into()))
        }
        _ => Ty::Unknown,
    }
}

/// One element of an outside container.
pub(crate) fn element(world: &World<'_>, ty: &Ty, args: &Rc<[Ty]>) -> Ty {
    let Ty::Ext(name, _) = ty else { return Ty::Unknown };
    let name = world.text(*name);
    match args.len() {
        1 => args[0].clone(),
        2 if name.contains("Map") || name.ends_with("map") || name == "Dictionary" => {
            Ty::Tuple(args.clone())
        }
        2 => args[0].clone(),
        _ => Ty::Unknown,
    }
}

/// What calling a function of the repository gives, where its declared result isn't that itself.
pub(crate) fn called(world: &World<'_>, at: DefRef, ty: Ty) -> Ty {
    let _ = (world.def(at).flags.has(Flags::ASYNC), at);
    ty
}

/// What a method of an outside type gives.
pub(crate) fn method_result(
    session: &mut Session<'_, '_>,
    receiver: &Ty,
    name: Name,
    arguments: Arguments<'_>,
) -> Ty {
    let text = session.world.text(name);
    if session.world.family(arguments.file) == Family::C {
        return cpp::method_result(session, receiver, text);
    }
    let first = |session: &mut Session<'_, '_>| {
        let function =
            arguments.values.first().map(|value| session.type_of(arguments.file, *value).ty);
        function.map_or(Ty::Unknown, |function| {
            session.call_value(&function, Arguments { values: &[], ..arguments })
        })
    };
    match receiver {
        Ty::List(inner) => match text {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "splice" | "toSorted"
            | "toReversed" | "copy" | "iter" | "iter_mut" | "into_iter" | "cloned" | "copied"
            | "rev" | "skip" | "take" | "chain" | "values" | "collect" | "to_vec" | "clone"
            | "as_slice" | "as_ref" | "as_mut" | "drain" | "stream" | "toList" | "sorted"
            | "distinct" | "limit" | "asSequence" | "sortedBy" | "filterNot" | "filterNotNull"
            | "dropFirst" | "dropLast" | "prefix" | "suffix" | "shuffled" | "drop" | "reversed"
            | "toMutableList" | "toTypedArray" | "peekable" | "by_ref" | "skip_while"
            | "take_while" | "step_by" | "union" | "difference" | "intersection" => {
                receiver.clone()
            }
            "Where" | "OrderBy" | "OrderByDescending" | "ThenBy" | "ThenByDescending" | "Skip"
            | "Take" | "TakeWhile" | "SkipWhile" | "Distinct" | "DistinctBy" | "Concat"
            | "Union" | "Except" | "Intersect" | "Reverse" | "ToList" | "ToArray" | "ToHashSet"
            | "AsEnumerable" | "AsReadOnly" | "Append" | "Prepend" | "AsSpan"
            | "ToImmutableArray" | "ToImmutableList" | "FindAll" => receiver.clone(),
            "First" | "FirstOrDefault" | "Single" | "SingleOrDefault" | "Last"
            | "LastOrDefault" | "ElementAt" | "ElementAtOrDefault" | "MinBy" | "MaxBy"
            | "Dequeue" | "Pop" | "Peek" | "Find" | "FindLast" => (**inner).clone(),
            "Select" => Ty::List(Rc::new(first(session))),
            "select" | "reject" | "compact" | "uniq" | "sort_by" | "each" | "shuffle" | "to_a"
            | "find_all" => receiver.clone(),
            "detect" | "sample" => (**inner).clone(),
            "SelectMany" => {
                let result = first(session);
                let inner = session.elem_of(&result);
                Ty::List(Rc::new(inner))
            }
            "find" | "at" | "pop" | "shift" | "findLast" | "get" | "first" | "last" | "next"
            | "popleft" | "remove" | "getFirst" | "getLast" | "firstOrNull" | "lastOrNull"
            | "find_map" | "pop_front" | "pop_back" | "front" | "back" | "nth" | "min_by_key"
            | "max_by_key" | "get_mut" | "first_mut" | "last_mut" | "poll" | "peek" | "single"
            | "singleOrNull" | "take_first" | "removeFirst" | "removeLast" | "orElse"
            | "findFirst" | "front_mut" | "back_mut" | "peek_mut" | "element" => (**inner).clone(),
            "map" | "mapNotNull" => Ty::List(Rc::new(first(session))),
            "compactMap" => {
                let result = first(session);
                Ty::List(Rc::new(unwrapped_optional(session.world, &result)))
            }
            "flatMap" | "flat_map" => {
                let result = first(session);
                let inner = session.elem_of(&result);
                Ty::List(Rc::new(inner))
            }
            "zip" => {
                let other = arguments.values.first();
                let other = other.map(|value| session.type_of(arguments.file, *value).ty);
                let other = other.map_or(Ty::Unknown, |other| session.elem_of(&other));
                Ty::List(Rc::new(Ty::Tuple([(**inner).clone(), other].into())))
            }
            "entries" | "enumerate" | "enumerated" | "withIndex" => {
                Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, (**inner).clone()].into())))
            }
            "reduce" | "fold" => arguments.values.get(1).map_or_else(
                || (**inner).clone(),
                |start| session.type_of(arguments.file, *start).ty,
            ),
            _ => Ty::Unknown,
        },
        Ty::Ext(outside, args) => {
            let outside = session.world.text(*outside);
            match (outside, args.len(), text) {
                (outside, 1.., "ConfigureAwait" | "AsTask") if AWAITABLE.contains(&outside) => {
                    receiver.clone()
                }
                (outside, 1.., "then") if AWAITABLE.contains(&outside) => first(session),
                (outside, 1.., "catch" | "finally") if AWAITABLE.contains(&outside) => {
                    receiver.clone()
                }
                (outside, 1.., "map") if WRAPPERS.contains(&outside) => {
                    let mut inner = args.to_vec();
                    inner[0] = first(session);
                    if inner[0].is_known() {
                        Ty::Ext(session.world.name(outside), inner.into())
                    } else {
                        Ty::Unknown
                    }
                }
                (outside, 1.., "and_then" | "flatMap") if WRAPPERS.contains(&outside) => {
                    first(session)
                }
                (outside, 1.., "map_or" | "map_or_else") if WRAPPERS.contains(&outside) => {
                    let function = arguments
                        .values
                        .get(1)
                        .map(|value| session.type_of(arguments.file, *value).ty);
                    function.map_or(Ty::Unknown, |function| {
                        session.call_value(&function, Arguments { values: &[], ..arguments })
                    })
                }
                (outside, 1.., _) if WRAPPERS.contains(&outside) => {
                    wrapper_method(receiver, args, text)
                }
                (
                    _,
                    2,
                    "get" | "pop" | "setdefault" | "computeIfAbsent" | "getOrPut" | "remove"
                    | "getOrDefault" | "get_mut" | "put" | "getValue" | "or_insert_with"
                    | "or_default",
                ) => args[1].clone(),
                (_, 2, "GetOrAdd" | "GetValueOrDefault") => args[1].clone(),
                (_, 2, "values" | "values_mut" | "into_values") => {
                    Ty::List(Rc::new(args[1].clone()))
                }
                (_, 2, "keys" | "keySet" | "into_keys") => Ty::List(Rc::new(args[0].clone())),
                (_, 2, "items" | "entries" | "entrySet" | "iter" | "iter_mut" | "into_iter") => {
                    Ty::List(Rc::new(Ty::Tuple(args.clone())))
                }
                (
                    _,
                    _,
                    "clone" | "copy" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "entry",
                ) => receiver.clone(),
                _ => Ty::Unknown,
            }
        }
        _ => Ty::Unknown,
    }
}

fn wrapper_method(receiver: &Ty, args: &Rc<[Ty]>, method: &str) -> Ty {
    match method {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" | "unwrap_or_else" | "get"
        | "orElse" | "orElseThrow" | "lock" | "read" | "write" | "borrow" | "borrow_mut"
        | "take_inner" | "into_inner" | "get_mut" | "orElseGet" | "insert"
        | "get_or_insert_with" | "unwrap_unchecked" | "try_lock" => args[0].clone(),
        "as_ref" | "as_mut" | "take" | "ok" | "clone" | "cloned" | "copied" | "as_deref"
        | "as_deref_mut" | "filter" | "or" | "or_else" | "map_err" | "ok_or" | "ok_or_else"
        | "upgrade" | "replace" | "inspect" | "mapError" => receiver.clone(),
        "iter" | "iter_mut" | "into_iter" => Ty::List(Rc::new(args[0].clone())),
        _ => Ty::Unknown,
    }
}

/// What an outside function gives, where that follows from its arguments.
pub(crate) fn function_result(
    session: &mut Session<'_, '_>,
    file: FileId,
    callee: ExprId,
    arguments: Arguments<'_>,
) -> Ty {
    let facts = session.world.facts(file);
    let name = match facts.expr(callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => facts.text(*name),
        _ => return Ty::Unknown,
    };
    let argument = |session: &mut Session<'_, '_>, place: usize| {
        arguments.values.get(place).map_or(Ty::Unknown, |value| session.type_of(file, *value).ty)
    };
    if session.world.family(file) == Family::C {
        let types: Vec<Ty> =
            arguments.types.iter().map(|ty| session.eval_type(file, *ty)).collect();
        return cpp::function_result(name, &types, || argument(session, 0));
    }
    match name {
        "let" | "run" | "with" => {
            let function = arguments.values.last().map(|value| session.type_of(file, *value).ty);
            let nothing = Arguments { values: &[], ..arguments };
            function.map_or(Ty::Unknown, |function| session.call_value(&function, nothing))
        }
        "apply" | "also" | "takeIf" | "takeUnless" | "requireNotNull" | "checkNotNull" => {
            match facts.expr(callee) {
                Expr::Member { object, .. } => session.type_of(file, *object).ty,
                // `fun with(x: X) = apply { … }` gives back what it was called on.
                Expr::Name { scope, .. }
                    if matches!(name, "apply" | "also")
                        && session.world.family(file) == Family::Jvm =>
                {
                    session.this_type(file, *scope)
                }
                _ => argument(session, 0),
            }
        }
        "listOf" | "mutableListOf" | "setOf" | "arrayOf" | "asList" => {
            Ty::List(Rc::new(argument(session, 0)))
        }
        "list" | "sorted" | "set" | "tuple" | "frozenset" | "reversed" | "iter" | "from" | "of"
        | "fromEntries" => {
            let inner = argument(session, 0);
            Ty::List(Rc::new(session.elem_of(&inner)))
        }
        "next" | "min" | "max" | "random" => {
            let inner = argument(session, 0);
            session.elem_of(&inner)
        }
        "enumerate" => {
            let inner = argument(session, 0);
            let inner = session.elem_of(&inner);
            Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, inner].into())))
        }
        "zip" => {
            let mut items = Vec::new();
            for place in 0..arguments.values.len().min(6) {
                let inner = argument(session, place);
                items.push(session.elem_of(&inner));
            }
            Ty::List(Rc::new(Ty::Tuple(items.into())))
        }
        "filter" => {
            let inner = argument(session, 1);
            Ty::List(Rc::new(session.elem_of(&inner)))
        }
        // What is derived has no code of its own.
        "clone" | "to_owned" | "default" if session.world.family(file) == Family::Rust => {
            let Expr::Member { object, .. } = facts.expr(callee) else { return Ty::Unknown };
            match session.type_of(file, *object).ty {
                Ty::Class(def, args) if name == "default" => Ty::Inst(def, args),
                Ty::Inst(def, args) if name != "default" => Ty::Inst(def, args),
                _ => Ty::Unknown,
            }
        }
        "copy" | "deepcopy" | "freeze" | "assign" | "cloneDeep" | "structuredClone" | "seal"
        | "cast" => argument(session, 0),
        "values" => match argument(session, 0) {
            Ty::Ext(_, args) if args.len() == 2 => Ty::List(Rc::new(args[1].clone())),
            _ => Ty::Unknown,
        },
        "type" => super::session::class_of(&argument(session, 0)),
        // Wrappers of a function give a function like it; makers of a value give the value.
        "useCallback" | "memo" | "debounce" | "throttle" | "forwardRef" | "memoize" | "wraps" => {
            argument(session, 0)
        }
        "useMemo" | "useState" => {
            let inner = argument(session, 0);
            let value = session.call_value(&inner, Arguments { values: &[], ..arguments });
            if name == "useState" { Ty::Tuple([value].into()) } else { value }
        }
        _ => Ty::Unknown,
    }
}

/// What a function handed to a method of an outside type gets as its parameter `place`.
pub(crate) fn lambda_param(
    session: &mut Session<'_, '_>,
    receiver: &Ty,
    name: Name,
    argument: u16,
    place: u16,
) -> Ty {
    let text = session.world.text(name);
    match receiver {
        Ty::List(inner) if argument == 0 || text == "fold" => match text {
            "map" | "compactMap" | "allSatisfy" | "contains" | "firstIndex" | "removeAll"
            | "filter" | "find" | "forEach" | "foreach" | "exists" | "forall" | "some"
            | "every" | "flatMap" | "findIndex" | "findLast" | "any" | "all" | "for_each"
            | "filter_map" | "flat_map" | "position" | "retain" | "sort_by_key" | "max_by_key"
            | "min_by_key" | "find_map" | "none" | "first" | "firstOrNull" | "last"
            | "lastOrNull" | "associateBy" | "associateWith" | "associate" | "groupBy"
            | "sumOf" | "count" | "mapNotNull" | "filterNot" | "sortedBy" | "removeIf"
            | "anyMatch" | "allMatch" | "noneMatch" | "takeWhile" | "dropWhile" | "partition"
            | "inspect" | "take_while" | "skip_while" | "onEach" | "findLastIndex"
            | "forEachIndexed" | "indexOfFirst"
                if place == 0 =>
            {
                (**inner).clone()
            }
            "each" | "select" | "reject" | "detect" | "collect" | "each_with_index" | "sort_by"
            | "group_by" | "find_all" | "sum" | "min_by" | "max_by" | "each_with_object"
            | "any?" | "all?" | "none?" | "map!" | "select!" | "reject!" | "partition"
            | "index_by" | "sort_by!" | "each_slice" | "find_index" | "one?" | "to_h" | "tap"
                if place == 0 =>
            {
                (**inner).clone()
            }
            "Select" | "SelectMany" | "Where" | "Any" | "All" | "First" | "FirstOrDefault"
            | "Single" | "SingleOrDefault" | "Last" | "LastOrDefault" | "OrderBy"
            | "OrderByDescending" | "ThenBy" | "GroupBy" | "ToDictionary" | "ToLookup"
            | "Count" | "Sum" | "Min" | "Max" | "ForEach" | "Find" | "FindAll" | "Exists"
            | "RemoveAll" | "TakeWhile" | "SkipWhile" | "DistinctBy" | "MinBy" | "MaxBy"
                if place == 0 =>
            {
                (**inner).clone()
            }
            "sort" | "sorted" | "sort_by" | "toSorted" | "sortWith" => (**inner).clone(),
            "reduce" | "fold" | "reduceRight" if place == 1 => (**inner).clone(),
            _ => Ty::Unknown,
        },
        Ty::Ext(outside, args) => {
            let outside = session.world.text(*outside);
            match (text, args.len()) {
                ("then" | "done", 1..)
                    if place == 0 && argument == 0 && AWAITABLE.contains(&outside) =>
                {
                    args[0].clone()
                }
                (
                    "map" | "and_then" | "is_some_and" | "filter" | "inspect" | "ifPresent"
                    | "flatMap" | "map_or" | "map_or_else" | "is_ok_and" | "is_none_or",
                    1..,
                ) if place == 0 && WRAPPERS.contains(&outside) => args[0].clone(),
                ("mapError", _) if place == 0 && outside == "Result" => {
                    args.get(1).cloned().unwrap_or_else(|| thrown(session.world))
                }
                ("forEach", 2) => {
                    args.get(usize::from(1 - place.min(1))).cloned().unwrap_or(Ty::Unknown)
                }
                ("forEach", 1) if place == 0 => args[0].clone(),
                _ => Ty::Unknown,
            }
        }
        _ => Ty::Unknown,
    }
}

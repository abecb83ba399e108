//! What is known of calls of outside functions and methods: what they give, and what the functions that are handed to
//! them get.

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId},
    resolve::{
        entities::Arguments,
        evaluator::Evaluator,
        library_types::{AWAITABLE, WRAPPERS, thrown, unwrapped_optional},
        program::{FileId, Name},
        types::Ty,
    },
};

/// What a method of an outside type gives.
pub(crate) fn method_result(
    evaluator: &mut Evaluator<'_, '_>,
    receiver: &Ty,
    name: Name,
    arguments: Arguments<'_>,
) -> Ty {
    let text = evaluator.program.text(name);
    let rules = evaluator.rules(arguments.file);
    if let Some(ty) = rules.library_method(evaluator, receiver, text) {
        return ty;
    }
    let first = |evaluator: &mut Evaluator<'_, '_>| {
        let function =
            arguments.values.first().map(|value| evaluator.type_of(arguments.file, *value).ty);
        function.map_or(Ty::Unknown, |function| {
            evaluator.call_value(&function, Arguments { values: &[], ..arguments })
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
            "Select" => Ty::List(Rc::new(first(evaluator))),
            "select" | "reject" | "compact" | "uniq" | "sort_by" | "each" | "shuffle" | "to_a"
            | "find_all" => receiver.clone(),
            "detect" | "sample" => (**inner).clone(),
            "SelectMany" => {
                let result = first(evaluator);
                let inner = evaluator.element_of(&result);
                Ty::List(Rc::new(inner))
            }
            "find" | "at" | "pop" | "shift" | "findLast" | "get" | "first" | "last" | "next"
            | "popleft" | "remove" | "getFirst" | "getLast" | "firstOrNull" | "lastOrNull"
            | "find_map" | "pop_front" | "pop_back" | "front" | "back" | "nth" | "min_by_key"
            | "max_by_key" | "get_mut" | "first_mut" | "last_mut" | "poll" | "peek" | "single"
            | "singleOrNull" | "take_first" | "removeFirst" | "removeLast" | "orElse"
            | "findFirst" | "front_mut" | "back_mut" | "peek_mut" | "element" => (**inner).clone(),
            "map" | "mapNotNull" | "mapIndexed" | "mapIndexedNotNull" => {
                Ty::List(Rc::new(first(evaluator)))
            }
            "compactMap" => {
                let result = first(evaluator);
                Ty::List(Rc::new(unwrapped_optional(evaluator.program, &result)))
            }
            "flatMap" | "flat_map" => {
                let result = first(evaluator);
                let inner = evaluator.element_of(&result);
                Ty::List(Rc::new(inner))
            }
            "zip" => {
                let other = arguments.values.first();
                let other = other.map(|value| evaluator.type_of(arguments.file, *value).ty);
                let other = other.map_or(Ty::Unknown, |other| evaluator.element_of(&other));
                Ty::List(Rc::new(Ty::Tuple([(**inner).clone(), other].into())))
            }
            "entries" | "enumerate" | "enumerated" | "withIndex" => {
                Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, (**inner).clone()].into())))
            }
            "reduce" | "fold" => arguments.values.get(1).map_or_else(
                || (**inner).clone(),
                |start| evaluator.type_of(arguments.file, *start).ty,
            ),
            _ => Ty::Unknown,
        },
        Ty::Ext(outside, args) => {
            let outside = evaluator.program.text(*outside);
            match (outside, args.len(), text) {
                (outside, 1.., "ConfigureAwait" | "AsTask") if AWAITABLE.contains(&outside) => {
                    receiver.clone()
                }
                (outside, 1.., "then") if AWAITABLE.contains(&outside) => first(evaluator),
                (outside, 1.., "catch" | "finally") if AWAITABLE.contains(&outside) => {
                    receiver.clone()
                }
                (outside, 1.., "map") if WRAPPERS.contains(&outside) => {
                    let mut inner = args.to_vec();
                    inner[0] = first(evaluator);
                    if inner[0].is_known() {
                        Ty::Ext(evaluator.program.name(outside), inner.into())
                    } else {
                        Ty::Unknown
                    }
                }
                (outside, 1.., "and_then" | "flatMap") if WRAPPERS.contains(&outside) => {
                    first(evaluator)
                }
                (outside, 1.., "map_or" | "map_or_else") if WRAPPERS.contains(&outside) => {
                    let function = arguments
                        .values
                        .get(1)
                        .map(|value| evaluator.type_of(arguments.file, *value).ty);
                    function.map_or(Ty::Unknown, |function| {
                        evaluator.call_value(&function, Arguments { values: &[], ..arguments })
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
                ("StringBuilder" | "StringBuffer", _, _) if builds_text(text) => receiver.clone(),
                (_, 0, _) if let Some(name) = number_as(text) => {
                    Ty::Ext(evaluator.program.name(name), Rc::from([]))
                }
                (
                    _,
                    _,
                    "clone" | "copy" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "entry",
                ) => receiver.clone(),
                // Whatever it is, it holds something.
                (_, 1.., "flatMap" | "use") => first(evaluator),
                (_, 1.., "flatTap" | "evalTap" | "onError" | "handleErrorWith") => receiver.clone(),
                (outside, 1.., "map" | "as") if !outside.contains("Map") => {
                    let held = if text == "map" {
                        first(evaluator)
                    } else {
                        let value = arguments.values.first();
                        value.map_or(Ty::Unknown, |value| {
                            evaluator.type_of(arguments.file, *value).ty
                        })
                    };
                    let mut inner = args.to_vec();
                    inner.pop();
                    inner.push(held);
                    Ty::Ext(evaluator.program.name(outside), inner.into())
                }
                _ => Ty::Unknown,
            }
        }
        _ => Ty::Unknown,
    }
}

/// Whether a method of a builder of text gives the builder back.
fn builds_text(method: &str) -> bool {
    let part = |word: &str| method.get(..word.len()).is_some_and(|m| m.eq_ignore_ascii_case(word));
    ["append", "insert", "replace", "remove", "delete", "reverse"].into_iter().any(part)
}

/// The plain type that a number of the JVM is turned into by a method.
fn number_as(method: &str) -> Option<&'static str> {
    let plain = match method {
        "byteValue" => "byte",
        "shortValue" => "short",
        "intValue" => "int",
        "longValue" => "long",
        "floatValue" => "float",
        "doubleValue" => "double",
        _ => return None,
    };
    Some(plain)
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
    evaluator: &mut Evaluator<'_, '_>,
    file: FileId,
    callee: ExprId,
    arguments: Arguments<'_>,
) -> Ty {
    let facts = evaluator.program.facts(file);
    let name = match facts.expr(callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => facts.text(*name),
        _ => return Ty::Unknown,
    };
    let argument = |evaluator: &mut Evaluator<'_, '_>, place: usize| {
        arguments.values.get(place).map_or(Ty::Unknown, |value| evaluator.type_of(file, *value).ty)
    };
    if let Some(ty) = evaluator.rules(file).library_function(evaluator, name, arguments) {
        return ty;
    }
    match name {
        "let" | "run" | "with" => {
            let function = arguments.values.last().map(|value| evaluator.type_of(file, *value).ty);
            let nothing = Arguments { values: &[], ..arguments };
            function.map_or(Ty::Unknown, |function| evaluator.call_value(&function, nothing))
        }
        "apply" | "also" | "takeIf" | "takeUnless" | "requireNotNull" | "checkNotNull" => {
            match facts.expr(callee) {
                Expr::Member { object, .. } => evaluator.type_of(file, *object).ty,
                _ => argument(evaluator, 0),
            }
        }
        "listOf" | "mutableListOf" | "setOf" | "arrayOf" | "asList" => {
            Ty::List(Rc::new(argument(evaluator, 0)))
        }
        "list" | "sorted" | "set" | "tuple" | "frozenset" | "reversed" | "iter" | "from" | "of"
        | "fromEntries" => {
            let inner = argument(evaluator, 0);
            Ty::List(Rc::new(evaluator.element_of(&inner)))
        }
        "next" | "min" | "max" | "random" => {
            let inner = argument(evaluator, 0);
            evaluator.element_of(&inner)
        }
        "enumerate" => {
            let inner = argument(evaluator, 0);
            let inner = evaluator.element_of(&inner);
            Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, inner].into())))
        }
        "zip" => {
            let mut items = Vec::new();
            for place in 0..arguments.values.len().min(6) {
                let inner = argument(evaluator, place);
                items.push(evaluator.element_of(&inner));
            }
            Ty::List(Rc::new(Ty::Tuple(items.into())))
        }
        "filter" => {
            let inner = argument(evaluator, 1);
            Ty::List(Rc::new(evaluator.element_of(&inner)))
        }
        "copy" | "deepcopy" | "freeze" | "assign" | "cloneDeep" | "structuredClone" | "seal"
        | "cast" => argument(evaluator, 0),
        "values" => match argument(evaluator, 0) {
            Ty::Ext(_, args) if args.len() == 2 => Ty::List(Rc::new(args[1].clone())),
            _ => Ty::Unknown,
        },
        "type" => crate::resolve::evaluator::class_of(&argument(evaluator, 0)),
        // Wrappers of a function give a function like it; makers of a value give the value.
        "useCallback" | "memo" | "debounce" | "throttle" | "forwardRef" | "memoize" | "wraps" => {
            argument(evaluator, 0)
        }
        "useMemo" | "useState" => {
            let inner = argument(evaluator, 0);
            let value = evaluator.call_value(&inner, Arguments { values: &[], ..arguments });
            if name == "useState" { Ty::Tuple([value].into()) } else { value }
        }
        _ => Ty::Unknown,
    }
}

/// What a function handed to a method of an outside type gets as its parameter `place`.
pub(crate) fn lambda_param(
    evaluator: &mut Evaluator<'_, '_>,
    receiver: &Ty,
    name: Name,
    argument: u16,
    place: u16,
) -> Ty {
    let text = evaluator.program.text(name);
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
            | "indexOfFirst"
                if place == 0 =>
            {
                (**inner).clone()
            }
            "mapIndexed" | "forEachIndexed" | "filterIndexed" | "mapIndexedNotNull"
                if place == 1 =>
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
            let outside = evaluator.program.text(*outside);
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
                    args.get(1).cloned().unwrap_or_else(|| thrown(evaluator.program))
                }
                ("forEach", 2) => {
                    args.get(usize::from(1 - place.min(1))).cloned().unwrap_or(Ty::Unknown)
                }
                ("forEach", 1) if place == 0 => args[0].clone(),
                (
                    "map" | "flatMap" | "foreach" | "filter" | "exists" | "forall" | "collect"
                    | "flatTap" | "evalMap" | "evalTap" | "use" | "traverse",
                    1..,
                ) if place == 0 && argument == 0 && !outside.contains("Map") => {
                    args[args.len() - 1].clone()
                }
                _ => Ty::Unknown,
            }
        }
        _ => Ty::Unknown,
    }
}

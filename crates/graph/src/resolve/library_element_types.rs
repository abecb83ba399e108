//! The element types of outside types, by the shapes of [`LibraryApiTable`](super::library_api_table::LibraryApiTable).

use std::rc::Rc;

use crate::{
    facts::UNLABELLED,
    resolve::{
        inference_results::Ty,
        library_api_table::LibraryTypeShape,
        program_facts::{Name, ProgramFacts},
    },
};

pub(crate) const ITERATORS: &[&str] = &["__iter__", "__aiter__", "into_iter", "iterator", "begin"];
pub(crate) const NEXT: &[&str] = &["__next__", "__anext__", "next"];
pub(crate) const CONSTRUCTORS: &[&str] = &["constructor", "__init__"];
pub(crate) const ENTER: &[&str] = &["__enter__", "__aenter__"];
pub(crate) const CALLABLE: &[&str] = &["__call__", "invoke", "operator()", "call", "__invoke"];

/// The type arguments that say what a type holds: how keys of a map are hashed or ordered does not.
pub(crate) fn content_types(name: &str, mut args: Vec<Ty>) -> Vec<Ty> {
    if name.ends_with("Map") || name.ends_with("map") {
        args.truncate(2);
    }
    args
}

/// A type that neither the repository defines nor its language's rules know.
pub(crate) fn external_type(program: &ProgramFacts<'_>, name: &str, args: Vec<Ty>) -> Ty {
    match (program.library.types.get(name), args.first()) {
        (Some(LibraryTypeShape::Transparent), Some(first)) => first.clone(),
        (Some(LibraryTypeShape::Row), Some(first)) => Ty::List(Rc::new(first.clone())),
        _ => Ty::Ext(program.intern(name), args.into()),
    }
}

/// Returns the type of an awaited value.
pub(crate) fn awaited(program: &ProgramFacts<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args)
            if program.library.is(program.text(*name), LibraryTypeShape::Awaitable) =>
        {
            args.last().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// Returns what is inside an optional, a result or a wrapper.
pub(crate) fn unwrapped(program: &ProgramFacts<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args)
            if program.library.is(program.text(*name), LibraryTypeShape::Wrapper) =>
        {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// Returns what is inside an optional.
pub(crate) fn unwrapped_optional(program: &ProgramFacts<'_>, ty: &Ty) -> Ty {
    let each = ty.each().iter().map(|ty| match ty {
        Ty::Ext(name, args) if program.text(*name) == "Optional" => {
            args.first().cloned().unwrap_or(Ty::Unknown)
        }
        other => other.clone(),
    });
    Ty::union(each)
}

/// A value of the type that all errors have in Swift.
pub(super) fn thrown(program: &ProgramFacts<'_>) -> Ty {
    Ty::Ext(program.name("Error"), Rc::from([]))
}

/// Returns the types of the parts of a tuple, or of an outside type that is like one.
pub(crate) fn parts<'t>(program: &ProgramFacts<'_>, ty: &'t Ty) -> Option<&'t Rc<[Ty]>> {
    match ty {
        Ty::Ext(name, args) if program.library.is(program.text(*name), LibraryTypeShape::Tuple) => {
            Some(args)
        }
        _ => tuple_parts(program, ty),
    }
}

/// Returns the types of the parts of a tuple, whether they have names or not.
pub(crate) fn tuple_parts<'t>(program: &ProgramFacts<'_>, ty: &'t Ty) -> Option<&'t Rc<[Ty]>> {
    match ty {
        Ty::Tuple(items) => Some(items),
        Ty::Ext(name, args) => part_names(program.text(*name)).map(|_| args),
        _ => None,
    }
}

/// Returns the names of the parts of a tuple that is called by them: `(left,right)`.
fn part_names(text: &str) -> Option<std::str::Split<'_, char>> {
    let names = text.strip_prefix('(')?.strip_suffix(')')?;
    names.contains(',').then(|| names.split(','))
}

/// Returns what a property of an outside type holds.
pub(crate) fn property(program: &ProgramFacts<'_>, receiver: &Ty, name: Name) -> Ty {
    if let Some(items) = parts(program, receiver) {
        let written = program.text(name);
        let is_written = |part: &str| part == written;
        let named = match receiver {
            Ty::Ext(tuple, _) => part_names(program.text(*tuple)),
            _ => None,
        };
        let place = match written {
            _ if let Some(place) = named.and_then(|mut names| names.position(is_written)) => {
                Some(place)
            }
            _ if let Some(number) = written.strip_prefix("Item") => {
                number.parse::<usize>().ok().and_then(|number| number.checked_sub(1))
            }
            // An entry of a map is a pair.
            "Key" | "key" | "first" => Some(0),
            "Value" | "value" | "second" => Some(1),
            "third" => Some(2),
            place => place.parse::<usize>().ok(),
        };
        return place.and_then(|place| items.get(place)).cloned().unwrap_or(Ty::Unknown);
    }
    match (receiver, program.text(name)) {
        (Ty::List(inner), "first" | "head" | "last") => (**inner).clone(),
        (Ty::List(_), "lazy") => receiver.clone(),
        (Ty::Ext(_, args), "values" | "Values") if args.len() == 2 => {
            Ty::List(Rc::new(args[1].clone()))
        }
        (Ty::Ext(_, args), "keys" | "Keys") if args.len() == 2 => {
            Ty::List(Rc::new(args[0].clone()))
        }
        (Ty::Ext(outside, args), "start" | "end")
            if program.text(*outside).starts_with("Range") && args.len() == 1 =>
        {
            args[0].clone()
        }
        (Ty::Ext(_, args), held) if args.len() == 1 && program.library.held.contains(held) => {
            args[0].clone()
        }
        (Ty::Ext(outside, args), "success" | "failure") if program.text(*outside) == "Result" => {
            let place = usize::from(program.text(name) == "failure");
            args.get(place).map_or(Ty::Unknown, |ty| Ty::Tuple([ty.clone()].into()))
        }
        _ => Ty::Unknown,
    }
}

/// Returns what a method of an outside container takes under a label.
pub(crate) fn taken(program: &ProgramFacts<'_>, receiver: &Ty, name: Name, label: &str) -> Ty {
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

/// Returns what a method of an outside container puts into a variable that it is given: `d.TryGetValue(key, out var v)`.
pub(crate) fn set_by(program: &ProgramFacts<'_>, receiver: &Ty, name: Name) -> Ty {
    match (receiver, program.text(name)) {
        (Ty::Ext(_, args), "Remove" | "TryGetValue" | "TryRemove") if args.len() == 2 => {
            args[1].clone()
        }
        (Ty::List(inner), "TryDequeue" | "TryGetValue" | "TryPeek" | "TryPop" | "TryTake") => {
            (**inner).clone()
        }
        _ => Ty::Unknown,
    }
}

/// One element of an outside container.
pub(crate) fn element(program: &ProgramFacts<'_>, ty: &Ty, args: &Rc<[Ty]>) -> Ty {
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

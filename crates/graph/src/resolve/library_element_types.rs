//! The element types of outside types, by the shapes of [`LibraryApiTable`](super::library_api_table::LibraryApiTable).

use std::rc::Rc;

use crate::{
    facts::UNLABELLED,
    resolve::{
        inference_results::Ty,
        library_api_table::{
            LibraryTypeShape, LibraryTypeUse, MapMethodResult, SequenceMethodResult,
        },
        program_facts::{Name, ProgramFacts},
    },
};

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

/// A value of the type that an error has where its own is not written.
pub(super) fn thrown(program: &ProgramFacts<'_>) -> Ty {
    made(program, LibraryTypeUse::Error, Rc::from([]))
}

/// A value of an outside type that follows from what code does, without its name.
pub(super) fn made(program: &ProgramFacts<'_>, shape: LibraryTypeUse, args: Rc<[Ty]>) -> Ty {
    let name = program.library.used.get(&shape);
    name.map_or(Ty::Unknown, |name| Ty::Ext(program.name(name), args))
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
    let (library, written) = (program.library, program.text(name));
    if let Some(items) = parts(program, receiver) {
        let is_written = |part: &str| part == written;
        let named = match receiver {
            Ty::Ext(tuple, _) => part_names(program.text(*tuple)),
            _ => None,
        };
        let place = named.and_then(|mut names| names.position(is_written));
        let place = place.or_else(|| library.part(written));
        return place.and_then(|place| items.get(place)).cloned().unwrap_or(Ty::Unknown);
    }
    match receiver {
        Ty::List(inner) => match library.row_properties.get(written) {
            Some(SequenceMethodResult::Element) => (**inner).clone(),
            Some(SequenceMethodResult::Same) => receiver.clone(),
            _ => Ty::Unknown,
        },
        Ty::Ext(_, args) if args.len() == 2 && library.map_properties.contains_key(written) => {
            match library.map_properties[written] {
                MapMethodResult::Values => Ty::List(Rc::new(args[1].clone())),
                MapMethodResult::Keys => Ty::List(Rc::new(args[0].clone())),
                _ => Ty::Unknown,
            }
        }
        Ty::Ext(outside, args)
            if args.len() == 1
                && (library.held.contains(written)
                    || library.bounds.contains(written)
                        && library.is(program.text(*outside), LibraryTypeShape::Range)) =>
        {
            args[0].clone()
        }
        Ty::Ext(outside, args)
            if library.is(program.text(*outside), LibraryTypeShape::Wrapper)
                && library.cases.contains_key(written) =>
        {
            let case = args.get(library.cases[written]);
            case.map_or(Ty::Unknown, |ty| Ty::Tuple([ty.clone()].into()))
        }
        _ => Ty::Unknown,
    }
}

/// Returns what a method of an outside container takes under a label.
pub(crate) fn taken(program: &ProgramFacts<'_>, receiver: &Ty, name: Name, label: &str) -> Ty {
    let (Ty::List(inner), library) = (receiver, program.library) else { return Ty::Unknown };
    let unlabelled = Some(SequenceMethodResult::Element).filter(|_| label == UNLABELLED);
    match library.row_labels.get(label).copied().or(unlabelled) {
        Some(SequenceMethodResult::Same) => receiver.clone(),
        Some(SequenceMethodResult::Element) if library.takers.contains(program.text(name)) => {
            (**inner).clone()
        }
        _ => Ty::Unknown,
    }
}

/// Returns what a method of an outside container puts into a variable that it is given: `d.TryGetValue(key, out var v)`.
pub(crate) fn set_by(program: &ProgramFacts<'_>, receiver: &Ty, name: Name) -> Ty {
    let (library, method) = (program.library, program.text(name));
    match receiver {
        Ty::Ext(_, args) if args.len() == 2 && library.map_setters.contains(method) => {
            args[1].clone()
        }
        Ty::List(inner) if library.row_setters.contains(method) => (**inner).clone(),
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

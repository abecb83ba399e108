//! The parameter types of callbacks that are given to methods of outside types. The names of the methods come from the languages'
//! tables, see [`library_api_table`](super::library_api_table).

use std::rc::Rc;

use crate::{
    facts::ExprId,
    resolve::{
        inference_results::Ty,
        library_api_table::{CallbackParameter, LibraryTypeShape},
        library_element_types::thrown,
        program_facts::{FileId, Name},
        type_inference::TypeInference,
    },
};

/// A parameter of a callback.
#[derive(Clone, Copy)]
pub(crate) struct CallbackPlace {
    /// The file of the call.
    pub(crate) file: FileId,
    /// The place of the callback among the arguments.
    pub(crate) argument: u16,
    /// The place among the parameters of the callback.
    pub(crate) place: u16,
    /// It has one parameter.
    pub(crate) is_only: bool,
    /// The argument before or behind the callback.
    pub(crate) other: Option<ExprId>,
}

/// Returns what a parameter of a callback of a map's method gets. On some platforms keys come before values, and a callback
/// with one parameter gets both.
fn entry_part(
    inference: &TypeInference<'_, '_>,
    outside: &str,
    args: &Rc<[Ty]>,
    callback: CallbackParameter,
    at: CallbackPlace,
) -> Ty {
    let keys_first = inference.program.capabilities(at.file).keys_before_values;
    let is_map = outside.contains("Map");
    match (callback, at.place) {
        (CallbackParameter::Entry, 0) if is_map => Ty::Tuple(args.clone()),
        (CallbackParameter::Entry, _) => Ty::Unknown,
        (_, 0) if keys_first && at.is_only => Ty::Tuple(args.clone()),
        (_, place @ (0 | 1)) => args[usize::from((place == 0) != keys_first)].clone(),
        _ => Ty::Unknown,
    }
}

/// Returns the type of parameter `place` of a callback of an outside type's method.
pub(crate) fn callback_parameter(
    inference: &mut TypeInference<'_, '_>,
    receiver: &Ty,
    name: Name,
    at: CallbackPlace,
) -> Ty {
    let method = inference.program.text(name);
    match receiver {
        Ty::List(element) => {
            let Some(callback) = inference.program.library.row_callbacks.get(method) else {
                return Ty::Unknown;
            };
            match at.other {
                _ if gets_element(*callback, at) => (**element).clone(),
                Some(start) if at.place == 0 && is_folded(*callback) => {
                    inference.type_of(at.file, start).ty
                }
                _ => Ty::Unknown,
            }
        }
        Ty::Ext(outside, args) => {
            let outside = inference.program.text(*outside);
            outside_callback_parameter(inference, outside, args, method, at)
        }
        _ => Ty::Unknown,
    }
}

/// Returns the type of a parameter of a callback of a method of the type `outside` with the type arguments `args`.
fn outside_callback_parameter(
    inference: &TypeInference<'_, '_>,
    outside: &str,
    args: &Rc<[Ty]>,
    method: &str,
    at: CallbackPlace,
) -> Ty {
    let CallbackPlace { argument, place, .. } = at;
    let library = inference.program.library;
    let is = |shape| library.is(outside, shape);
    let held = match (&args[..], place) {
        ([first, ..], 0)
            if is(LibraryTypeShape::Awaitable)
                && argument == 0
                && library.awaitable_callbacks.contains_key(method) =>
        {
            Some(first)
        }
        (_, 0)
            if is(LibraryTypeShape::Wrapper) && library.wrapper_callbacks.contains_key(method) =>
        {
            match library.wrapper_callbacks[method] {
                CallbackParameter::Error => {
                    return args.get(1).cloned().unwrap_or_else(|| thrown(inference.program));
                }
                _ => args.first(),
            }
        }
        ([_, _], _)
            if let Some(callback) = library.map_callbacks.get(method)
                && (*callback != CallbackParameter::Entry || outside.contains("Map")) =>
        {
            return entry_part(inference, outside, args, *callback, at);
        }
        ([one], 0) if library.map_callbacks.contains_key(method) => Some(one),
        ([.., last], 0)
            if argument == 0
                && !outside.contains("Map")
                && library.holder_callbacks.contains_key(method) =>
        {
            Some(last)
        }
        _ => None,
    };
    held.cloned().unwrap_or(Ty::Unknown)
}

const fn is_folded(callback: CallbackParameter) -> bool {
    matches!(callback, CallbackParameter::Folded | CallbackParameter::Reduced)
}

/// Whether a parameter of a callback of a sequence's method is an element.
fn gets_element(callback: CallbackParameter, at: CallbackPlace) -> bool {
    let CallbackPlace { argument, place, other, .. } = at;
    match callback {
        CallbackParameter::First => (argument, place) == (0, 0),
        CallbackParameter::Second => (argument, place) == (0, 1),
        CallbackParameter::Folded => place == 1,
        CallbackParameter::Reduced => place == 1 || place == 0 && other.is_none(),
        CallbackParameter::Every => argument == 0,
        CallbackParameter::Entry | CallbackParameter::Error => false,
    }
}

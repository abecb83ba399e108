//! The result types of outside functions and methods, and the parameter types of the callbacks that they take. The names
//! come from the languages' tables, see [`library_api_table`](super::library_api_table).

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId, FileFacts, TypeId},
    resolve::{
        inference_results::{CallArguments, Ty, class_of},
        library_api_table::{
            AwaitableMethodResult, CallbackParameter, ContainerMethodResult, LibraryFunctionResult,
            LibraryTypeShape, MapMethodResult, SequenceMethodResult, WrapperMethodResult,
        },
        library_element_types::{thrown, unwrapped_optional},
        program_facts::{FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Most rows that are zipped to tuples.
const MAX_ZIPPED: usize = 6;

/// Returns the result of a method of an outside type.
pub(crate) fn method_result(
    inference: &mut TypeInference<'_, '_>,
    receiver: &Ty,
    name: Name,
    arguments: CallArguments<'_>,
) -> Ty {
    let text = inference.program.text(name);
    let rules = inference.rules(arguments.file);
    if let Some(ty) = rules.library_method(inference, receiver, text) {
        return ty;
    }
    let call = MethodCall { receiver, method: text, arguments };
    let result = match receiver {
        Ty::List(element) => call.of_row(inference, element),
        Ty::Ext(outside, args) => {
            call.of_outside(inference, inference.program.text(*outside), args)
        }
        // An entry of a map.
        Ty::Tuple(items) => match (text, &items[..]) {
            ("getKey", [key, _]) => key.clone(),
            ("getValue", [_, value]) => value.clone(),
            _ => Ty::Unknown,
        },
        _ => Ty::Unknown,
    };
    match inference.program.library.functions.get(text) {
        Some(shape) if !result.is_known() => by_type_argument(inference, *shape, arguments),
        _ => result,
    }
}

/// Returns what a function gives that is told by its first type argument.
fn by_type_argument(
    inference: &mut TypeInference<'_, '_>,
    shape: LibraryFunctionResult,
    arguments: CallArguments<'_>,
) -> Ty {
    let Some(given) = arguments.types.first() else { return Ty::Unknown };
    let given = inference.eval_type(arguments.file, *given);
    match shape {
        LibraryFunctionResult::TypeArgument => given,
        LibraryFunctionResult::RowOfTypeArgument => Ty::List(Rc::new(given)),
        _ => Ty::Unknown,
    }
}

/// A call of a method of an outside type.
#[derive(Clone, Copy)]
struct MethodCall<'a> {
    receiver: &'a Ty,
    method: &'a str,
    arguments: CallArguments<'a>,
}

impl MethodCall<'_> {
    fn of_row(self, inference: &mut TypeInference<'_, '_>, element: &Rc<Ty>) -> Ty {
        let Some(shape) = inference.program.library.rows.get(self.method) else {
            return Ty::Unknown;
        };
        match shape {
            SequenceMethodResult::Same => self.receiver.clone(),
            SequenceMethodResult::Element => (**element).clone(),
            SequenceMethodResult::Optional => {
                Ty::Ext(inference.program.name("Optional"), [(**element).clone()].into())
            }
            SequenceMethodResult::Mapped => {
                Ty::List(Rc::new(self.given_for(inference, 0, element)))
            }
            SequenceMethodResult::FlatMapped => {
                let result = self.given_for(inference, 0, element);
                Ty::List(Rc::new(inference.element_of(&result)))
            }
            SequenceMethodResult::UnwrappedMapped => {
                let result = self.given_for(inference, 0, element);
                Ty::List(Rc::new(unwrapped_optional(inference.program, &result)))
            }
            SequenceMethodResult::Zipped => {
                let other = self.argument(inference, 0);
                let other = other.map_or(Ty::Unknown, |other| inference.element_of(&other));
                Ty::List(Rc::new(Ty::Tuple([(**element).clone(), other].into())))
            }
            SequenceMethodResult::Numbered => {
                Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, (**element).clone()].into())))
            }
            SequenceMethodResult::Folded => {
                self.argument(inference, 1).unwrap_or_else(|| (**element).clone())
            }
        }
    }

    fn of_outside(
        self,
        inference: &mut TypeInference<'_, '_>,
        outside: &str,
        args: &Rc<[Ty]>,
    ) -> Ty {
        let library = inference.program.library;
        if let Some(first) = args.first() {
            if library.is(outside, LibraryTypeShape::Awaitable)
                && let Some(shape) = library.awaitables.get(self.method)
            {
                return match shape {
                    AwaitableMethodResult::Same => self.receiver.clone(),
                    AwaitableMethodResult::Value => args.last().cloned().unwrap_or(Ty::Unknown),
                    AwaitableMethodResult::Mapped => {
                        let given = self.given_for(inference, 0, first);
                        Ty::Ext(inference.program.name(outside), [given].into())
                    }
                    AwaitableMethodResult::Chained => self.given_for(inference, 0, first),
                };
            }
            if library.is(outside, LibraryTypeShape::Wrapper) {
                return self.of_wrapper(inference, outside, (first, args));
            }
        }
        if let ([key, value], Some(shape)) = (&args[..], library.maps.get(self.method)) {
            return match shape {
                MapMethodResult::Value => value.clone(),
                MapMethodResult::Key => key.clone(),
                MapMethodResult::Values => Ty::List(Rc::new(value.clone())),
                MapMethodResult::Keys => Ty::List(Rc::new(key.clone())),
                MapMethodResult::Entries => Ty::List(Rc::new(Ty::Tuple(args.clone()))),
            };
        }
        let builds = library.is(outside, LibraryTypeShape::TextBuilder) && builds_text(self.method);
        if builds || library.any.contains_key(self.method) {
            return self.receiver.clone();
        }
        match args.split_last() {
            Some((_, above)) => self.of_holder(inference, outside, above),
            None => Ty::Unknown,
        }
    }

    /// `args` are the first type argument and all of them.
    fn of_wrapper(
        self,
        inference: &mut TypeInference<'_, '_>,
        outside: &str,
        (first, args): (&Ty, &Rc<[Ty]>),
    ) -> Ty {
        let library = inference.program.library;
        let Some(shape) = library.wrappers.get(self.method) else { return Ty::Unknown };
        match shape {
            WrapperMethodResult::Value => first.clone(),
            WrapperMethodResult::Same => self.receiver.clone(),
            WrapperMethodResult::Row => Ty::List(Rc::new(first.clone())),
            WrapperMethodResult::Mapped => {
                let mut inner = args.to_vec();
                inner[0] = self.given_for(inference, 0, first);
                if inner[0].is_known() {
                    Ty::Ext(inference.program.name(outside), inner.into())
                } else {
                    Ty::Unknown
                }
            }
            WrapperMethodResult::Chained => self.given_for(inference, 0, first),
            WrapperMethodResult::MapOr => self.given_by(inference, 1),
        }
    }

    /// A method of whatever it is: it holds something. `above` are its type arguments but the last.
    fn of_holder(self, inference: &mut TypeInference<'_, '_>, outside: &str, above: &[Ty]) -> Ty {
        let library = inference.program.library;
        let Some(shape) = library.holders.get(self.method) else { return Ty::Unknown };
        let held = match shape {
            ContainerMethodResult::Same => return self.receiver.clone(),
            ContainerMethodResult::Chained => return self.given_by(inference, 0),
            ContainerMethodResult::Mapped | ContainerMethodResult::Replaced
                if outside.contains("Map") =>
            {
                return Ty::Unknown;
            }
            ContainerMethodResult::Mapped => self.given_by(inference, 0),
            ContainerMethodResult::Replaced => self.argument(inference, 0).unwrap_or(Ty::Unknown),
        };
        let inner = above.iter().cloned().chain([held]).collect();
        Ty::Ext(inference.program.name(outside), inner)
    }

    fn argument(self, inference: &mut TypeInference<'_, '_>, place: usize) -> Option<Ty> {
        let value = *self.arguments.values.get(place)?;
        Some(inference.type_of(self.arguments.file, value).ty)
    }

    /// Returns the same where the function is given a value of type `taken`: it may be a method of an outside type, which is run
    /// on the value (`Optional::get`).
    fn given_for(self, inference: &mut TypeInference<'_, '_>, place: usize, taken: &Ty) -> Ty {
        let given = self.given_by(inference, place);
        let value = self.arguments.values.get(place);
        let facts = inference.program.facts(self.arguments.file);
        let Some(Expr::Member { object, name }) = value.map(|value| facts.expr(*value)) else {
            return given;
        };
        if given.is_known() || !facts.names_type(*object) {
            return given;
        }
        let name = inference.program.name_of(self.arguments.file, *name);
        let nothing = CallArguments { values: &[], ..self.arguments };
        let methods = inference.member(taken, name);
        let each: Vec<Ty> = methods
            .iter()
            .map(|method| match method {
                NameReferent::Method(receiver, name) => {
                    method_result(inference, receiver, *name, nothing)
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    /// Returns the result of the function that is passed as an argument.
    fn given_by(self, inference: &mut TypeInference<'_, '_>, place: usize) -> Ty {
        let function = self.argument(inference, place);
        function.map_or(Ty::Unknown, |function| {
            inference.call_value(&function, CallArguments { values: &[], ..self.arguments })
        })
    }
}

/// Whether a method of a text builder returns the builder.
fn builds_text(method: &str) -> bool {
    let part = |word: &str| method.get(..word.len()).is_some_and(|m| m.eq_ignore_ascii_case(word));
    ["append", "insert", "replace", "remove", "delete", "reverse"].into_iter().any(part)
}

/// Returns the result of an outside function, where it follows from the arguments.
pub(crate) fn function_result(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    callee: ExprId,
    arguments: CallArguments<'_>,
) -> Ty {
    let facts = inference.program.facts(file);
    let name = match facts.expr(callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => facts.text(*name),
        _ => return Ty::Unknown,
    };
    if let Some(ty) = inference.rules(file).library_function(inference, name, arguments) {
        return ty;
    }
    let functions = &inference.program.library.functions;
    let of_type = qualified(facts, callee);
    let shape = of_type.and_then(|name| functions.get(name.as_str())).or(functions.get(name));
    let Some(shape) = shape else { return Ty::Unknown };
    let argument = |inference: &mut TypeInference<'_, '_>, place: usize| {
        arguments.values.get(place).map_or(Ty::Unknown, |value| inference.type_of(file, *value).ty)
    };
    let element = |inference: &mut TypeInference<'_, '_>, place: usize| {
        let row = argument(inference, place);
        inference.element_of(&row)
    };
    let nothing = CallArguments { values: &[], ..arguments };
    match shape {
        LibraryFunctionResult::Same => argument(inference, 0),
        LibraryFunctionResult::Receiver => match facts.expr(callee) {
            Expr::Member { object, .. } => inference.type_of(file, *object).ty,
            _ => argument(inference, 0),
        },
        LibraryFunctionResult::ResultOfLast => {
            let last = arguments.values.last().map(|value| inference.type_of(file, *value).ty);
            last.map_or(Ty::Unknown, |function| inference.call_value(&function, nothing))
        }
        LibraryFunctionResult::Called | LibraryFunctionResult::State => {
            let function = argument(inference, 0);
            let value = inference.call_value(&function, nothing);
            match shape {
                LibraryFunctionResult::State => Ty::Tuple([value].into()),
                _ => value,
            }
        }
        LibraryFunctionResult::RowOfArguments => Ty::List(Rc::new(argument(inference, 0))),
        LibraryFunctionResult::RowOfElements => Ty::List(Rc::new(element(inference, 0))),
        LibraryFunctionResult::MapOfPairs => {
            let pairs = argument(inference, 0);
            map_of_pairs(inference, &pairs)
        }
        LibraryFunctionResult::MapOfResults => {
            let function = argument(inference, 0);
            let value = inference.call_value(&function, nothing);
            Ty::Ext(inference.program.name("dict"), [Ty::Unknown, value].into())
        }
        LibraryFunctionResult::Entered => {
            let context = argument(inference, 0);
            inference.entered(&context)
        }
        LibraryFunctionResult::Element => element(inference, 0),
        LibraryFunctionResult::Numbered => {
            let inner = element(inference, 0);
            Ty::List(Rc::new(Ty::Tuple([Ty::Unknown, inner].into())))
        }
        LibraryFunctionResult::Zipped => {
            let places = 0..arguments.values.len().min(MAX_ZIPPED);
            let items: Vec<Ty> = places.map(|place| element(inference, place)).collect();
            Ty::List(Rc::new(Ty::Tuple(items.into())))
        }
        LibraryFunctionResult::Filtered => Ty::List(Rc::new(element(inference, 1))),
        LibraryFunctionResult::Values => match argument(inference, 0) {
            Ty::Ext(_, args) if args.len() == 2 => Ty::List(Rc::new(args[1].clone())),
            _ => Ty::Unknown,
        },
        LibraryFunctionResult::Class => class_of(&argument(inference, 0)),
        LibraryFunctionResult::Option
        | LibraryFunctionResult::Optional
        | LibraryFunctionResult::Result => {
            let wrapper = inference.program.name(match shape {
                LibraryFunctionResult::Result => "Result",
                LibraryFunctionResult::Optional => "Optional",
                _ => "Option",
            });
            match argument(inference, 0) {
                held if held.is_known() => Ty::Ext(wrapper, [held].into()),
                _ => Ty::Unknown,
            }
        }
        LibraryFunctionResult::TypeArgument | LibraryFunctionResult::RowOfTypeArgument => {
            by_type_argument(inference, *shape, arguments)
        }
    }
}

/// The name of a function together with that of the type that it is a member of: `List.of`.
fn qualified(facts: &FileFacts, callee: ExprId) -> Option<String> {
    let Expr::Member { object, name } = facts.expr(callee) else { return None };
    let Expr::Name { name: home, .. } = facts.expr(*object) else { return None };
    let is_type = facts.names_type(*object);
    is_type.then(|| format!("{}.{}", facts.text(*home), facts.text(*name)))
}

fn map_of_pairs(inference: &mut TypeInference<'_, '_>, given: &Ty) -> Ty {
    let pairs = match given {
        Ty::Ext(_, args) if args.len() == 2 => args.clone(),
        _ => match inference.element_of(given) {
            Ty::Tuple(items) if items.len() == 2 => items,
            _ => return Ty::Unknown,
        },
    };
    Ty::Ext(inference.program.name("dict"), pairs)
}

/// Returns the type of an object that is made of an outside type: what it holds is said by its type, or by the one collection
/// that it is made from.
pub(crate) fn constructed(
    inference: &mut TypeInference<'_, '_>,
    ty: TypeId,
    arguments: CallArguments<'_>,
) -> Ty {
    let made = inference.eval_type(arguments.file, ty);
    let library = inference.program.library;
    match (&made, arguments.values) {
        (Ty::List(_), _) => made,
        (Ty::Ext(_, args), _) if !args.is_empty() => made,
        (Ty::Ext(outside, _), [from]) => {
            let given = inference.type_of(arguments.file, *from).ty;
            let name = inference.program.text(*outside);
            match &given {
                Ty::Ext(_, args) if args.len() == 2 && name.ends_with("Map") => {
                    Ty::Ext(*outside, args.clone())
                }
                Ty::List(_) if library.is(name, LibraryTypeShape::Row) => given,
                _ => Ty::Unknown,
            }
        }
        _ => Ty::Unknown,
    }
}

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
}

/// Returns what a parameter of a callback of a map's method gets. On some platforms keys come before values, and a callback
/// with one parameter gets both.
fn entry_part(
    inference: &TypeInference<'_, '_>,
    (outside, args): (&str, &Rc<[Ty]>),
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
pub(crate) fn lambda_param(
    inference: &mut TypeInference<'_, '_>,
    receiver: &Ty,
    name: Name,
    at: CallbackPlace,
) -> Ty {
    let method = inference.program.text(name);
    match receiver {
        Ty::List(element) => {
            let callback = inference.program.library.row_callbacks.get(method);
            let is_element =
                callback.is_some_and(|callback| gets_element(*callback, at.argument, at.place));
            if is_element { (**element).clone() } else { Ty::Unknown }
        }
        Ty::Ext(outside, args) => {
            let outside = inference.program.text(*outside);
            outside_callback_parameter(inference, (outside, args), method, at)
        }
        _ => Ty::Unknown,
    }
}

/// Returns the same for a type from outside that has type arguments.
fn outside_callback_parameter(
    inference: &TypeInference<'_, '_>,
    (outside, args): (&str, &Rc<[Ty]>),
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
            return entry_part(inference, (outside, args), *callback, at);
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

/// Whether parameter `place` of the callback `argument` of a sequence's method is an element.
fn gets_element(callback: CallbackParameter, argument: u16, place: u16) -> bool {
    match callback {
        CallbackParameter::First => (argument, place) == (0, 0),
        CallbackParameter::Second => (argument, place) == (0, 1),
        CallbackParameter::Folded => place == 1,
        CallbackParameter::Every => argument == 0,
        CallbackParameter::Entry | CallbackParameter::Error => false,
    }
}

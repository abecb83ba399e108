//! The result types of outside functions and methods, and the parameter types of the callbacks that they take. The names
//! come from the languages' tables, see [`library_api_table`](super::library_api_table).

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId},
    resolve::{
        inference_results::{CallArguments, Ty, class_of},
        library_api_table::{
            AwaitableMethodResult, CallbackParameter, ContainerMethodResult, LibraryFunctionResult,
            LibraryTypeShape, MapMethodResult, SequenceMethodResult, WrapperMethodResult,
        },
        library_element_types::{thrown, unwrapped_optional},
        program_facts::{FileId, Name},
        type_inference::TypeInference,
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
    match receiver {
        Ty::List(element) => call.of_row(inference, element),
        Ty::Ext(outside, args) => {
            call.of_outside(inference, inference.program.text(*outside), args)
        }
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
            SequenceMethodResult::Mapped => Ty::List(Rc::new(self.given_by(inference, 0))),
            SequenceMethodResult::FlatMapped => {
                let result = self.given_by(inference, 0);
                Ty::List(Rc::new(inference.element_of(&result)))
            }
            SequenceMethodResult::UnwrappedMapped => {
                let result = self.given_by(inference, 0);
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
                    AwaitableMethodResult::Chained => self.given_by(inference, 0),
                };
            }
            if library.is(outside, LibraryTypeShape::Wrapper) {
                return self.of_wrapper(inference, outside, (first, args));
            }
        }
        if let ([key, value], Some(shape)) = (&args[..], library.maps.get(self.method)) {
            return match shape {
                MapMethodResult::Value => value.clone(),
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
                inner[0] = self.given_by(inference, 0);
                if inner[0].is_known() {
                    Ty::Ext(inference.program.name(outside), inner.into())
                } else {
                    Ty::Unknown
                }
            }
            WrapperMethodResult::Chained => self.given_by(inference, 0),
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
    let Some(shape) = inference.program.library.functions.get(name) else { return Ty::Unknown };
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
        LibraryFunctionResult::Option | LibraryFunctionResult::Result => {
            let is_result = matches!(shape, LibraryFunctionResult::Result);
            let wrapper = inference.program.name(if is_result { "Result" } else { "Option" });
            match argument(inference, 0) {
                held if held.is_known() => Ty::Ext(wrapper, [held].into()),
                _ => Ty::Unknown,
            }
        }
        LibraryFunctionResult::TypeArgument => {
            arguments.types.first().map_or(Ty::Unknown, |ty| inference.eval_type(file, *ty))
        }
    }
}

/// Returns the type of parameter `place` of a callback of an outside type's method.
pub(crate) fn lambda_param(
    inference: &mut TypeInference<'_, '_>,
    receiver: &Ty,
    name: Name,
    argument: u16,
    place: u16,
) -> Ty {
    let library = inference.program.library;
    let method = inference.program.text(name);
    let held = match receiver {
        Ty::List(element) => {
            let callback = library.row_callbacks.get(method);
            callback
                .is_some_and(|callback| gets_element(*callback, argument, place))
                .then(|| &**element)
        }
        Ty::Ext(outside, args) => {
            let outside = inference.program.text(*outside);
            let is = |shape| library.is(outside, shape);
            match (&args[..], place) {
                ([first, ..], 0)
                    if is(LibraryTypeShape::Awaitable)
                        && argument == 0
                        && library.awaitable_callbacks.contains_key(method) =>
                {
                    Some(first)
                }
                (_, 0)
                    if is(LibraryTypeShape::Wrapper)
                        && library.wrapper_callbacks.contains_key(method) =>
                {
                    match library.wrapper_callbacks[method] {
                        CallbackParameter::Error => {
                            return args
                                .get(1)
                                .cloned()
                                .unwrap_or_else(|| thrown(inference.program));
                        }
                        _ => args.first(),
                    }
                }
                ([key, value], _) if library.map_callbacks.contains_key(method) => {
                    Some(if place == 0 { value } else { key })
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
            }
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
        CallbackParameter::Error => false,
    }
}

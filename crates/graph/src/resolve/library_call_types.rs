//! The result types of outside functions and methods. Their names come from the languages' tables, see
//! [`library_api_table`](super::library_api_table).

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId, FileFacts, TypeId},
    resolve::{
        awaited_values::awaited_together,
        inference_results::{CallArguments, Ty, class_of},
        library_api_table::{
            AwaitableMethodResult, ContainerMethodResult, LibraryFunctionResult, LibraryTypeShape,
            LibraryTypeUse, MapMethodResult, SequenceMethodResult, WrapperMethodResult,
        },
        library_element_types::{made, unwrapped_optional},
        program_facts::Name,
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
        Ty::Tuple(items) if items.len() == 2 => {
            let part = inference.program.library.part_methods.get(text);
            part.and_then(|place| items.get(*place)).cloned().unwrap_or(Ty::Unknown)
        }
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
        LibraryFunctionResult::RowOfTypeArgument => row(given),
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
            SequenceMethodResult::Rows if self.arguments.values.len() == 1 => {
                Ty::List(Rc::new(self.receiver.clone()))
            }
            SequenceMethodResult::Rows => Ty::Unknown,
            SequenceMethodResult::Element => (**element).clone(),
            SequenceMethodResult::Optional => {
                Ty::Ext(inference.program.name("Optional"), [(**element).clone()].into())
            }
            SequenceMethodResult::Mapped => row(self.given_for(inference, 0, element)),
            SequenceMethodResult::FlatMapped => {
                let result = self.given_for(inference, 0, element);
                row(inference.element_of(&result))
            }
            SequenceMethodResult::UnwrappedMapped => {
                let result = self.given_for(inference, 0, element);
                row(unwrapped_optional(inference.program, &result))
            }
            SequenceMethodResult::Zipped => {
                let other = self.arguments.argument(inference, 0);
                let other = other.map_or(Ty::Unknown, |other| inference.element_of(&other));
                row(Ty::Tuple([(**element).clone(), other].into()))
            }
            SequenceMethodResult::Numbered => {
                row(Ty::Tuple([Ty::Unknown, (**element).clone()].into()))
            }
            SequenceMethodResult::Folded => {
                let CallArguments { file, values, .. } = self.arguments;
                let starts = values.iter().take(2).map(|it| inference.type_of(file, *it).ty);
                let is_function =
                    |ty: &Ty| matches!(ty, Ty::Func(..) | Ty::FuncType(..) | Ty::Lambda(..));
                let starts: Vec<Ty> = starts.filter(|ty| !is_function(ty)).collect();
                // One of them may be a function that is not known.
                let known = starts.iter().find(|ty| ty.is_known());
                known.or(starts.first()).unwrap_or(element).clone()
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
                return self.of_wrapper(inference, outside, first, args);
            }
        }
        let is_function = library.is(outside, LibraryTypeShape::Function)
            || library.is(outside, LibraryTypeShape::Operator);
        if is_function && self.method == "apply" {
            return args.last().cloned().unwrap_or(Ty::Unknown);
        }
        if let ([key, value], Some(shape)) = (&args[..], library.maps.get(self.method)) {
            return match shape {
                MapMethodResult::Value => value.clone(),
                MapMethodResult::Key => key.clone(),
                MapMethodResult::Values => row(value.clone()),
                MapMethodResult::Keys => row(key.clone()),
                MapMethodResult::Entries => row(Ty::Tuple(args.clone())),
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
        first: &Ty,
        args: &Rc<[Ty]>,
    ) -> Ty {
        let library = inference.program.library;
        let Some(shape) = library.wrappers.get(self.method) else { return Ty::Unknown };
        match shape {
            WrapperMethodResult::Value => first.clone(),
            WrapperMethodResult::Same => self.receiver.clone(),
            WrapperMethodResult::Row => row(first.clone()),
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
            WrapperMethodResult::MapOr => self.arguments.result_of(inference, 1),
        }
    }

    /// A method of whatever it is: it holds something. `above` are its type arguments but the last.
    fn of_holder(self, inference: &mut TypeInference<'_, '_>, outside: &str, above: &[Ty]) -> Ty {
        let library = inference.program.library;
        let Some(shape) = library.holders.get(self.method) else { return Ty::Unknown };
        let held = match shape {
            ContainerMethodResult::Same => return self.receiver.clone(),
            ContainerMethodResult::Chained => return self.arguments.result_of(inference, 0),
            ContainerMethodResult::Mapped | ContainerMethodResult::Replaced
                if outside.contains("Map") =>
            {
                return Ty::Unknown;
            }
            ContainerMethodResult::Mapped => self.arguments.result_of(inference, 0),
            ContainerMethodResult::Replaced => self.arguments.first(inference),
        };
        let inner = above.iter().cloned().chain([held]).collect();
        Ty::Ext(inference.program.name(outside), inner)
    }

    /// Returns the result of the function that is passed as an argument and is given a value of type `taken`: it may be a method
    /// of an outside type, which is run on the value (`Optional::get`).
    fn given_for(self, inference: &mut TypeInference<'_, '_>, place: usize, taken: &Ty) -> Ty {
        let given = self.arguments.result_of(inference, place);
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
}

/// Whether a method of a text builder returns the builder.
fn builds_text(method: &str) -> bool {
    let part = |word: &str| method.get(..word.len()).is_some_and(|m| m.eq_ignore_ascii_case(word));
    ["append", "insert", "replace", "remove", "delete", "reverse"].into_iter().any(part)
}

/// Returns the result of an outside function, where it follows from the arguments.
pub(crate) fn function_result(
    inference: &mut TypeInference<'_, '_>,
    arguments: CallArguments<'_>,
) -> Ty {
    let CallArguments { file, callee, .. } = arguments;
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
    shape.map_or(Ty::Unknown, |shape| arguments.result(inference, *shape))
}

impl CallArguments<'_> {
    /// Returns what an outside function of this shape gives.
    fn result(self, inference: &mut TypeInference<'_, '_>, shape: LibraryFunctionResult) -> Ty {
        match shape {
            LibraryFunctionResult::Same => self.first(inference),
            LibraryFunctionResult::Receiver => self.receiver(inference),
            LibraryFunctionResult::ResultOfLast => {
                let last = self.values.len().checked_sub(1);
                last.map_or(Ty::Unknown, |last| self.result_of(inference, last))
            }
            LibraryFunctionResult::Called => self.result_of(inference, 0),
            LibraryFunctionResult::State => Ty::Tuple([self.result_of(inference, 0)].into()),
            LibraryFunctionResult::MapOfPairs => {
                let pairs = self.first(inference);
                map_of_pairs(inference, &pairs)
            }
            LibraryFunctionResult::MapOfResults => {
                let value = self.result_of(inference, 0);
                made(inference.program, LibraryTypeUse::Map, [Ty::Unknown, value].into())
            }
            LibraryFunctionResult::Entered => {
                let context = self.first(inference);
                inference.entered(&context)
            }
            LibraryFunctionResult::Class => class_of(&self.first(inference)),
            LibraryFunctionResult::Option => self.wrapped(inference, "Option"),
            LibraryFunctionResult::Optional => self.wrapped(inference, "Optional"),
            LibraryFunctionResult::Result => self.wrapped(inference, "Result"),
            LibraryFunctionResult::TypeArgument | LibraryFunctionResult::RowOfTypeArgument => {
                by_type_argument(inference, shape, self)
            }
            LibraryFunctionResult::Values => match self.first(inference) {
                Ty::Ext(_, args) if args.len() == 2 => row(args[1].clone()),
                _ => Ty::Unknown,
            },
            LibraryFunctionResult::Entries => match self.first(inference) {
                Ty::Ext(_, args) if args.len() == 2 => row(Ty::Tuple(args)),
                _ => Ty::Unknown,
            },
            LibraryFunctionResult::AllAwaited
            | LibraryFunctionResult::OneAwaited
            | LibraryFunctionResult::EachAwaited => awaited_together(inference, shape, self),
            LibraryFunctionResult::Element => self.element(inference, 0),
            LibraryFunctionResult::RowOfArguments => row(self.first(inference)),
            LibraryFunctionResult::RowOfElements => row(self.element(inference, 0)),
            LibraryFunctionResult::Filtered => row(self.element(inference, 1)),
            LibraryFunctionResult::Numbered => {
                row(Ty::Tuple([Ty::Unknown, self.element(inference, 0)].into()))
            }
            LibraryFunctionResult::Zipped => {
                let places = 0..self.values.len().min(MAX_ZIPPED);
                let items: Vec<Ty> = places.map(|place| self.element(inference, place)).collect();
                row(Ty::Tuple(items.into()))
            }
        }
    }

    /// Returns the type of an argument; `None` if there are fewer.
    fn argument(self, inference: &mut TypeInference<'_, '_>, place: usize) -> Option<Ty> {
        let value = *self.values.get(place)?;
        Some(inference.type_of(self.file, value).ty)
    }

    fn first(self, inference: &mut TypeInference<'_, '_>) -> Ty {
        self.argument(inference, 0).unwrap_or(Ty::Unknown)
    }

    /// Returns the type of the elements of an argument.
    fn element(self, inference: &mut TypeInference<'_, '_>, place: usize) -> Ty {
        let row = self.argument(inference, place).unwrap_or(Ty::Unknown);
        inference.element_of(&row)
    }

    /// Returns the type of the object whose member is called, or of the first argument.
    fn receiver(self, inference: &mut TypeInference<'_, '_>) -> Ty {
        match inference.program.facts(self.file).expr(self.callee) {
            Expr::Member { object, .. } => inference.type_of(self.file, *object).ty,
            _ => self.first(inference),
        }
    }

    /// Returns the result of the function that is passed as an argument.
    fn result_of(self, inference: &mut TypeInference<'_, '_>, place: usize) -> Ty {
        let function = self.argument(inference, place);
        function.map_or(Ty::Unknown, |function| {
            inference.call_value(&function, CallArguments { values: &[], ..self })
        })
    }

    /// Returns an outside type of the first argument, if that is known.
    fn wrapped(self, inference: &mut TypeInference<'_, '_>, wrapper: &str) -> Ty {
        match self.first(inference) {
            held if held.is_known() => Ty::Ext(inference.program.name(wrapper), [held].into()),
            _ => Ty::Unknown,
        }
    }
}

fn row(element: Ty) -> Ty {
    Ty::List(Rc::new(element))
}

/// The name of a function together with that of the type or module that it is a member of: `List.of`.
fn qualified(facts: &FileFacts, callee: ExprId) -> Option<String> {
    let Expr::Member { object, name } = facts.expr(callee) else { return None };
    let (Expr::Name { name: home, .. } | Expr::Member { name: home, .. }) = facts.expr(*object)
    else {
        return None;
    };
    let is_path = facts.names_type(*object) || facts.is_path(*object);
    is_path.then(|| format!("{}.{}", facts.text(*home), facts.text(*name)))
}

fn map_of_pairs(inference: &mut TypeInference<'_, '_>, given: &Ty) -> Ty {
    let pairs = match given {
        Ty::Ext(_, args) if args.len() == 2 => args.clone(),
        _ => match inference.element_of(given) {
            Ty::Tuple(items) if items.len() == 2 => items,
            _ => return Ty::Unknown,
        },
    };
    made(inference.program, LibraryTypeUse::Map, pairs)
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

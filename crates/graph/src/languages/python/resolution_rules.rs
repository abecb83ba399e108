//! Resolution of Python: its capabilities, and the rules that differ from the common ones.

use std::rc::Rc;

use super::Python;
use crate::{
    facts::{
        Expr, ExprId,
        language_capabilities::{ConstructorReferenceTarget, ExportRule, LanguageCapabilities},
    },
    resolve::{
        inference_results::{CallArguments, Ty},
        language_resolution_rules::{ResolutionRules, UnboundName},
        library_element_types::awaited,
        program_facts::{DefRef, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference, class_of},
    },
};

/// Arguments of a call whose types are looked at.
const MAX_GATHERED: usize = 8;
/// The functions and types of the module `builtins`.
const GIVEN_NAMES: &str = "ArithmeticError AssertionError AttributeError BaseException ConnectionError \
    DeprecationWarning EOFError Exception ExceptionGroup FileExistsError FileNotFoundError \
    ImportError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt \
    LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError \
    NotImplementedError OSError OverflowError PermissionError RecursionError ReferenceError \
    RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SystemExit \
    TimeoutError TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning \
    ValueError Warning ZeroDivisionError __import__ abs aiter all anext any ascii bin bool \
    breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod \
    enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help \
    hex id input int isinstance issubclass iter len list locals map max memoryview min next \
    object oct open ord pow print property range repr reversed round set setattr slice sorted \
    staticmethod str sum super tuple type vars zip";

/// What generic code may ask of Python.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    own_type_parameters: &["cls", "mcs"],
    subscript_methods: &["__getitem__"],
    iterator_methods: &["__iter__", "__aiter__"],
    next_methods: &["__next__", "__anext__", "next"],
    enter_methods: &["__enter__", "__aenter__"],
    call_methods: &["__call__"],
    hoists: true,
    type_bodies_are_scopes: true,
    asks_heirs: true,
    bases_without_members: &["ABC", "Generic", "Protocol", "object"],
    unbound_own_type_names: &["Self"],
    runs_unnamed: |name| name.len() > 4 && name.starts_with("__") && name.ends_with("__"),
    accessors_run: true,
    infers_results: true,
    constructor_references: ConstructorReferenceTarget::TypeUnlessNamed,
    exports: ExportRule::DeclaredAndImported,
    constructor_name: Some("__init__"),
    given_names: GIVEN_NAMES,
    has_one_constructor: true,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for Python {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn unbound_name(
        &self,
        inference: &mut TypeInference<'_, '_>,
        at: UnboundName,
    ) -> Vec<NameReferent> {
        let found = inference.glob_imported(at.module, at.name, 0);
        found.into_iter().filter(|referent| *referent != NameReferent::Module(at.module)).collect()
    }

    fn inherited_member(
        &self,
        inference: &mut TypeInference<'_, '_>,
        ty: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Option<Vec<NameReferent>> {
        Some(inference.linear_member(ty, args, name))
    }

    /// `sorted(all, key=lambda one: …)`, `filter(lambda one: …, all)`
    fn library_lambda_param(
        &self,
        inference: &mut TypeInference<'_, '_>,
        arguments: CallArguments<'_>,
        place: u16,
    ) -> Option<Ty> {
        let CallArguments { file, values, callee, .. } = arguments;
        let facts = inference.program.facts(file);
        let Expr::Name { name, .. } = facts.expr(callee) else { return None };
        let is_key = |value: &ExprId| matches!(facts.expr(*value), Expr::Lambda(_));
        let all = match (facts.text(*name), place) {
            ("sorted", 0) => values.first()?,
            // `max(a, b, key=…)` compares its arguments themselves.
            ("max" | "min", 0) if values.get(1).is_none_or(is_key) => values.first()?,
            ("filter" | "map", 0) => values.get(1)?,
            _ => return None,
        };
        let (named, _) = inference.resolve_expr(file, callee);
        if named.iter().any(|referent| referent.definition().is_some()) {
            return None;
        }
        let all = inference.type_of(file, *all).ty;
        Some(inference.element_of(&all))
    }

    /// `asyncio.gather(one(), two())`, `asyncio.create_task(one())`, `itertools.chain(some, others)`
    fn library_function(
        &self,
        inference: &mut TypeInference<'_, '_>,
        name: &str,
        arguments: CallArguments<'_>,
    ) -> Option<Ty> {
        let CallArguments { file, values, callee, .. } = arguments;
        let facts = inference.program.facts(file);
        if let Expr::Member { object, .. } = facts.expr(callee) {
            // `itertools.chain.from_iterable`, too.
            let (Expr::Name { name: home, .. } | Expr::Member { name: home, .. }) =
                facts.expr(*object)
            else {
                return None;
            };
            if !matches!(facts.text(*home), "asyncio" | "itertools" | "chain") {
                return None;
            }
        }
        let values = values.iter().take(MAX_GATHERED);
        let types =
            || -> Vec<Ty> { values.map(|value| inference.type_of(file, *value).ty).collect() };
        match name {
            "gather" => {
                let types = types();
                let results = types.iter().map(|ty| awaited(inference.program, ty));
                Some(Ty::Tuple(results.collect()))
            }
            "create_task" | "ensure_future" | "shield" | "wait_for" => types().into_iter().next(),
            "chain" => {
                let items = types().iter().map(|ty| inference.element_of(ty)).collect::<Vec<_>>();
                Some(Ty::List(Rc::new(Ty::union(items))))
            }
            "from_iterable" => {
                let rows = types();
                let row = inference.element_of(rows.first()?);
                Some(Ty::List(Rc::new(inference.element_of(&row))))
            }
            _ => None,
        }
    }

    fn library_type(&self, _: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        match (name, args) {
            ("Optional" | "Union", _) => Some(Ty::union(args.to_vec())),
            ("Type" | "type", [of]) => Some(class_of(of)),
            ("tuple" | "Tuple", [one]) => Some(Ty::List(Rc::new(one.clone()))),
            ("tuple" | "Tuple", _) => Some(Ty::Tuple(args.into())),
            _ => None,
        }
    }
}

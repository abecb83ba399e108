//! Chooses the definitions that a reference means among the candidates of its name.

use std::{collections::BTreeSet, rc::Rc};

use rustc_hash::FxHashSet;

use crate::{
    facts::{
        BindingTarget, DefFlags, DefKind, Expr, ExprId, Reference, ReferenceKind,
        language_capabilities::BodylessDeclarations,
    },
    resolve::{
        callback_fields::MAX_ASSIGNED,
        inference_results::Ty,
        program_facts::{DefRef, FileId, ProgramFacts},
        scip_overlay::ScipLookup,
        type_inference::{InferenceCertainty, NameReferent, TypeInference},
    },
};

/// Definitions that one call may be bound to.
const MAX_TARGETS: usize = 4;
/// Types of which the object of a call may be, each with its own method.
const MAX_RECEIVERS: usize = 12;
/// Files that may have a body for what one header declares: one for each platform.
const MAX_VARIANTS: usize = 16;

enum Callable {
    Itself,
    Constructs(DefRef),
    Conversion,
    By(Vec<DefRef>),
    Value,
}

/// What a reference means.
pub(super) struct ReferenceTargets {
    pub(super) definitions: Vec<DefRef>,
    pub(super) certainty: InferenceCertainty,
    /// Whether the name may mean something outside of the repository.
    pub(super) outside: bool,
}

impl ReferenceTargets {
    const fn none(certainty: InferenceCertainty) -> Self {
        Self { definitions: Vec::new(), certainty, outside: false }
    }
}

/// Returns what a reference means: the candidates of its name, narrowed by the kind of the reference, the number of its arguments
/// and their types.
pub(super) fn targets(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> ReferenceTargets {
    let (mut referents, certainty) = match referents_of(inference, file, reference) {
        Ok(found) => found,
        Err(none) => return none,
    };
    if reference.kind == ReferenceKind::Value {
        inference.keep_values(file, &mut referents);
        if inference.program.capabilities(file).fields_hide_methods
            && referents.iter().any(|referent| is_field(inference, referent))
        {
            // Read, a property hides the methods by its name.
            return ReferenceTargets::none(certainty);
        }
    } else {
        referents = inference.overloads(file, reference.target, referents);
    }
    if reference.kind == ReferenceKind::Read {
        let definitions = run_by_access(inference, file, reference, &referents);
        return ReferenceTargets { definitions, certainty, outside: false };
    }
    if reference.kind != ReferenceKind::Value {
        referents = inference.functions_behind(file, reference.target, referents);
    }
    let mut referents = inference.called_objects(referents);
    inference.drop_replaced(&mut referents);
    let outside =
        referents.iter().any(|e| matches!(e, NameReferent::External | NameReferent::Method(..)));
    inference.count(referents.len());
    let mut found = FoundTargets::new(certainty);
    for referent in &referents {
        found.add_referent(inference, file, reference, referent);
    }
    if found.defs.is_empty() && reference.kind == ReferenceKind::Call {
        found.defs = invoked(inference, file, reference.target);
    }
    let target = inference.program.facts(file).expr(reference.target);
    if referents.is_empty() && !matches!(target, Expr::Name { .. }) {
        found.add_computed(inference, file, reference.target);
    }
    let FoundTargets { defs, certainty, .. } = found;
    let defs = fitting_kind(inference, file, reference, defs);
    let mut definitions = by_arity(inference, file, defs, reference);
    let most = match certainty {
        InferenceCertainty::Dynamic => MAX_ASSIGNED,
        _ if is_one_a_type(inference.program, &definitions) => MAX_RECEIVERS,
        _ => MAX_TARGETS,
    };
    if definitions.len() > most {
        definitions = inference.rules(file).variants(inference, file, definitions);
        if definitions.len() > MAX_VARIANTS {
            definitions.clear();
        }
    }
    ReferenceTargets { definitions, certainty, outside }
}

/// Whether definitions are methods of as many types: then the object may be of each, and none is an overload of another.
fn is_one_a_type(program: &ProgramFacts<'_>, definitions: &[DefRef]) -> bool {
    let types: BTreeSet<DefRef> = definitions
        .iter()
        .filter_map(|def| program.parent(*def))
        .filter(|owner| {
            let kind = program.def(*owner).kind;
            kind.is_type() && kind != DefKind::Impl
        })
        .collect();
    types.len() == definitions.len()
}

/// Returns what the name of a reference means, or the answer if an index of SCIP says that it is no definition here.
fn referents_of(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> Result<(Vec<NameReferent>, InferenceCertainty), ReferenceTargets> {
    let defined = |def| NameReferent::Def(def, Rc::from([]));
    let none = ReferenceTargets::none(InferenceCertainty::Exact);
    match overlay_answer(inference, file, reference) {
        ScipLookup::Defs(defs) => {
            Ok((defs.into_iter().map(defined).collect(), InferenceCertainty::Exact))
        }
        ScipLookup::Outside => Err(ReferenceTargets { outside: true, ..none }),
        ScipLookup::Other => Err(none),
        ScipLookup::Nothing if reference.kind == ReferenceKind::Made => {
            let rules = inference.rules(file);
            let made = rules.constructed_class(inference, file, reference.target);
            Ok((made.map(defined).into_iter().collect(), InferenceCertainty::Exact))
        }
        ScipLookup::Nothing => Ok(inference.resolve_expr(file, reference.target)),
    }
}

fn is_field(inference: &TypeInference<'_, '_>, referent: &NameReferent) -> bool {
    matches!(referent, NameReferent::Def(def, _) if inference.program.def(*def).kind == DefKind::Field)
}

/// Returns what runs where it is read. Fields and modules are read, too; only a method without parameters or an accessor runs.
fn run_by_access(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
    referents: &[NameReferent],
) -> Vec<DefRef> {
    let is_run = |def: DefRef| inference.is_run_by_access(def, reference.args);
    let defs = referents.iter().filter_map(NameReferent::definition);
    let found = defs.filter(|def| is_run(*def)).collect();
    let mut found = by_arity(inference, file, found, reference);
    if found.len() > MAX_TARGETS {
        found.clear();
    }
    found
}

/// The definitions that a reference may mean, each once, and how sure that is.
struct FoundTargets {
    defs: Vec<DefRef>,
    seen: FxHashSet<DefRef>,
    certainty: InferenceCertainty,
}

impl FoundTargets {
    fn new(certainty: InferenceCertainty) -> Self {
        Self { defs: Vec::new(), seen: FxHashSet::default(), certainty }
    }

    fn add(&mut self, def: DefRef) {
        if self.seen.insert(def) {
            self.defs.push(def);
        }
    }

    fn extend(&mut self, defs: Vec<DefRef>) {
        defs.into_iter().for_each(|def| self.add(def));
    }

    /// Adds what a reference means whose name means `referent`.
    fn add_referent(
        &mut self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        reference: &Reference,
        referent: &NameReferent,
    ) {
        match referent {
            NameReferent::Def(def, _)
                if reference.kind == ReferenceKind::Value
                    && inference.program.def(*def).kind.is_type() =>
            {
                self.add(*def);
            }
            NameReferent::Def(def, _) => match callable(inference, *def) {
                Callable::Itself => self.add(*def),
                Callable::Conversion => {}
                Callable::Constructs(class) => {
                    let run = inference.initialisers(file, reference.target, class);
                    if run.is_empty() {
                        self.add(class);
                    }
                    self.extend(run);
                }
                Callable::By(constructors) => self.extend(constructors),
                Callable::Value => self.add_held(inference, *def, referent),
            },
            NameReferent::Local(home, BindingTarget::Local { value, .. })
                if is_call(inference, *home, *value) => {}
            NameReferent::Local(..) | NameReferent::Value(..) => {
                self.add_local(inference, referent);
            }
            NameReferent::Module(_)
            | NameReferent::TypeParam(..)
            | NameReferent::Method(..)
            | NameReferent::External => {}
        }
    }

    /// Adds the functions that a field or variable holds; `referent` is that definition.
    fn add_held(
        &mut self,
        inference: &mut TypeInference<'_, '_>,
        at: DefRef,
        referent: &NameReferent,
    ) {
        let value = inference.type_of_referent(referent);
        let known = callable_targets(inference, &value.ty);
        if known.is_empty() {
            let (held, certainty) = functions_held(inference, at);
            self.certainty = self.certainty.max(certainty);
            self.extend(held);
        } else if is_made(inference, at) {
            // The result of a call is known by the variable that holds it.
            self.add(at);
        } else {
            self.certainty = self.certainty.max(value.certainty).max(InferenceCertainty::Inferred);
            self.extend(known);
        }
    }

    /// Adds the functions that a local variable or a value is.
    fn add_local(&mut self, inference: &mut TypeInference<'_, '_>, referent: &NameReferent) {
        let value = inference.type_of_referent(referent);
        self.certainty = self.certainty.max(value.certainty).max(InferenceCertainty::Inferred);
        let mut known = callable_targets(inference, &value.ty);
        if known.is_empty()
            && let NameReferent::Local(home, BindingTarget::Local { ty, value }) = referent
            && ty.is_known()
        {
            let value = inference.type_of(*home, *value).ty;
            known = callable_targets(inference, &value);
        }
        self.extend(known);
    }

    /// Adds what a callee is that is no name: the result of a call, an entry of an object.
    fn add_computed(
        &mut self,
        inference: &mut TypeInference<'_, '_>,
        file: FileId,
        target: ExprId,
    ) {
        self.defs.extend(computed(inference, file, target));
        self.certainty = self.certainty.max(InferenceCertainty::Inferred);
        if self.defs.is_empty() {
            self.certainty = InferenceCertainty::Dynamic;
            self.defs = entries(inference, file, target);
        }
    }
}

/// Keeps what a reference of its kind can mean.
fn fitting_kind(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
    mut found: Vec<DefRef>,
) -> Vec<DefRef> {
    let rules = inference.rules(file);
    if reference.kind == ReferenceKind::Call && !rules.capabilities().calls_types {
        found.retain(|def| !inference.program.def(*def).kind.is_type());
    }
    if reference.kind == ReferenceKind::Value {
        // What runs where it is named is no value, and who names an object does not name what calling it runs.
        let word = inference.program.called_name(file, reference.target);
        found.retain(|def| match inference.program.def(*def).kind {
            DefKind::Function => {
                let name = inference.program.text(inference.program.def_name(*def));
                let call_methods = inference.program.capabilities(def.file).call_methods;
                !inference.is_accessor(*def)
                    && (word == Some(name) || !call_methods.contains(&name))
            }
            kind => kind.is_type(),
        });
    }
    if reference.kind == ReferenceKind::Made {
        // A constructor that has no source is no target of a call.
        found.retain(|def| inference.program.def(*def).flags.has(DefFlags::CONSTRUCTOR));
    }
    if matches!(reference.kind, ReferenceKind::Made | ReferenceKind::New) {
        found = rules.constructors_run(inference, file, reference.target, found);
    }
    if reference.kind == ReferenceKind::Call {
        found = rules.called_overloads(inference, file, found, reference);
    }
    found
}

/// The functions that a field or variable holds whose type does not say which, and how sure that is.
fn functions_held(
    inference: &mut TypeInference<'_, '_>,
    at: DefRef,
) -> (Vec<DefRef>, InferenceCertainty) {
    let mut held = inference.program.functions_assigned_to(at).to_vec();
    if !held.is_empty() {
        return (held, InferenceCertainty::Dynamic);
    }
    let def = inference.program.def(at);
    if def.kind == DefKind::Variable && def.ty.is_known() {
        // It is declared as any function of a type, with one or with a choice of some.
        let value = inference.type_of(at.file, def.value).ty;
        held = callable_targets(inference, &value);
        if !held.is_empty() && is_made(inference, at) {
            held = vec![at];
        }
    }
    let is_found = !held.is_empty();
    (held, if is_found { InferenceCertainty::Inferred } else { InferenceCertainty::Exact })
}

fn overlay_answer(
    inference: &TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> ScipLookup {
    let program = inference.program;
    program.called_name(file, reference.target).map_or(ScipLookup::Nothing, |word| {
        inference.overlay.answer(program, file, reference.line, word)
    })
}

pub(super) fn is_call(inference: &TypeInference<'_, '_>, file: FileId, value: ExprId) -> bool {
    matches!(inference.program.facts(file).expr(value), Expr::Call { .. } | Expr::New { .. })
}

fn is_made(inference: &TypeInference<'_, '_>, def: DefRef) -> bool {
    let found = inference.program.def(def);
    matches!(found.kind, DefKind::Variable | DefKind::Field)
        && is_call(inference, def.file, found.value)
}

/// A callee that isn't a name: an index, a call's result.
fn computed(inference: &mut TypeInference<'_, '_>, file: FileId, target: ExprId) -> Vec<DefRef> {
    match inference.program.facts(file).expr(target) {
        Expr::Member { .. } | Expr::Name { .. } | Expr::Super(_) => Vec::new(),
        _ => {
            let ty = inference.type_of(file, target).ty;
            callable_targets(inference, &ty)
        }
    }
}

/// The functions that a method of functions runs: `f.call(x)`.
fn invoked(inference: &mut TypeInference<'_, '_>, file: FileId, target: ExprId) -> Vec<DefRef> {
    let capabilities = inference.program.capabilities(file);
    let facts = inference.program.facts(file);
    let Expr::Member { object, name } = *facts.expr(target) else { return Vec::new() };
    if capabilities.prototype.is_none()
        || !capabilities.invoking_methods.contains(&facts.text(name))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    for referent in inference.resolve_expr(file, object).0 {
        let NameReferent::Def(def, _) = referent else { continue };
        let named = inference.program.def(def);
        if named.kind == DefKind::Function {
            found.push(def);
        } else if let Expr::Module(_) = inference.program.facts(def.file).expr(named.value) {
            // A module that is one function.
            let module = inference.type_of(def.file, named.value).ty;
            let functions = module.each().iter().filter(|ty| matches!(ty, Ty::Func(..)));
            found.extend(callable_targets(inference, &Ty::union(functions.cloned())));
        }
    }
    found
}

/// The functions of an object that is indexed: `handlers[key]()` runs one of them.
fn entries(inference: &mut TypeInference<'_, '_>, file: FileId, target: ExprId) -> Vec<DefRef> {
    let facts = inference.program.facts(file);
    let indexed = match facts.expr(target) {
        // A member or an entry.
        Expr::Either(choices) => choices.last().copied().unwrap_or(target),
        _ => target,
    };
    let Expr::Index(object) = *facts.expr(indexed) else { return Vec::new() };
    let (referents, _) = inference.resolve_expr(file, object);
    let mut found = Vec::new();
    for referent in referents {
        let (home, value) = match referent {
            NameReferent::Def(def, _) => (def.file, inference.program.def(def).value),
            NameReferent::Local(home, BindingTarget::Local { value, .. }) => (home, value),
            _ => continue,
        };
        let Expr::Def(object) = *inference.program.facts(home).expr(value) else { continue };
        let entries = inference.program.members_in_order(DefRef { file: home, def: object });
        inference.count_search(entries.len());
        for entry in entries {
            match inference.program.def(*entry).kind {
                DefKind::Function => found.push(*entry),
                DefKind::Field => {
                    let value =
                        inference.type_of_referent(&NameReferent::Def(*entry, Rc::from([])));
                    found.extend(callable_targets(inference, &value.ty));
                }
                _ => {}
            }
        }
    }
    found
}

fn callable(inference: &mut TypeInference<'_, '_>, def: DefRef) -> Callable {
    let found = inference.program.def(def);
    let rules = inference.rules(def.file);
    match found.kind {
        DefKind::Function if inference.is_bare_method(def) => Callable::Itself,
        DefKind::Function if found.flags.has(DefFlags::PROPERTY) => Callable::Value,
        DefKind::Field if found.flags.has(DefFlags::PROPERTY) => Callable::Itself,
        // `T(x)` converts.
        kind if kind.is_type() && rules.capabilities().type_calls_convert => Callable::Conversion,
        DefKind::Class | DefKind::Struct | DefKind::Alias
            if let Some(run) = rules.constructor_calls(inference, def) =>
        {
            match run.as_slice() {
                [] if found.kind == DefKind::Alias => Callable::Value,
                [] => Callable::Itself,
                _ => Callable::By(run),
            }
        }
        DefKind::Class | DefKind::Struct | DefKind::Enum
            if rules.capabilities().labels_arguments =>
        {
            Callable::Constructs(def)
        }
        DefKind::Function
        | DefKind::Class
        | DefKind::Struct
        | DefKind::Macro
        | DefKind::Variant => Callable::Itself,
        DefKind::Alias if found.flags.has(DefFlags::OPAQUE) => Callable::Conversion,
        DefKind::Interface | DefKind::Trait | DefKind::Enum => Callable::Itself,
        DefKind::Field | DefKind::Variable if found.flags.has(DefFlags::WRAPPED) => {
            Callable::Itself
        }
        DefKind::Alias => {
            let ty = inference.eval_type(def.file, found.ty);
            match ty.each() {
                [Ty::Inst(class, _)] => Callable::Constructs(*class),
                _ => Callable::Value,
            }
        }
        _ => Callable::Value,
    }
}

/// The functions that a value of this type is.
fn callable_targets(inference: &mut TypeInference<'_, '_>, ty: &Ty) -> Vec<DefRef> {
    let mut found = Vec::new();
    for ty in ty.each() {
        match ty {
            Ty::Func(def, _) | Ty::Class(def, _)
                if inference.program.def(*def).kind != DefKind::Namespace =>
            {
                found.push(*def);
            }
            Ty::Inst(def, args) => {
                let call_methods = inference.program.capabilities(def.file).call_methods;
                let takes = u32::try_from(call_methods.len()).unwrap_or(u32::MAX);
                let known = inference.callables.get(def).filter(|_| args.is_empty()).cloned();
                if let Some(known) = known
                    && inference.spend(takes)
                {
                    found.extend(known);
                    continue;
                }
                let run = |inference: &mut _| call_operators(inference, ty, call_methods);
                let (run, spent) = inference.spent(run);
                if args.is_empty() && spent == Some(takes) {
                    inference.callables.insert(*def, run.clone());
                }
                found.extend(run);
            }
            _ => {}
        }
    }
    found
}

/// The members of a type that run when a value of it is called.
fn call_operators(
    inference: &mut TypeInference<'_, '_>,
    ty: &Ty,
    call_methods: &[&str],
) -> Vec<DefRef> {
    let mut found = Vec::new();
    for text in call_methods {
        let members = inference.member(ty, inference.program.name(text));
        found.extend(members.iter().filter_map(NameReferent::definition));
    }
    found
}

/// Keeps the candidates that fit the arguments: definitions before their declarations, and the first of each group.
fn by_arity(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    mut found: Vec<DefRef>,
    reference: &Reference,
) -> Vec<DefRef> {
    let program = inference.program;
    inference.count(found.len());
    if found.len() > 1 {
        found = inference.of_platform(file, found);
        found = without_declarations(inference, found);
    }
    let with_arguments =
        matches!(reference.kind, ReferenceKind::Call | ReferenceKind::New | ReferenceKind::Made);
    if found.len() > 1 && with_arguments {
        keep_fitting_count(program, usize::from(reference.args), &mut found);
    }
    if found.len() > 1 && with_arguments && program.capabilities(file).overloads_by_type {
        found = inference.by_arguments(file, found, reference);
    }
    let mut kept: Vec<DefRef> = Vec::new();
    for def in found {
        if !inference.charge_search(kept.len()) {
            break;
        }
        let mut twin = |other: &DefRef| {
            program.def_name(*other) == program.def_name(def)
                && (other.file == def.file && program.def(*other).parent == program.def(def).parent
                    || program.capabilities(def.file).overloads
                        && inference.are_related(*other, def))
        };
        if !kept.iter().any(&mut twin) {
            kept.push(def);
        }
    }
    kept
}

/// Drops declarations without a body beside definitions, unless they are other overloads.
fn without_declarations(
    inference: &mut TypeInference<'_, '_>,
    mut found: Vec<DefRef>,
) -> Vec<DefRef> {
    let program = inference.program;
    let defined = |def: &DefRef| !program.def(*def).flags.has(DefFlags::DECLARATION);
    let definitions: Vec<DefRef> = found.iter().copied().filter(defined).collect();
    if definitions.is_empty() {
        return found;
    }
    let declared = found.len() - definitions.len();
    if !inference.charge_search(declared.saturating_mul(definitions.len())) {
        return found;
    }
    // A value of several types may be of one that only an interface names.
    let is_of_interface = |def: DefRef| {
        program.parent(def).is_some_and(|home| program.def(home).kind == DefKind::Interface)
    };
    let mut is_overload = |def: DefRef| match program.capabilities(def.file).declarations {
        // One that a type inherits, or has beside the others, is another overload.
        BodylessDeclarations::OfRelatedTypes => definitions
            .iter()
            .any(|other| inference.are_related(*other, def) || inference.are_related(def, *other)),
        BodylessDeclarations::DifferInArity => {
            program.differs_in_arity(def, &definitions) || is_of_interface(def)
        }
        BodylessDeclarations::GiveWay => is_of_interface(def),
    };
    found.retain(|def| defined(def) || is_overload(*def));
    found
}

/// Keeps the functions that take so many arguments. If none does, a member whose defaults may stand at its declaration
/// takes fewer.
fn keep_fitting_count(program: &ProgramFacts<'_>, arguments: usize, found: &mut Vec<DefRef>) {
    let has_defaults_elsewhere = |def: &DefRef| {
        program.capabilities(def.file).defaults_elsewhere && program.def(*def).receiver.is_known()
    };
    let count = |def: &DefRef| {
        let def = program.def(*def);
        if def.kind != DefKind::Function {
            return 0..=usize::MAX;
        }
        let skip = usize::from(def.flags.has(DefFlags::SELF_PARAM));
        let params = def.params.get(skip..).unwrap_or_default();
        let most = if params.iter().any(|p| p.variadic) { usize::MAX } else { params.len() };
        params.iter().filter(|p| !p.default.is_known() && !p.variadic).count()..=most
    };
    let takes = |def: &DefRef| count(def).contains(&arguments);
    let may_take =
        |def: &DefRef| takes(def) || has_defaults_elsewhere(def) && arguments <= *count(def).end();
    if found.iter().any(takes) {
        found.retain(takes);
    } else if found.iter().any(may_take) {
        found.retain(may_take);
    }
}

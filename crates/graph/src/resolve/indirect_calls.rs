//! Calls that do not name their target: of stored callbacks, of event handlers, and of rendering that is requested. A
//! field or variable that keeps callbacks stands between the two sides: what calls its contents triggers it, and it
//! triggers what is put into it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, Lambda, NamedEvent, NamedEventAction, Reference,
        ReferenceKind,
        value_flow::{self, ValueFlowPath, ValueFlowTarget, ValueOrigin},
    },
    graph::EdgeKind,
    resolve::{
        callback_assignments,
        program_facts::{DefRef, FileId, number},
        resolved_edge::{DefinitionEdge, EdgeEnd},
        type_inference::{NameReferent, TypeInference},
        types::{Ty, no_args},
    },
};

/// Maximum number of functions through which a callback is passed on before it is stored.
const MAX_HANDED_ON: u32 = 3;
/// Handlers that one event may have before its name says nothing.
const MAX_HANDLERS: usize = 8;
/// Places that one parameter may go to.
const MAX_WAYS: usize = 6;

/// The method that a component made of a class is drawn by.
const DRAWN_BY: &str = "render";

/// The resolved references of a file that indirect calls follow from.
#[derive(Default)]
pub(crate) struct IndirectCallInput {
    /// The definitions that are called or handed over, by the expression that names them.
    pub(crate) targets: FxHashMap<ExprId, Vec<DefRef>>,
    /// Places in the file's references of calls that are bound to nothing, or to what a value is known to be.
    pub(crate) loose: Vec<usize>,
}

/// The edges of one file.
pub(crate) fn edges_of(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    bound: &IndirectCallInput,
) -> Vec<DefinitionEdge> {
    let mut indirect = IndirectCalls {
        inference,
        file,
        bound,
        named: FxHashMap::default(),
        inside: BTreeMap::new(),
        edges: Vec::new(),
    };
    indirect.run();
    let mut edges = indirect.edges;
    edges.sort_unstable();
    edges.dedup();
    edges
}

struct IndirectCalls<'a, 'w, 'p> {
    inference: &'a mut TypeInference<'w, 'p>,
    file: FileId,
    bound: &'a IndirectCallInput,
    /// The lines of functions that are handed over by name.
    named: FxHashMap<ExprId, u32>,
    /// The lines of all references inside each definition, in order.
    inside: BTreeMap<Option<DefId>, Vec<u32>>,
    edges: Vec<DefinitionEdge>,
}

impl IndirectCalls<'_, '_, '_> {
    fn run(&mut self) {
        let facts = self.inference.program.facts(self.file);
        let values = facts.refs.iter().filter(|reference| reference.kind == ReferenceKind::Value);
        self.named = values.map(|reference| (reference.target, reference.line)).collect();
        if !facts.lambdas.is_empty() {
            for reference in &facts.refs {
                self.inside.entry(reference.from).or_default().push(reference.line);
            }
        }
        for lines in self.inside.values_mut() {
            lines.sort_unstable();
            lines.dedup();
        }
        for place in &self.bound.loose {
            self.inference.begin_question();
            let reference = &facts.refs[*place];
            self.kept_is_run(reference);
            self.request(reference);
        }
        for reference in
            facts.refs.iter().filter(|reference| reference.kind == ReferenceKind::Element)
        {
            self.drawn(reference);
        }
        let mut moves = Vec::new();
        value_flow::moves(facts, &mut |value, into| moves.push((value, into)));
        for (value, into) in moves {
            self.inference.begin_question();
            self.registration(value, into);
        }
        for (id, def) in facts.defs.iter().enumerate() {
            if def.flags.has(DefFlags::WRAPPED) {
                self.wrapped(DefRef { file: self.file, def: DefId(number(id)) });
            }
        }
        for event in facts.events.iter().filter(|event| event.action == NamedEventAction::Raises) {
            self.inference.begin_question();
            self.raised(event);
        }
    }

    fn put(&mut self, from: EdgeEnd, to: EdgeEnd, line: u32) {
        if from != to {
            self.edges.push(DefinitionEdge::dynamic(EdgeKind::Triggers, from, to, line));
        }
    }

    fn caller(&self, reference: &Reference) -> EdgeEnd {
        let from = reference.from.map(|def| DefRef { file: self.file, def });
        from.and_then(|from| self.inference.program.caller(from))
            .map_or(EdgeEnd::File(self.file), EdgeEnd::Def)
    }

    /// A call of what a field or variable keeps.
    fn kept_is_run(&mut self, reference: &Reference) {
        let facts = self.inference.program.facts(self.file);
        let capabilities = self.inference.program.capabilities(self.file);
        let mut kept = if capabilities.fields_are_called {
            held(self.inference, self.file, reference.target)
        } else {
            Vec::new()
        };
        if let Expr::Member { object, name } = *facts.expr(reference.target)
            && capabilities.invoking_methods.contains(&facts.text(name))
        {
            kept.extend(held(self.inference, self.file, object));
        }
        let from = self.caller(reference);
        for field in kept {
            self.put(from, EdgeEnd::Def(field), reference.line);
        }
    }

    /// A call on the object itself of what only its base outside the repository can have.
    fn request(&mut self, reference: &Reference) {
        let program = self.inference.program;
        let facts = program.facts(self.file);
        let (scope, name) = match *facts.expr(reference.target) {
            Expr::Member { object, name } => match *facts.expr(object) {
                Expr::This(scope) => (scope, name),
                _ => return,
            },
            Expr::Name { name, scope, .. } if program.capabilities(self.file).members_in_scope => {
                (scope, name)
            }
            _ => return,
        };
        let name = facts.text(name);
        let Some(drawn) = program.library.redraws.get(name) else { return };
        let Some(class) = self.inference.type_around(self.file, scope) else { return };
        let from = self.caller(reference);
        for method in drawn {
            for to in self.methods(class, method) {
                self.put(from, EdgeEnd::Def(to), reference.line);
            }
        }
    }

    fn methods(&mut self, class: DefRef, name: &str) -> Vec<DefRef> {
        let program = self.inference.program;
        let name = program.name(name);
        let found = self.inference.member(&Ty::Inst(class, no_args()), name);
        let methods = found.into_iter().filter_map(|entity| match entity {
            NameReferent::Def(def, _) if program.def(def).kind == DefKind::Function => Some(def),
            _ => None,
        });
        methods.collect()
    }

    /// A component that is a class, by its tag.
    fn drawn(&mut self, reference: &Reference) {
        let program = self.inference.program;
        let Some(targets) = self.bound.targets.get(&reference.target) else { return };
        let from = self.caller(reference);
        for target in targets {
            let class = match program.def(*target).kind {
                DefKind::Class => Some(*target),
                DefKind::Function if program.def(*target).flags.has(DefFlags::CONSTRUCTOR) => {
                    program.parent(*target)
                }
                _ => None,
            };
            for to in class.map(|class| self.methods(class, DRAWN_BY)).unwrap_or_default() {
                self.put(from, EdgeEnd::Def(to), reference.line);
            }
        }
    }

    /// A nested function that is an argument of a call whose result is named: the call may run or return it.
    fn wrapped(&mut self, at: DefRef) {
        let program = self.inference.program;
        let around = program.parent(at).and_then(|def| program.caller(def));
        let around = around.filter(|def| program.def(*def).kind == DefKind::Function);
        if let Some(around) = around.filter(|_| program.is_named(at)) {
            self.put(EdgeEnd::Def(around), EdgeEnd::Def(at), program.def(at).name_line);
        }
    }

    /// A function that is put somewhere, or handed to what puts it somewhere.
    fn registration(&mut self, value: ExprId, into: ValueFlowTarget) {
        // The value that a field is declared with is known by the field's type.
        let functions = match into {
            ValueFlowTarget::Field(_) => Vec::new(),
            _ => self.functions(value),
        };
        if functions.is_empty() {
            return;
        }
        for field in kept_at(self.inference, self.file, into, 0) {
            for (function, line) in &functions {
                let at_home = *line > 0 && function_file(*function) == self.file;
                self.put(EdgeEnd::Def(field), *function, if at_home { *line } else { 0 });
            }
        }
    }

    /// The functions that a value can be, with the lines that name them. A function literal counts as its enclosing
    /// definition, once for each line of the literal with a reference: only these lines run.
    fn functions(&mut self, value: ExprId) -> Vec<(EdgeEnd, u32)> {
        let program = self.inference.program;
        let facts = program.facts(self.file);
        let mut found = Vec::new();
        for origin in value_flow::origins(facts, value, ValueFlowPath::Wrappers) {
            match origin {
                ValueOrigin::Lambda(id) => found.extend(self.literal(&facts.lambdas[id.index()])),
                ValueOrigin::Function(def) => {
                    let def = DefRef { file: self.file, def };
                    let line = facts.def(def.def).start;
                    found.extend(program.named(def).map(|def| (EdgeEnd::Def(def), line)));
                }
                ValueOrigin::Named(expr) => {
                    let line = self.named.get(&expr).copied().unwrap_or_default();
                    let named = self.bound.targets.get(&expr).into_iter().flatten();
                    let named = named.filter(|def| program.def(**def).kind == DefKind::Function);
                    found.extend(named.map(|def| (EdgeEnd::Def(*def), line)));
                }
                ValueOrigin::Param(..) => {}
            }
        }
        found
    }

    /// Returns what is around a function literal, with the lines of the literal that refer to something.
    fn literal(&self, lambda: &Lambda) -> Vec<(EdgeEnd, u32)> {
        let program = self.inference.program;
        let owner = lambda.owner.map(|def| DefRef { file: self.file, def });
        let around = owner.and_then(|def| program.caller(def));
        let around = around.map_or(EdgeEnd::File(self.file), EdgeEnd::Def);
        let lines = self.inside.get(&lambda.owner).map_or(&[][..], Vec::as_slice);
        let first = lines.partition_point(|line| *line < lambda.line);
        let end = lines.partition_point(|line| *line <= lambda.end).max(first);
        if !self.inference.charge_search(end - first) {
            return Vec::new();
        }
        lines[first..end].iter().map(|line| (around, *line)).collect()
    }

    /// An event that is raised: the handlers that listen for it by the same string.
    fn raised(&mut self, event: &NamedEvent) {
        let program = self.inference.program;
        let listeners = program.listeners(program.name_of(self.file, event.key));
        if listeners.is_empty() || listeners.len() > MAX_HANDLERS {
            return;
        }
        let from = event.from.map(|def| DefRef { file: self.file, def });
        let from =
            from.and_then(|def| program.caller(def)).map_or(EdgeEnd::File(self.file), EdgeEnd::Def);
        for (home, place) in listeners {
            if program.family(*home) != program.family(self.file) {
                continue;
            }
            let listens = &program.facts(*home).events[*place];
            if !self.may_meet(event.call, *home, listens.call) {
                continue;
            }
            for handler in handlers(self.inference, *home, listens) {
                self.put(from, handler, event.line);
            }
        }
    }

    /// Whether what raises and what listens may be one object: no if both are the repository's and unrelated.
    fn may_meet(&mut self, raises: ExprId, home: FileId, listens: ExprId) -> bool {
        let raised_on = receiver(self.inference, self.file, raises);
        let listened_on = receiver(self.inference, home, listens);
        if raised_on.is_empty() || listened_on.is_empty() {
            return true;
        }
        raised_on.iter().any(|class| listened_on.contains(class))
    }
}

const fn function_file(function: EdgeEnd) -> FileId {
    match function {
        EdgeEnd::File(file) => file,
        EdgeEnd::Def(def) => def.file,
    }
}

/// The repository's types that the object of a call is, with those above them.
fn receiver(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    call: ExprId,
) -> FxHashSet<DefRef> {
    let facts = inference.program.facts(file);
    let mut found = FxHashSet::default();
    let Expr::Call { callee, .. } = facts.expr(call) else { return found };
    let Expr::Member { object, .. } = *facts.expr(*callee) else { return found };
    let ty = inference.type_of(file, object).ty;
    let mut open: Vec<DefRef> = Vec::new();
    for ty in ty.each() {
        let Ty::Inst(def, _) = ty else { return FxHashSet::default() };
        open.push(*def);
    }
    while let Some(def) = open.pop() {
        if found.len() > 32 || !found.insert(def) {
            continue;
        }
        for up in inference.supers(def) {
            match up {
                Ty::Inst(up, _) => open.push(up),
                // A supertype outside the repository may be the one that they share.
                _ => return FxHashSet::default(),
            }
        }
    }
    found
}

/// The handlers that a call registers for an event.
fn handlers(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    event: &NamedEvent,
) -> Vec<EdgeEnd> {
    let program = inference.program;
    let facts = program.facts(file);
    let Expr::Call { args, .. } = facts.expr(event.call) else { return Vec::new() };
    let mut found = Vec::new();
    for value in args.iter().skip(1) {
        for origin in value_flow::origins(facts, *value, ValueFlowPath::Wrappers) {
            match origin {
                ValueOrigin::Lambda(_) => {
                    let around = event.from.map(|def| DefRef { file, def });
                    let around = around.and_then(|def| program.caller(def));
                    found.push(around.map_or(EdgeEnd::File(file), EdgeEnd::Def));
                }
                ValueOrigin::Function(def) => {
                    found.extend(program.named(DefRef { file, def }).map(EdgeEnd::Def));
                }
                ValueOrigin::Named(expr) => {
                    let (entities, _) = inference.resolve_expr(file, expr);
                    found.extend(entities.into_iter().filter_map(|entity| match entity {
                        NameReferent::Def(def, _) if program.def(def).kind == DefKind::Function => {
                            program.named(def).map(EdgeEnd::Def)
                        }
                        _ => None,
                    }));
                }
                ValueOrigin::Param(..) => {}
            }
        }
    }
    found
}

/// The fields and variables that a value is kept in, or comes out of.
fn held(inference: &mut TypeInference<'_, '_>, file: FileId, value: ExprId) -> Vec<DefRef> {
    let program = inference.program;
    let mut found = Vec::new();
    for origin in value_flow::origins(program.facts(file), value, ValueFlowPath::Parts) {
        let ValueOrigin::Named(expr) = origin else { continue };
        for entity in inference.resolve_expr(file, expr).0 {
            if let NameReferent::Def(def, _) = entity
                && matches!(program.def(def).kind, DefKind::Field | DefKind::Variable)
                && program.is_named(def)
                && !found.contains(&def)
            {
                found.push(def);
            }
        }
    }
    found
}

/// The fields and variables that keep what goes somewhere.
fn kept_at(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    into: ValueFlowTarget,
    depth: u32,
) -> Vec<DefRef> {
    let program = inference.program;
    match into {
        ValueFlowTarget::Place(place) => held(inference, file, place),
        ValueFlowTarget::Field(def) => {
            let def = DefRef { file, def };
            Vec::from_iter(program.is_named(def).then_some(def))
        }
        ValueFlowTarget::Slot(ty, field) => {
            let holder = inference.eval_type(file, ty);
            callback_assignments::fields_of(inference, file, &holder, field)
        }
        ValueFlowTarget::Argument(callee, place) => {
            let functions = functions_called(inference, file, callee);
            if functions.is_empty() {
                let facts = program.facts(file);
                return match *facts.expr(callee) {
                    Expr::Member { object, name } if value_flow::keeps(facts.text(name)) => {
                        held(inference, file, object)
                    }
                    _ => Vec::new(),
                };
            }
            let mut found = Vec::new();
            for function in functions {
                found.extend(kept_by(inference, (file, callee), function, place, depth));
            }
            found
        }
    }
}

/// The functions of the repository that a call runs, constructors for types.
fn functions_called(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    callee: ExprId,
) -> Vec<DefRef> {
    let program = inference.program;
    let mut found = Vec::new();
    for entity in inference.resolve_expr(file, callee).0 {
        let NameReferent::Def(def, _) = entity else { continue };
        match program.def(def).kind {
            DefKind::Function => found.push(def),
            DefKind::Class | DefKind::Struct => found.extend(inference.constructors(def)),
            _ => {}
        }
    }
    found.truncate(MAX_WAYS);
    found
}

/// The fields and variables that keep what a function takes as argument `place` of a call.
fn kept_by(
    inference: &mut TypeInference<'_, '_>,
    (file, callee): (FileId, ExprId),
    function: DefRef,
    place: u16,
    depth: u32,
) -> Vec<DefRef> {
    let program = inference.program;
    let def = program.def(function);
    if def.params.is_empty() || depth >= MAX_HANDED_ON {
        return Vec::new();
    }
    let labelled = program.facts(file).labels.contains_key(&callee);
    let at = if labelled {
        let places = inference.places(file, callee, function);
        places.and_then(|places| places.get(usize::from(place)).copied())
    } else {
        Some(usize::from(place) + usize::from(def.flags.has(DefFlags::SELF_PARAM)))
    };
    let Some(mut at) = at else { return Vec::new() };
    if at >= def.params.len() && def.params.last().is_some_and(|last| last.variadic) {
        at = def.params.len() - 1;
    }
    let Ok(at) = u16::try_from(at) else { return Vec::new() };
    let ways = program.value_flow(function).of_param(function.def, at);
    let mut found = Vec::new();
    for into in ways.iter().take(MAX_WAYS) {
        for field in kept_at(inference, function.file, *into, depth + 1) {
            if !found.contains(&field) {
                found.push(field);
            }
        }
    }
    found
}

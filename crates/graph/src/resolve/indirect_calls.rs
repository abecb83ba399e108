//! Calls that do not name their target: of stored callbacks, of event handlers, and of rendering that is requested. A
//! field or variable that keeps callbacks stands between the two sides: what calls its contents triggers it, and it
//! triggers what is put into it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, Lambda, NamedEventAction, Reference, ReferenceKind,
        value_flow::{self, ValueFlowPath, ValueFlowTarget, ValueOrigin},
    },
    graph_model::EdgeKind,
    resolve::{
        collect_callback_assignments,
        inference_results::{CallArguments, Ty},
        program_facts::{DefRef, FileId, number},
        resolved_edge::{DefinitionEdge, EdgeEnd},
        type_inference::{NameReferent, TypeInference},
    },
};

/// The resolved references of a file that indirect calls follow from.
#[derive(Default)]
pub(crate) struct IndirectCallInput {
    /// The definitions that are called or handed over, by the expression that names them.
    pub(crate) targets: FxHashMap<ExprId, Vec<DefRef>>,
    /// Names and members whose reading runs something.
    pub(crate) read: FxHashSet<ExprId>,
    /// Places in the file's references of calls that are bound to nothing, or to what a value is known to be.
    pub(crate) loose: Vec<usize>,
}

impl IndirectCallInput {
    /// Notes what a reference is bound to.
    pub(crate) fn note(&mut self, reference: &Reference, targets: &[DefRef]) {
        match reference.kind {
            ReferenceKind::Value | ReferenceKind::Element => {
                self.targets.insert(reference.target, targets.to_vec());
            }
            ReferenceKind::Read => {
                self.read.insert(reference.target);
            }
            _ => {}
        }
    }
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

pub(super) struct IndirectCalls<'a, 'w, 'p> {
    pub(super) inference: &'a mut TypeInference<'w, 'p>,
    pub(super) file: FileId,
    pub(super) bound: &'a IndirectCallInput,
    /// The lines of functions that are handed over by name.
    pub(super) named: FxHashMap<ExprId, u32>,
    /// The lines of all references inside each definition, in order.
    pub(super) inside: BTreeMap<Option<DefId>, Vec<u32>>,
    pub(super) edges: Vec<DefinitionEdge>,
}

impl IndirectCalls<'_, '_, '_> {
    fn run(&mut self) {
        let facts = self.inference.program.facts(self.file);
        let values = facts.refs.iter().filter(|reference| reference.kind == ReferenceKind::Value);
        self.named = values.map(|reference| (reference.target, reference.line)).collect();
        if !facts.lambdas.is_empty() {
            let runs = |reference: &&Reference| {
                reference.kind != ReferenceKind::Read || self.bound.read.contains(&reference.target)
            };
            for reference in facts.refs.iter().filter(runs) {
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
            // `: field(value)` makes what the field holds.
            if reference.kind != ReferenceKind::Made {
                self.kept_is_run(reference);
            }
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
            if let ValueFlowTarget::Argument(call, argument) = into {
                self.method_is_given(value, call, argument);
            }
        }
        for (id, def) in facts.defs.iter().enumerate() {
            let at = DefRef { file: self.file, def: DefId(number(id)) };
            if def.flags.has(DefFlags::WRAPPED) {
                self.wrapped(at);
            }
            self.inference.begin_question();
            for field in fields_assigned(self.inference, at) {
                self.put(EdgeEnd::Def(field), EdgeEnd::Def(at), def.start);
            }
        }
        for event in facts.events.iter().filter(|event| event.action == NamedEventAction::Raises) {
            self.inference.begin_question();
            self.raised(event);
        }
    }

    pub(super) fn put(&mut self, from: EdgeEnd, to: EdgeEnd, line: u32) {
        if from != to {
            self.edges.push(DefinitionEdge::dynamic(EdgeKind::Triggers, from, to, line));
        }
    }

    pub(super) fn caller(&self, reference: &Reference) -> EdgeEnd {
        let from = reference.from.map(|def| DefRef { file: self.file, def });
        from.and_then(|from| self.inference.program.caller(from))
            .map_or(EdgeEnd::File(self.file), EdgeEnd::Def)
    }

    /// A call of what a field or variable keeps.
    fn kept_is_run(&mut self, reference: &Reference) {
        let facts = self.inference.program.facts(self.file);
        let capabilities = self.inference.program.capabilities(self.file);
        let mut kept = if self.inference.program.may_call_field(self.file, reference.target) {
            held(self.inference, self.file, reference.target)
        } else {
            Vec::new()
        };
        if reference.kind == ReferenceKind::Read && !kept.is_empty() {
            // What a field keeps is handed on where the field is read, and not run.
            return;
        }
        if let Expr::Member { object, name } = *facts.expr(reference.target)
            && capabilities.invoking_methods.contains(&facts.text(name))
        {
            kept.extend(held(self.inference, self.file, object));
        }
        let from = self.caller(reference);
        for field in kept {
            self.put(from, EdgeEnd::Def(field), reference.line);
            for declared in self.declared_above(field) {
                self.put(from, EdgeEnd::Def(declared), reference.line);
            }
        }
    }

    /// The fields that a field implements, or that it replaces: what is put into one of them by its type is kept in it.
    fn declared_above(&mut self, field: DefRef) -> Vec<DefRef> {
        let program = self.inference.program;
        let owner = program.parent(field).filter(|_| program.def(field).kind == DefKind::Field);
        let Some(owner) = owner else { return Vec::new() };
        let name = program.def_name(field);
        let above = self.inference.types_above(owner);
        let named = above.into_iter().flat_map(|ty| program.members_named(ty, name));
        let is_other =
            |other: &&DefRef| **other != field && program.def(**other).kind == DefKind::Field;
        named.filter(is_other).copied().collect()
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
        let functions = match into {
            // A literal that a field is declared with is known by the field's type.
            ValueFlowTarget::Field(_) => self.functions_named(value),
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

    /// A function literal, or a function by its name, that an argument gives for an interface with one method.
    fn method_is_given(&mut self, value: ExprId, call: ExprId, argument: u16) {
        let program = self.inference.program;
        let facts = program.facts(self.file);
        if !program.capabilities(self.file).functional_interfaces {
            return;
        }
        let (functions, takes) = match facts.expr(value) {
            Expr::Lambda(id) => {
                let lambda = &facts.lambdas[id.index()];
                (self.literal(lambda), Some(lambda.params.len()))
            }
            Expr::Name { .. } | Expr::Member { .. } => (self.functions_named(value), None),
            _ => return,
        };
        if functions.is_empty() {
            return;
        }
        let Some(method) = self.inference.functional_method(self.file, call, argument) else {
            return;
        };
        if takes.is_some_and(|takes| takes != program.def(method).params.len()) {
            return;
        }
        for (function, line) in functions {
            let at_home = line > 0 && function_file(function) == self.file;
            self.put(EdgeEnd::Def(method), function, if at_home { line } else { 0 });
        }
    }

    /// The functions that a value names, or chooses from, with the lines that name them.
    fn functions_named(&self, value: ExprId) -> Vec<(EdgeEnd, u32)> {
        let facts = self.inference.program.facts(self.file);
        let (mut found, mut open) = (Vec::new(), vec![value]);
        // A value is made after the values that it is chosen from.
        while let Some(named) = open.pop().filter(|_| found.len() <= MAX_NAMED) {
            if let Expr::Either(values) = facts.expr(named) {
                open.extend(values.iter().filter(|value| **value < named));
            }
            let line = self.named.get(&named).copied().unwrap_or_default();
            let functions = self.bound.targets.get(&named).into_iter().flatten();
            let is_function =
                |def: &&DefRef| self.inference.program.def(**def).kind == DefKind::Function;
            found.extend(functions.filter(is_function).map(|def| (EdgeEnd::Def(*def), line)));
        }
        found
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
}

const fn function_file(function: EdgeEnd) -> FileId {
    match function {
        EdgeEnd::File(file) => file,
        EdgeEnd::Def(def) => def.file,
    }
}

/// Maximum number of functions through which a callback is passed on before it is stored.
const MAX_HANDED_ON: u32 = 3;

/// Functions that one value may be chosen from.
const MAX_NAMED: usize = 8;

/// Places that one parameter may go to.
const MAX_WAYS: usize = 6;

/// The fields and variables that a value is kept in, or comes out of.
pub(super) fn held(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    value: ExprId,
) -> Vec<DefRef> {
    let program = inference.program;
    let mut found = Vec::new();
    for origin in value_flow::origins(program.facts(file), value, ValueFlowPath::Parts) {
        let ValueOrigin::Named(expr) = origin else { continue };
        for referent in inference.resolve_expr(file, expr).0 {
            let NameReferent::Def(def, _) = referent else { continue };
            let mut places = fields_assigned(inference, def);
            if matches!(program.def(def).kind, DefKind::Field | DefKind::Variable) {
                places.push(def);
            }
            for place in places {
                if program.is_named(place) && !found.contains(&place) {
                    found.push(place);
                }
            }
        }
    }
    found
}

/// The declared fields of a type that a function is assigned to: `context.run = () => {}`. A call means the function.
fn fields_assigned(inference: &mut TypeInference<'_, '_>, function: DefRef) -> Vec<DefRef> {
    let program = inference.program;
    if !program.is_assigned_member(function) {
        return Vec::new();
    }
    let (receiver, name) = (program.def(function).receiver, program.def_name(function));
    let mut found = Vec::new();
    for holder in inference.eval_type(function.file, receiver).each() {
        let Ty::Inst(holder, _) = holder else { continue };
        for above in inference.types_above(*holder) {
            let fields = program.members_named(above, name).iter().copied();
            found.extend(fields.filter(|field| program.def(*field).kind == DefKind::Field));
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
            collect_callback_assignments::fields_of(inference, file, &holder, field)
        }
        ValueFlowTarget::Argument(call, place) => {
            let (Expr::Call { callee, args, type_args } | Expr::New { callee, args, type_args }) =
                program.facts(file).expr(call)
            else {
                return Vec::new();
            };
            let callee = *callee;
            let arguments = CallArguments { file, values: args, types: type_args, callee };
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
                found.extend(kept_by(inference, arguments, function, place, depth));
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
    for referent in inference.resolve_expr(file, callee).0 {
        let NameReferent::Def(def, _) = referent else { continue };
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
    arguments: CallArguments<'_>,
    function: DefRef,
    place: u16,
    depth: u32,
) -> Vec<DefRef> {
    let program = inference.program;
    let def = program.def(function);
    if def.params.is_empty() || depth >= MAX_HANDED_ON {
        return Vec::new();
    }
    let at = inference.taken_at(arguments, function, place);
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

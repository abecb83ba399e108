//! Calls of event handlers: what raises an event calls the handlers that listen for it by the same string.

use rustc_hash::FxHashSet;

use crate::{
    facts::{
        DefFlags, DefKind, EVENT_BY_DEFINITION, Expr, ExprId, NamedEvent,
        value_flow::{self, ValueFlowPath, ValueOrigin},
    },
    resolve::{
        indirect_calls::IndirectCalls,
        inference_results::Ty,
        program_facts::{DefRef, FileId, Name},
        resolved_edge::EdgeEnd,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Handlers that one event may have before its name says nothing.
const MAX_HANDLERS: usize = 8;
/// Handlers that one event may have that is named by a type or a constant.
const MAX_HANDLERS_OF_DEFINITION: usize = 64;
/// Arguments that may name an event.
const MAX_KEYS: usize = 2;

impl IndirectCalls<'_, '_, '_> {
    /// An event that is raised: the handlers that listen for it by the same string.
    pub(super) fn raised(&mut self, event: &NamedEvent) {
        let program = self.inference.program;
        let key = program.name_of(self.file, event.key);
        if !program.text(key).is_empty() {
            self.raised_by(event, key, None);
            return;
        }
        for named in self.definitions_raised(event) {
            let name = program.text(program.def_name(named));
            let key = program.name(&format!("{EVENT_BY_DEFINITION}{name}"));
            self.raised_by(event, key, Some(named));
        }
    }

    /// The types and constants that may say which event a call raises.
    fn definitions_raised(&mut self, event: &NamedEvent) -> Vec<DefRef> {
        let program = self.inference.program;
        let facts = program.facts(self.file);
        let Expr::Call { args, .. } = facts.expr(event.call) else { return Vec::new() };
        let mut found = Vec::new();
        for value in args.iter().take(MAX_KEYS) {
            if let Expr::Member { .. } = facts.expr(*value) {
                let named = self.inference.resolve_expr(self.file, *value).0;
                let named = named.iter().filter_map(NameReferent::definition);
                found.extend(named.filter(|def| program.def(*def).flags.has(DefFlags::STATIC)));
            }
        }
        if let Some(first) = args.first() {
            let ty = self.inference.type_of(self.file, *first).ty;
            found.extend(ty.each().iter().filter_map(|ty| match ty {
                Ty::Inst(def, _) => Some(*def),
                _ => None,
            }));
        }
        found
    }

    /// Notes the handlers that listen for the event by its key; `named` is what the key names, if that is a definition.
    fn raised_by(&mut self, event: &NamedEvent, key: Name, named: Option<DefRef>) {
        let program = self.inference.program;
        let listeners = program.listeners(key);
        let most = if named.is_some() { MAX_HANDLERS_OF_DEFINITION } else { MAX_HANDLERS };
        if listeners.is_empty() || listeners.len() > most {
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
            let is_it = named.is_none_or(|named| self.listens_for(*home, listens, named));
            if !is_it || !self.may_meet(event.call, *home, listens.call) {
                continue;
            }
            for handler in handlers(self.inference, *home, listens) {
                self.put(from, handler, event.line);
            }
        }
    }

    /// Whether the first argument of a call that listens names the definition.
    fn listens_for(&mut self, home: FileId, listens: &NamedEvent, named: DefRef) -> bool {
        let facts = self.inference.program.facts(home);
        let Expr::Call { args, .. } = facts.expr(listens.call) else { return false };
        let Some(key) = args.first() else { return false };
        let keys = self.inference.resolve_expr(home, *key).0;
        keys.iter().any(|key| key.definition() == Some(named))
    }

    /// Whether the object that raises an event and the one that listens may be the same: no if both types are declared in the
    /// repository and unrelated.
    fn may_meet(&mut self, raises: ExprId, home: FileId, listens: ExprId) -> bool {
        let raised_on = receiver(self.inference, self.file, raises);
        let listened_on = receiver(self.inference, home, listens);
        if raised_on.is_empty() || listened_on.is_empty() {
            return true;
        }
        raised_on.iter().any(|class| listened_on.contains(class))
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
                    let (referents, _) = inference.resolve_expr(file, expr);
                    found.extend(referents.into_iter().filter_map(|referent| match referent {
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

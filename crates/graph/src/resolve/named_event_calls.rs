//! Calls of event handlers: what raises an event calls the handlers that listen for it by the same string.

use rustc_hash::FxHashSet;

use crate::{
    facts::{
        DefKind, Expr, ExprId, NamedEvent,
        value_flow::{self, ValueFlowPath, ValueOrigin},
    },
    resolve::{
        indirect_calls::IndirectCalls,
        inference_results::Ty,
        program_facts::{DefRef, FileId},
        resolved_edge::EdgeEnd,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Handlers that one event may have before its name says nothing.
const MAX_HANDLERS: usize = 8;

impl IndirectCalls<'_, '_, '_> {
    /// An event that is raised: the handlers that listen for it by the same string.
    pub(super) fn raised(&mut self, event: &NamedEvent) {
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

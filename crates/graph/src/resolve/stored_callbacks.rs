//! The fields and variables that keep a callback: where a value is put, directly or by the functions that it is passed to.

use crate::{
    facts::{
        DefFlags, DefKind, Expr, ExprId,
        value_flow::{self, ValueFlowPath, ValueFlowTarget, ValueOrigin},
    },
    resolve::{
        collect_callback_assignments,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Maximum number of functions through which a callback is passed on before it is stored.
const MAX_HANDED_ON: u32 = 3;

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
pub(super) fn kept_at(
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

//! Lua's loops.

use super::expressions::{ITERATORS, bind_behind};
use crate::{
    facts::{Expr, ExprId, ModuleExport, TypeId},
    lowering::{LoweringContext, ReturnTarget, Slot, SyntaxNodeFields, kids},
    syntax::SyntaxNode,
};

pub(super) fn for_loop<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    lower.in_block(|lower| {
        if let Some(clause) = node.field("clause") {
            match clause.kind() {
                "for_generic_clause" => generic_clause(lower, clause),
                _ => {
                    for child in kids(clause) {
                        if clause.field("name").is_some_and(|name| name == child) {
                            let value = lower.literal("number");
                            lower.bind_local(child, TypeId::UNKNOWN, value);
                        } else {
                            lower.node(child);
                        }
                    }
                }
            }
        }
        lower.part(parts, Slot::Body);
    });
}

/// `for k, v in pairs(t)`.
fn generic_clause<'t>(lower: &mut LoweringContext<'t>, clause: SyntaxNode<'t>) {
    let [names, values] = kids(clause)[..] else {
        lower.children(clause);
        return;
    };
    let first = values.named_child(0);
    let iterated = first.filter(|call| {
        call.kind() == "function_call"
            && call.field("name").is_some_and(|name| ITERATORS.contains(&lower.text(name)))
    });
    let values = lower.values(values);
    let table = iterated.and_then(|_| match lower.facts.expr(*values.first()?) {
        Expr::Call { args, .. } => args.first().copied(),
        _ => None,
    });
    for (place, name) in kids(names).into_iter().enumerate() {
        let value = match table {
            Some(table) if place == 1 => lower.push(Expr::Elem(table)),
            _ => ExprId::UNKNOWN,
        };
        lower.bind_local(name, TypeId::UNKNOWN, value);
        bind_behind(lower, clause);
    }
}

/// `return a, b`: a function gives its first value; that of a file is the module.
pub(super) fn return_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let list = node.named_children().find(|child| child.kind() == "expression_list");
    let Some(list) = list else { return };
    for (place, value) in kids(list).into_iter().enumerate() {
        let value = lower.kept_value(value);
        if place > 0 || !value.is_known() {
            continue;
        }
        match lower.at.body {
            ReturnTarget::Def(id) => lower.def_mut(id).returns.push(value),
            ReturnTarget::Lambda(id) => lower.facts.lambdas[id.index()].returns.push(value),
            ReturnTarget::File => {
                let name = lower.sym("default");
                lower.push_export(ModuleExport::Value { name, value });
            }
        }
    }
}

//! Swift's statements: assignments, conditions and what they bind, loops, cases, handlers, and `return`.

use super::binding_patterns::{PatternReader, bind, children};
use crate::{
    facts::{BindingTarget, Expr, ExprId, TypeId},
    languages::swift::{SyntaxChildWithField, class_of, expected, fields},
    lowering::{LoweringContext, ReturnTarget, index, kids},
    syntax::SyntaxNode,
};

/// `if`, as a statement or as a value.
pub(crate) fn if_statement<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let mut values = Vec::new();
    let parts = fields(node);
    let otherwise = parts.iter().position(|(_, part)| lower.kind(*part) == "else");
    let (head, tail) = parts.split_at(otherwise.unwrap_or(parts.len()));
    values.push(lower.in_block(|lower| {
        conditions(lower, head);
        body(lower, head, expected)
    }));
    for (_, part) in tail {
        match lower.kind(*part) {
            "statements" => {
                values.push(lower.in_block(|lower| {
                    lower.expected = expected;
                    lower.node(*part)
                }));
            }
            "if_statement" => {
                lower.expected = expected;
                values.push(lower.node(*part));
            }
            _ => {}
        }
    }
    lower.push(Expr::Either(values))
}

/// `guard` and `while`: what the conditions bind is seen by all that follows.
pub(crate) fn guard_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = fields(node);
    conditions(lower, &parts);
    lower.in_block(|lower| body(lower, &parts, ExprId::UNKNOWN));
}

fn body<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &[SyntaxChildWithField<'t>],
    expected: ExprId,
) -> ExprId {
    match parts.iter().find(|(_, part)| lower.kind(*part) == "statements") {
        Some((_, list)) => {
            if list.named_child_count() == 1 {
                lower.expected = expected;
            }
            let value = lower.node(*list);
            lower.expected = ExprId::UNKNOWN;
            value
        }
        None => ExprId::UNKNOWN,
    }
}

/// The conditions of a statement, which the grammar puts among its parts without nodes of their own.
fn conditions<'t>(lower: &mut LoweringContext<'t>, parts: &[SyntaxChildWithField<'t>]) {
    let items: Vec<SyntaxNode<'t>> = parts
        .iter()
        .filter(|(field, part)| {
            matches!(field, Some("condition" | "bound_identifier")) || lower.kind(*part) == ","
        })
        .map(|(_, part)| *part)
        .collect();
    let mut depth = 0;
    let groups = items.split(|part| {
        match lower.kind(*part) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        lower.kind(*part) == "," && depth == 0
    });
    let groups: Vec<&[SyntaxNode<'t>]> = groups.collect();
    for group in groups {
        condition(lower, group);
    }
}

fn condition<'t>(lower: &mut LoweringContext<'t>, parts: &[SyntaxNode<'t>]) {
    let equals = parts.iter().position(|part| lower.kind(*part) == "=");
    let (left, right) = match equals {
        Some(at) => (&parts[..at], parts.get(at + 1).copied()),
        None => (parts, None),
    };
    match left.first().map(SyntaxNode::kind) {
        Some("case") => {
            let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
            PatternReader { parts: &left[1..], at: 0, binds: false }.one(lower, value);
        }
        Some("value_binding_pattern") => {
            let Some(name) = left.iter().rfind(|part| lower.kind(**part) == "simple_identifier")
            else {
                // `let (a, b) = …`
                let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
                let value = lower.push(Expr::Unwrap(value));
                PatternReader { parts: &left[1..], at: 0, binds: true }.one(lower, value);
                return;
            };
            let ty = left
                .iter()
                .find(|part| lower.kind(**part) == "type_annotation")
                .and_then(|part| lower.in_field(*part, "name"))
                .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
            let value = match right {
                Some(right) => lower.node(right),
                // `if let name` unwraps what goes by that name already.
                None => lower.node(*name),
            };
            let value = lower.push(Expr::Unwrap(value));
            let end = right.unwrap_or(*name).end_byte();
            bind(lower, *name, index(end), ty, value);
        }
        _ => {
            for part in parts.iter().filter(|part| part.is_named()) {
                lower.node(*part);
            }
        }
    }
}

pub(crate) fn for_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let collection = lower.in_field(node, "collection");
    let value = collection.map_or(ExprId::UNKNOWN, |collection| lower.node(collection));
    lower.in_block(|lower| {
        let item = lower.push(Expr::Elem(value));
        if let Some(pattern) = lower.in_field(node, "item") {
            let parts = children(pattern);
            let case = parts.first().is_some_and(|part| lower.kind(*part) == "case");
            PatternReader { parts: &parts[usize::from(case)..], at: 0, binds: !case }
                .one(lower, item);
        }
        for child in kids(node) {
            if matches!(lower.kind(child), "where_clause" | "statements") {
                lower.node(child);
            }
        }
    });
}

pub(crate) fn switch_statement<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let subject = lower.in_field(node, "expr").map_or(ExprId::UNKNOWN, |s| lower.node(s));
    let mut values = Vec::new();
    for entry in kids(node).into_iter().filter(|child| child.kind() == "switch_entry") {
        values.push(lower.in_block(|lower| {
            let mut value = ExprId::UNKNOWN;
            for part in kids(entry) {
                match lower.kind(part) {
                    "switch_pattern" => {
                        let inner = part.named_child(0).map(children).unwrap_or_default();
                        PatternReader { parts: &inner, at: 0, binds: false }.one(lower, subject);
                    }
                    "statements" => {
                        if part.named_child_count() == 1 {
                            lower.expected = expected;
                        }
                        value = lower.node(part);
                        lower.expected = ExprId::UNKNOWN;
                    }
                    _ => {
                        lower.node(part);
                    }
                }
            }
            value
        }));
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn do_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in kids(node) {
        lower.in_block(|lower| {
            if lower.kind(child) != "catch_block" {
                lower.node(child);
                return;
            }
            let any = lower.sym("Error");
            let ty = lower.named(vec![any], Vec::new(), child);
            let thrown = lower.push(Expr::Typed(ty));
            match lower.in_field(child, "error") {
                Some(pattern) => {
                    let parts = children(pattern);
                    PatternReader { parts: &parts, at: 0, binds: false }.one(lower, thrown);
                }
                None => {
                    let name = lower.sym("error");
                    lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
                }
            }
            for part in kids(child) {
                if matches!(lower.kind(part), "where_clause" | "statements") {
                    lower.node(part);
                }
            }
        });
    }
}

/// `return`, `throw`, `break` …
pub(crate) fn transfer<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if node.child(0).is_none_or(|word| word.kind() != "return") {
        lower.children(node);
        return;
    }
    if let ReturnTarget::Def(id) = lower.at.body {
        let ty = lower.facts.def(id).ty;
        lower.expected = expected(lower, ty);
    }
    let value = lower.child(node, "result");
    lower.expected = ExprId::UNKNOWN;
    lower.hand_on(value, node);
    if value.is_known() {
        match lower.at.body {
            ReturnTarget::Def(id) => lower.def_mut(id).returns.push(value),
            ReturnTarget::Lambda(id) => lower.facts.lambdas[id.index()].returns.push(value),
            ReturnTarget::File => {}
        }
    }
}

pub(crate) fn assignment<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let target = lower.in_field(node, "target").and_then(|target| target.named_child(0));
    let left = target.map_or(ExprId::UNKNOWN, |target| lower.node(target));
    let Some(right) = lower.in_field(node, "result") else { return };
    lower.expected = class_of(lower, left);
    let value = lower.node(right);
    lower.expected = ExprId::UNKNOWN;
    lower.hand_on(value, right);
}

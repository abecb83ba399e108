//! Rust's macro calls: the expressions in their tokens, and the items inside those that stand around items.

use crate::{
    facts::{Expr, ExprId, RefKind},
    languages::rust::module_word,
    lowering::{Lower, index},
    syntax::Node,
};

pub(crate) fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let name = lower.in_field(node, "macro");
    if let Some(name) = name {
        let last = lower.text(name).rsplit("::").next().unwrap_or_default();
        let spelled = lower.sym(&format!("{last}!"));
        let (scope, pos) = (lower.at.scope, index(name.start_byte()));
        let target = lower.push(Expr::Name { name: spelled, scope, pos });
        lower.resolve_expr(RefKind::Call, target, 0, name.start_position().row);
    }
    for child in node.named_children() {
        if lower.kind(child) == "token_tree" {
            let values = tokens(lower, child, 0);
            if name.is_some_and(|name| lower.text(name) == "vec") {
                return lower.push(Expr::Array(values));
            }
        }
    }
    ExprId::UNKNOWN
}

/// Reads what looks like expressions in the tokens of a macro call: names, paths, members, calls.
fn tokens<'t>(lower: &mut Lower<'t>, tree: Node<'t>, depth: u32) -> Vec<ExprId> {
    let all: Vec<Node<'t>> = tree.children().collect();
    let mut values = Vec::new();
    let mut value = ExprId::UNKNOWN;
    let mut joined = false;
    let mut at = 0;
    if depth > 60 {
        return values;
    }
    while let Some(token) = all.get(at).copied() {
        at += 1;
        let next = all.get(at).map(|next| lower.kind(*next));
        match lower.kind(token) {
            "identifier" | "self" | "crate" | "super" => {
                let text = lower.text(token);
                if matches!(
                    text,
                    "if" | "else"
                        | "match"
                        | "return"
                        | "let"
                        | "mut"
                        | "move"
                        | "async"
                        | "in"
                        | "ref"
                        | "for"
                        | "while"
                        | "loop"
                        | "unsafe"
                        | "as"
                ) {
                    (value, joined) = (ExprId::UNKNOWN, false);
                    continue;
                }
                value = if joined && text == "await" {
                    lower.push(Expr::Await(value))
                } else if joined {
                    let name = lower.sym_of(token);
                    lower.push(Expr::Member { object: value, name })
                } else if lower.kind(token) == "self" && next != Some("::") {
                    lower.push(Expr::This(lower.at.scope))
                } else if lower.kind(token) == "self" {
                    module_word(lower, token, "self::")
                } else {
                    lower.name_expr(token)
                };
                joined = false;
                if next == Some("!") {
                    at += 1;
                    value = ExprId::UNKNOWN;
                }
                if all.get(at).is_some_and(|next| {
                    lower.kind(*next) == "token_tree" && lower.text(*next).starts_with('(')
                }) && value.is_known()
                {
                    let list = all[at];
                    at += 1;
                    let args = tokens(lower, list, depth + 1);
                    lower.resolve_expr(
                        RefKind::Call,
                        value,
                        args.len(),
                        token.start_position().row,
                    );
                    value = lower.push(Expr::Call { callee: value, args, type_args: Vec::new() });
                }
            }
            "." => joined = value.is_known(),
            "::" => {
                joined = value.is_known();
                if next == Some("<") {
                    // A turbofish says nothing about what is called.
                    let mut open = 0i32;
                    while let Some(token) = all.get(at) {
                        at += 1;
                        match lower.kind(*token) {
                            "<" => open += 1,
                            ">" => open -= 1,
                            ">>" => open -= 2,
                            _ => {}
                        }
                        if open <= 0 {
                            break;
                        }
                    }
                    if let Some(list) = all
                        .get(at)
                        .filter(|t| t.kind() == "token_tree" && lower.text(**t).starts_with('('))
                    {
                        let args = tokens(lower, *list, depth + 1);
                        lower.resolve_expr(
                            RefKind::Call,
                            value,
                            args.len(),
                            token.start_position().row,
                        );
                        value =
                            lower.push(Expr::Call { callee: value, args, type_args: Vec::new() });
                        at += 1;
                        joined = false;
                    }
                }
            }
            "?" => value = lower.push(Expr::Unwrap(value)),
            "token_tree" => {
                let indexed = lower.text(token).starts_with('[') && value.is_known();
                tokens(lower, token, depth + 1);
                value = if indexed { lower.push(Expr::Index(value)) } else { ExprId::UNKNOWN };
                joined = false;
            }
            "integer_literal" if joined => {
                let name = lower.sym_of(token);
                value = lower.push(Expr::Member { object: value, name });
                joined = false;
            }
            "," => {
                values.push(value);
                (value, joined) = (ExprId::UNKNOWN, false);
            }
            _ => (value, joined) = (ExprId::UNKNOWN, false),
        }
    }
    values.push(value);
    values
}

/// Blanks the heads of item macros (`name! { … }` around items) so that the items inside are read.
pub(crate) fn unwrap_items(source: &str, root: Node<'_>) -> Option<String> {
    let mut plain: Option<Vec<u8>> = None;
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        for child in node.named_children() {
            let invocation = match child.kind() {
                "mod_item" | "impl_item" | "trait_item" | "foreign_mod_item" => {
                    open.extend(child.field("body"));
                    continue;
                }
                "macro_invocation" => child,
                "expression_statement" => {
                    match child.named_child(0).filter(|c| c.kind() == "macro_invocation") {
                        Some(invocation) => invocation,
                        None => continue,
                    }
                }
                _ => continue,
            };
            let Some(tree) = invocation.named_children().find(|c| c.kind() == "token_tree") else {
                continue;
            };
            let text = source.get(tree.byte_range()).unwrap_or_default();
            let Some(body) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
                continue;
            };
            if !starts_item(body) {
                continue;
            }
            let bytes = plain.get_or_insert_with(|| source.as_bytes().to_vec());
            for at in (invocation.start_byte()..=tree.start_byte()).chain([tree.end_byte() - 1]) {
                if bytes[at] != b'\n' {
                    bytes[at] = b' ';
                }
            }
        }
    }
    plain.and_then(|bytes| String::from_utf8(bytes).ok())
}

fn starts_item(body: &str) -> bool {
    let mut rest = body.trim_start();
    while rest.starts_with("//") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    if rest.starts_with("#[") || rest.starts_with("#!") {
        return true;
    }
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    matches!(
        word,
        "pub"
            | "mod"
            | "use"
            | "fn"
            | "impl"
            | "struct"
            | "enum"
            | "trait"
            | "async"
            | "unsafe"
            | "extern"
    ) || matches!(word, "const" | "static" | "type" | "union") && rest.contains(';')
}

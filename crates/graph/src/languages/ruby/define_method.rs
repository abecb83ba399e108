//! `define_method`: which methods it defines, also inside a block that goes through a literal list of names.

use super::{
    local_variables::block,
    macros::{is_name, symbol},
};
use crate::{
    facts::{DefKind, ScopeKind},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

/// Names of a literal list that methods are defined for.
const MAX_ITEMS: usize = 16;
/// Nodes around a definition that are looked at.
const MAX_AROUND: usize = 32;
/// Characters of what stands for a name that is not known.
const MAX_UNNAMED: usize = 60;

pub(super) fn define_method<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    made: SyntaxNode<'t>,
    name: &str,
    given: Option<SyntaxNode<'t>>,
) {
    let sym = lower.sym(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(made));
    lower.sign(id, node, given);
    let outer = lower.enter(id, ScopeKind::Function);
    if let Some(given) = given {
        block(lower, given, None);
    }
    lower.at = outer;
}

/// Returns the names of the methods that `define_method` defines. Inside a block that goes through a literal list there is one
/// for each item. If the name is computed, it is the text of the argument in angle brackets.
pub(super) fn method_names<'t>(lower: &LoweringContext<'t>, made: SyntaxNode<'t>) -> Vec<String> {
    let text = lower.text(made);
    let (start, variable, end) = match made.kind() {
        "simple_symbol" => return vec![symbol(text).to_owned()],
        "identifier" => ("", text, ""),
        _ => {
            let parts = symbol(text).split_once("#{").and_then(|(start, rest)| {
                let (variable, end) = rest.split_once('}')?;
                (!end.contains("#{")).then_some((start, variable, end))
            });
            let Some(parts) = parts else {
                let is_plain = made.kind() == "string" && !text.contains("#{");
                return vec![if is_plain { symbol(text).to_owned() } else { unnamed(text) }];
            };
            parts
        }
    };
    // The block of a method that is one of many is lowered for each: its own methods are not multiplied again.
    let items = match is_in_made_method(lower) {
        true => Vec::new(),
        false => items_of_variable(lower, made, variable),
    };
    if items.is_empty() {
        return vec![unnamed(text)];
    }
    items.into_iter().map(|item| format!("{start}{item}{end}")).collect()
}

/// Whether a method that is defined by a call is around.
fn is_in_made_method(lower: &LoweringContext<'_>) -> bool {
    let mut around = std::iter::successors(lower.at.owner, |id| lower.facts.def(*id).parent);
    around.any(|id| lower.facts.def(id).signature.starts_with("define_method"))
}

fn unnamed(text: &str) -> String {
    let name: String = text.chars().take(MAX_UNNAMED).collect();
    format!("<{}>", symbol(&name))
}

/// Returns the items of the literal list that the block with the parameter `variable` around a node goes through.
fn items_of_variable<'t>(
    lower: &LoweringContext<'t>,
    node: SyntaxNode<'t>,
    variable: &str,
) -> Vec<&'t str> {
    let mut next = node.parent();
    for _ in 0..MAX_AROUND {
        let Some(at) = next else { break };
        next = at.parent();
        if !matches!(at.kind(), "block" | "do_block") {
            continue;
        }
        let params = at.field("parameters").map(kids).unwrap_or_default();
        if params.first().is_none_or(|param| lower.text(*param) != variable) {
            continue;
        }
        let Some(list) = next.and_then(|call| call.field("receiver")) else { break };
        return items(lower, list).into_iter().take(MAX_ITEMS).collect();
    }
    Vec::new()
}

/// Returns the symbols and strings of a literal list, also by the constant that holds it.
fn items<'t>(lower: &LoweringContext<'t>, list: SyntaxNode<'t>) -> Vec<&'t str> {
    let list = if list.kind() == "constant" { value_of(lower, list) } else { Some(list) };
    // `%i[a b].freeze`
    let list = list.and_then(|list| match list.kind() {
        "call" => list.field("receiver"),
        _ => Some(list),
    });
    let Some(list) =
        list.filter(|it| matches!(it.kind(), "array" | "symbol_array" | "string_array"))
    else {
        return Vec::new();
    };
    let names = kids(list);
    let is_plain = |item: &SyntaxNode<'t>| {
        is_name(*item) || matches!(item.kind(), "bare_symbol" | "bare_string")
    };
    if !names.iter().all(is_plain) {
        return Vec::new();
    }
    names.into_iter().map(|item| symbol(lower.text(item))).collect()
}

/// Returns what a constant of a body around a node is assigned there.
fn value_of<'t>(lower: &LoweringContext<'t>, constant: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let mut next = constant.parent();
    for _ in 0..MAX_AROUND {
        let at = next?;
        next = at.parent();
        if !matches!(at.kind(), "body_statement" | "program") {
            continue;
        }
        let is_it = |it: &SyntaxNode<'t>| {
            it.kind() == "assignment"
                && it.field("left").is_some_and(|left| lower.text(left) == lower.text(constant))
        };
        if let Some(assigned) = kids(at).into_iter().find(is_it) {
            return assigned.field("right");
        }
    }
    None
}

//! Functions whose heading is a macro: `TEST_F(Suite, Name) { … }`, `TEST_CASE("name") { … }`, `PHP_FUNCTION(name) { … }`. Their
//! name is what the macro is given.

use super::specifier_macros::is_capital;
use crate::{
    facts::{DefFlags, DefKind, Expr, ScopeKind, TypeId},
    lowering::{LoweringContext, find, index, kids},
    syntax::SyntaxNode,
};

use super::declarations::{DeclarationOwner, is_local, parameters};

/// Names among the arguments that are joined; a macro that is given more declares parameters, too.
const MOST_NAMES: usize = 2;
/// Bytes of a name that is a text.
const MOST_TEXT: usize = 120;
/// The macro whose first argument is a title and no class that the body is a member of.
const PLAIN: &str = "TEST";

/// What a macro at the place of a heading says.
#[derive(Default)]
struct Heading<'t> {
    names: Vec<&'t str>,
    /// The class whose members the body sees.
    class: Option<SyntaxNode<'t>>,
    /// What the function takes: `BENCHMARK_F(Suite, Name)(State& state)`.
    params: Option<SyntaxNode<'t>>,
}

/// Lowers `node` if it is a function with such a heading, as the grammar reads names in parentheses; says whether it is.
pub(super) fn defined_by_macro<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    head: SyntaxNode<'t>,
) -> bool {
    let ty = lower.in_field(node, "type").filter(|ty| !is_macro_name(ty));
    let body = lower.in_field(node, "body");
    let (None, Some(body), false) = (ty, body, is_local(lower) || lower.in_type()) else {
        return false;
    };
    let Some(heading) = heading(lower, node, head) else { return false };
    define(lower, node, body, &heading);
    true
}

/// The same for a block that stands outside of functions behind a call without a semicolon, as the grammar reads a text in
/// parentheses.
pub(super) fn block_of_macro<'t>(lower: &mut LoweringContext<'t>, body: SyntaxNode<'t>) -> bool {
    if is_local(lower) || lower.in_type() {
        return false;
    }
    let Some(head) = body.previous_named_sibling() else { return false };
    let call = find(head, "call_expression").filter(|call| call.text() == head.text());
    let Some(call) = call.filter(|_| lower.kind(head) == "expression_statement") else {
        return false;
    };
    let (Some(name), Some(arguments)) = (call.field("function"), call.field("arguments")) else {
        return false;
    };
    if !is_macro_name(&name) {
        return false;
    }
    let Some(heading) = listed(lower, name.text(), arguments) else { return false };
    define(lower, head, body, &heading);
    true
}

/// The heading that a declarator is: `NAME(A, B)`, `NAME(A, B)(T c)`, or `(A)` behind what seems to be a type.
fn heading<'t>(
    lower: &LoweringContext<'t>,
    node: SyntaxNode<'t>,
    head: SyntaxNode<'t>,
) -> Option<Heading<'t>> {
    if lower.kind(head) == "parenthesized_declarator" {
        lower.in_field(node, "type")?;
        let name = find(head, "identifier")?;
        return Some(Heading { names: vec![name.text()], ..Heading::default() });
    }
    let (mut inner, mut params) = (head, None);
    if let Some(within) = lower.in_field(head, "declarator")
        && lower.kind(within) == "function_declarator"
    {
        (inner, params) = (within, lower.in_field(head, "parameters"));
    }
    let name = lower.in_field(inner, "declarator").filter(is_macro_name)?;
    let list = kids(lower.in_field(inner, "parameters")?);
    let named = |param: &SyntaxNode<'t>| {
        let ty = lower.in_field(*param, "type")?;
        let is_name = lower.kind(ty) == "type_identifier" && ty.text() == param.text();
        is_name.then_some(ty)
    };
    let types: Vec<SyntaxNode<'t>> = list.iter().map(named).collect::<Option<_>>()?;
    let names: Vec<&str> = types.iter().map(SyntaxNode::text).collect();
    let class = types.first().copied().filter(|_| types.len() > 1 && name.text() != PLAIN);
    (1..=MOST_NAMES).contains(&names.len()).then_some(Heading { names, class, params })
}

/// The heading that the arguments of a call make.
fn listed<'t>(
    lower: &LoweringContext<'t>,
    name: &str,
    arguments: SyntaxNode<'t>,
) -> Option<Heading<'t>> {
    let arguments = kids(arguments);
    let mut heading = Heading::default();
    for argument in &arguments {
        match lower.kind(*argument) {
            "identifier" => heading.names.push(argument.text()),
            "string_literal" | "binary_expression" => {
                let text = match lower.kind(*argument) {
                    // `"name" * skip()`
                    "binary_expression" => argument.field("left")?,
                    _ => *argument,
                };
                heading.names.push(written(text)?);
                heading.class = arguments.first().copied().filter(|first| first != argument);
                return (heading.names.len() <= MOST_NAMES).then_some(heading);
            }
            _ => return None,
        }
    }
    if name.contains("DEFINE") {
        heading.names.truncate(1);
    }
    (1..=MOST_NAMES).contains(&heading.names.len()).then_some(heading)
}

/// What a text says, if it can be a name.
fn written(text: SyntaxNode<'_>) -> Option<&str> {
    let text = text.text().strip_prefix('"')?.strip_suffix('"')?.trim();
    let end = text.floor_char_boundary(MOST_TEXT);
    (!text.is_empty() && !text.contains(['"', '\n'])).then_some(&text[..end])
}

fn define<'t>(
    lower: &mut LoweringContext<'t>,
    head: SyntaxNode<'t>,
    body: SyntaxNode<'t>,
    heading: &Heading<'t>,
) {
    let around = lower.at;
    let name = lower.sym(&heading.names.join("."));
    let id = lower.new_def(DefKind::Function, name, head, Some(head));
    let end = index(body.end_position().row) + 1;
    lower.def_mut(id).end = end;
    lower.mark(id, DefFlags::TITLED);
    lower.sign(id, head, (head.end_byte() > body.start_byte()).then_some(body));
    lower.enter(id, ScopeKind::Function);
    if let Some(class) = heading.class {
        let ty = class_of(lower, class);
        let this = lower.push(Expr::Typed(ty));
        lower.facts.receivers.insert(lower.at.scope, this);
    }
    if let Some(params) = heading.params {
        parameters(lower, DeclarationOwner::Def(id), params);
    }
    lower.node(body);
    lower.at = around;
}

fn class_of<'t>(lower: &mut LoweringContext<'t>, class: SyntaxNode<'t>) -> TypeId {
    if lower.kind(class) == "type_identifier" {
        return lower.annotation(class);
    }
    let name = lower.sym_of(class);
    lower.named(vec![name], Vec::new(), class)
}

fn is_macro_name(name: &SyntaxNode<'_>) -> bool {
    matches!(name.kind(), "identifier" | "type_identifier") && is_capital(name.text().as_bytes())
}

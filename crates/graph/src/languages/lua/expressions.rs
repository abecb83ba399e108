//! Lua's calls, operators and table constructors.

use super::metatables;
use crate::{
    facts::{DefId, DefKind, Expr, ExprId, ImportSelection, ReferenceKind, ScopeKind},
    lowering::{DeclaredName, LoweringContext, Slot, SyntaxNodeFields, index, kids},
    syntax::SyntaxNode,
};

/// Functions that iterate over a table: what they give first is a key.
pub(super) const ITERATORS: &[&str] = &["pairs", "ipairs"];

pub(super) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args)) else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    match (callee.kind(), lower.text(callee)) {
        ("identifier", "require") => {
            if let Some(module) = required(lower, node, args) {
                return module;
            }
        }
        ("identifier", "setmetatable") => return metatables::set(lower, node, parts),
        _ => {}
    }
    lower.call(node, parts, ReferenceKind::Call)
}

/// `require "a.b"`, and `require(… .. ".b")` for a module beside this one; `None` when the name is computed.
fn required<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    args: SyntaxNode<'t>,
) -> Option<ExprId> {
    let name = args.named_child(0)?;
    let (name, level) = match name.kind() {
        "binary_expression" => (name.field("right")?, 1),
        _ => (name, 0),
    };
    let text = string(lower, name)?;
    if level > 0 && !text.starts_with(['.', '/']) {
        return None;
    }
    let module = lower.sym(text);
    let mut import = lower.import_at(node, vec![module], ImportSelection::Module);
    import.level = level;
    let import = lower.push_import(import);
    Some(lower.push(Expr::Module(import)))
}

/// Returns the text of a string literal without escapes.
pub(super) fn string<'n>(lower: &LoweringContext<'_>, node: SyntaxNode<'n>) -> Option<&'n str> {
    let content = node.field("content").filter(|_| node.kind() == "string")?;
    Some(lower.text(content))
}

/// `pcall(require, "a")` gives the module second.
pub(super) fn guarded_module<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> Option<ExprId> {
    let callee = node.field("name").filter(|_| node.kind() == "function_call")?;
    let args = kids(node.field("arguments")?);
    let is_guarded = lower.text(callee) == "pcall" && lower.text(*args.first()?) == "require";
    let name = string(lower, *args.get(1).filter(|_| is_guarded)?)?;
    let module = lower.sym(name);
    let import = lower.push_import(lower.import_at(node, vec![module], ImportSelection::Module));
    Some(lower.push(Expr::Module(import)))
}

/// `a or b` is either of them, `a and b` the second.
pub(super) fn binary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let operator = node.children().find(|child| !child.is_named()).map(|child| child.kind());
    let sides = (lower.child(node, "left"), lower.child(node, "right"));
    match operator {
        Some("or") => lower.push(Expr::Either(vec![sides.0, sides.1])),
        Some("and") => sides.1,
        Some("..") => lower.literal("string"),
        Some("==" | "~=" | "<" | ">" | "<=" | ">=") => lower.literal("bool"),
        _ => lower.literal("number"),
    }
}

/// `a["name"]` is a member.
pub(super) fn subscript<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let object = lower.part(parts, Slot::Object);
    let Some(key) = parts.get(Slot::Args) else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    if let Some(name) = string(lower, key) {
        let name = lower.sym(name);
        return lower.push(Expr::Member { object, name });
    }
    lower.node(key);
    lower.push(Expr::Index(object))
}

/// Makes the last binding visible behind `node`, which may use an earlier one of the name.
pub(super) fn bind_behind(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) {
    if let Some(binding) = lower.facts.bindings.last_mut() {
        binding.from = index(node.end_byte());
    }
}

pub(super) fn table<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let fields = kids(node);
    if !fields.is_empty() && fields.iter().all(|field| field.field("name").is_none()) {
        let values: Vec<ExprId> = fields
            .iter()
            .map(|field| match field.field("value") {
                Some(value) => lower.kept_value(value),
                None => ExprId::UNKNOWN,
            })
            .collect();
        return lower.push(Expr::Array(values));
    }
    let object = object(lower, node);
    lower.push(Expr::Def(object))
}

/// Returns the object that a constructor with names makes.
pub(super) fn object<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> DefId {
    let empty = lower.sym("");
    let id = lower.new_def(DefKind::Object, empty, node, None);
    let outer = lower.at;
    lower.enter(id, ScopeKind::Type);
    // Values stand in the function around.
    lower.at.body = outer.body;
    for field in node.named_children() {
        let value = field.field("value");
        let key = field.field("name").filter(|key| {
            let is_bare = field.child(0).is_some_and(|first| first.kind() != "[");
            is_bare || key.kind() == "string"
        });
        let (Some(value), Some(key)) = (value, key) else {
            lower.kept_values(field);
            continue;
        };
        let name = string(lower, key).unwrap_or(lower.text(key));
        let name = lower.sym(name);
        lower.valued(DefKind::Field, DeclaredName::at(name, key), field, None, Some(value));
    }
    lower.at = outer;
    id
}

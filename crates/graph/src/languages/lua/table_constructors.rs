//! Lowers table constructors: a table with named fields is an object, one without is an array.

use super::expressions::string;
use crate::{
    facts::{DefId, DefKind, Expr, ExprId, ScopeKind},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

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
        lower.valued(DefKind::Field, (name, Some(key)), field, None, Some(value));
    }
    lower.at = outer;
    id
}

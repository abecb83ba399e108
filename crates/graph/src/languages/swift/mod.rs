//! Swift: expressions and types. Declarations are in `declarations`, patterns in `binding_patterns`, conditions in
//! `statements`.

pub(crate) mod binding_patterns;
pub(crate) mod declarations;
pub(crate) mod expressions;
mod grammar_workarounds;
mod lowering_dialect;
mod member_lookup;
mod name_lookup;
pub(crate) mod project;
pub(crate) mod resolution_rules;
pub(crate) mod statements;

use crate::{
    facts::{Expr, ExprId, Sym, TypeExpr, TypeId},
    languages::LanguageDefinition,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

pub(crate) struct Swift;

/// Swift.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("swift", tree_sitter_swift::LANGUAGE)
        .extensions(&["swift"])
        .manifests(&["Package.swift"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Swift)
        .rules(&Swift)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}

/// A name without the backticks that keep it from being a keyword.
pub(crate) fn plain(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) -> Sym {
    let text = lower.text(node).trim_matches('`');
    lower.sym(text)
}

/// The type of `value` as what an implicit member belongs to.
pub(crate) fn class_of(lower: &mut LoweringContext<'_>, value: ExprId) -> ExprId {
    if !value.is_known() {
        return value;
    }
    let ty = lower.push_type(TypeExpr::TypeOf(value));
    lower.push(Expr::Expected(ty))
}

/// Returns the expression for the declared type that an implicit member, such as `.name`, belongs to.
pub(crate) fn expected(lower: &mut LoweringContext<'_>, ty: TypeId) -> ExprId {
    if ty.is_known() { lower.push(Expr::Expected(ty)) } else { ExprId::UNKNOWN }
}

/// A child and the field that it is.
pub(crate) type SyntaxChildWithField<'t> = (Option<&'t str>, SyntaxNode<'t>);

/// The children of a node by their fields, in order.
pub(crate) fn fields<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxChildWithField<'t>> {
    node.children_with_fields().filter(|(_, child)| !child.is_extra()).collect()
}

//! The implementations that a macro by example writes for what it is given: `impl Trait for $ty {}`.

use super::macros::without_arguments;
use crate::{
    facts::{DefKind, SupertypeKind, Sym},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Brackets inside one another that are read.
const MAX_DEPTH: u32 = 24;

/// Notes the traits that the rules of a macro implement. What for is known where it is called, if at all.
pub(super) fn implementations<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    depth: u32,
) {
    let tokens: Vec<SyntaxNode<'t>> = node.children().collect();
    for (at, token) in tokens.iter().enumerate() {
        match lower.kind(*token) {
            "macro_rule" | "token_tree" | "token_repetition" if depth < MAX_DEPTH => {
                implementations(lower, *token, depth + 1);
            }
            "impl" => {
                if let Some((path, first)) = implemented(lower, &tokens[at + 1..]) {
                    let unnamed = lower.sym("");
                    let id = lower.new_def(DefKind::Impl, unnamed, *token, None);
                    let up = lower.named(path, Vec::new(), first);
                    lower.def_mut(id).supers.push((SupertypeKind::Implements, up));
                }
            }
            _ => {}
        }
    }
}

/// Returns the path of the trait in the tokens behind `impl`, and its first token; `None` when none is named.
fn implemented<'t>(
    lower: &mut LoweringContext<'t>,
    tokens: &[SyntaxNode<'t>],
) -> Option<(Vec<Sym>, SyntaxNode<'t>)> {
    let mut rest = without_arguments(tokens);
    let first = *rest.first()?;
    let mut path = Vec::new();
    while let [token, behind @ ..] = rest {
        match lower.text(*token) {
            "for" => return (!path.is_empty()).then_some((path, first)),
            "::" => rest = behind,
            "<" => rest = without_arguments(rest),
            "$crate" => {
                path.push(lower.sym("crate"));
                rest = behind;
            }
            _ if matches!(token.kind(), "identifier" | "crate" | "self" | "super") => {
                path.push(lower.sym_of(*token));
                rest = behind;
            }
            _ => return None,
        }
    }
    None
}

//! RSpec: the class that a group of examples describes, and the values that it names. What the calls say is a table of text.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::{
    facts::{BindingTarget, Expr, ExprId, TypeId},
    languages::ruby::{local_variables::block, macros::symbol},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

#[derive(Debug, Default)]
struct Conventions {
    /// Opens a group of examples; its first argument may be the class that they are about.
    describes: FxHashSet<&'static str>,
    /// Names the value of its block for the examples of the group.
    defines: FxHashSet<&'static str>,
    /// Of these, those whose value has the group's own name, too.
    subject: FxHashSet<&'static str>,
    /// What the class is called inside of a group.
    class: &'static str,
}

static CONVENTIONS: LazyLock<Conventions> = LazyLock::new(|| {
    let mut conventions = Conventions::default();
    for line in include_str!("rspec.table").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let names = match words.next() {
            Some("describes") => &mut conventions.describes,
            Some("defines") => &mut conventions.defines,
            Some("subject") => &mut conventions.subject,
            Some("class") => {
                conventions.class = words.next().unwrap_or_default();
                continue;
            }
            _ => continue,
        };
        names.extend(words);
    }
    conventions
});

/// Whether a call opens a group of examples that are about its first argument: `describe Team do`.
pub(crate) fn describes(
    lower: &LoweringContext<'_>,
    name: &str,
    receiver: Option<SyntaxNode<'_>>,
    args: Option<SyntaxNode<'_>>,
) -> bool {
    CONVENTIONS.describes.contains(name)
        && receiver.is_none_or(|it| lower.text(it) == "RSpec")
        && args
            .and_then(|args| args.named_child(0))
            .is_some_and(|first| matches!(first.kind(), "constant" | "scope_resolution"))
}

/// Lowers the block of a call that opens a group of examples about a class.
pub(crate) fn group<'t>(
    lower: &mut LoweringContext<'t>,
    given: SyntaxNode<'t>,
    class: ExprId,
) -> ExprId {
    lower.in_block(|lower| {
        let (name, ty) = (lower.sym(CONVENTIONS.class), TypeId::UNKNOWN);
        lower.bind(name, 0, BindingTarget::Local { ty, value: class });
        block(lower, given, None)
    })
}

/// Lowers a call without a receiver if it names a value for examples; whether it did.
pub(crate) fn run<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, name: &str) -> bool {
    if !CONVENTIONS.defines.contains(name) {
        return false;
    }
    let Some(given) = lower.in_field(node, "block") else { return false };
    let args = lower.in_field(node, "arguments").map(kids).unwrap_or_default();
    let is_subject = CONVENTIONS.subject.contains(name);
    let named = match args.as_slice() {
        [] if is_subject => None,
        [named] if matches!(named.kind(), "simple_symbol" | "string") => Some(*named),
        _ => return false,
    };
    let made = block(lower, given, None);
    let Expr::Lambda(made) = *lower.facts.expr(made) else { return true };
    let value = lower.facts.lambdas[made.index()].returns.last().copied().unwrap_or_default();
    let own = is_subject.then(|| name.trim_end_matches('!').to_owned());
    let named = named.map(|named| symbol(lower.text(named)).to_owned());
    for name in named.into_iter().chain(own) {
        let (name, ty) = (lower.sym(&name), TypeId::UNKNOWN);
        lower.bind(name, 0, BindingTarget::Local { ty, value });
    }
    true
}

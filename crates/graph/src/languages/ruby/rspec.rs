//! RSpec: the class that a group of examples describes, and the values that it names. What the calls say is a table of text.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::{
    facts::{BindingTarget, Expr, ExprId, ReferenceKind, TypeId},
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

/// Lowers a call if it opens a group of examples that has a class, or names a value for examples.
pub(crate) fn run<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: &str,
) -> Option<ExprId> {
    let receiver = lower.in_field(node, "receiver");
    let given = lower.in_field(node, "block")?;
    let args = lower.in_field(node, "arguments").map(kids).unwrap_or_default();
    let is_of_group = receiver.is_none_or(|it| lower.text(it) == "RSpec");
    if CONVENTIONS.describes.contains(name) && is_of_group {
        let class =
            *args.first().filter(|it| matches!(it.kind(), "constant" | "scope_resolution"))?;
        note_call(lower, node, args.len());
        let value = lower.node(class);
        for arg in &args[1..] {
            lower.node(*arg);
        }
        lower.in_block(|lower| {
            let (name, ty) = (lower.sym(CONVENTIONS.class), TypeId::UNKNOWN);
            lower.bind(name, 0, BindingTarget::Local { ty, value });
            block(lower, given, None);
        });
        return Some(ExprId::UNKNOWN);
    }
    if !CONVENTIONS.defines.contains(name) || receiver.is_some() {
        return None;
    }
    let named = match args.as_slice() {
        [] => None,
        [named] if matches!(named.kind(), "simple_symbol" | "string") => Some(*named),
        _ => return None,
    };
    let is_subject = CONVENTIONS.subject.contains(name);
    if named.is_none() && !is_subject {
        return None;
    }
    note_call(lower, node, args.len());
    let made = block(lower, given, None);
    let Expr::Lambda(made) = *lower.facts.expr(made) else { return Some(ExprId::UNKNOWN) };
    let value = lower.facts.lambdas[made.index()].returns.last().copied().unwrap_or_default();
    let own = is_subject.then(|| name.trim_end_matches('!').to_owned());
    let named = named.map(|named| symbol(lower.text(named)).to_owned());
    for name in named.into_iter().chain(own) {
        let (name, ty) = (lower.sym(&name), TypeId::UNKNOWN);
        lower.bind(name, 0, BindingTarget::Local { ty, value });
    }
    Some(ExprId::UNKNOWN)
}

/// What says something is a call as well.
fn note_call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, args: usize) {
    let Some(name) = lower.in_field(node, "method") else { return };
    let callee = match lower.in_field(node, "receiver") {
        Some(receiver) => {
            let (object, name) = (lower.node(receiver), lower.sym_of(name));
            lower.push(Expr::Member { object, name })
        }
        None => lower.name_expr(name),
    };
    lower.resolve_expr(ReferenceKind::Call, callee, args, name.start_position().row);
}

//! Frameworks: methods that a class hands over by their names, and jobs that a call of their class runs. What the calls say is a table
//! of text.

use std::sync::LazyLock;

use crate::{
    facts::{Expr, ExprId, ReferenceKind},
    languages::ruby::macros::symbol,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

#[derive(Debug, Default)]
struct Conventions {
    /// Take methods of the instances by their names, to run them.
    hooks: Vec<&'static str>,
    /// How the names of more of them start: callbacks are named after when they run.
    hook_start: Vec<&'static str>,
    /// Take methods of the instances by the names in their options alone.
    optioned: Vec<&'static str>,
    options: Vec<&'static str>,
    /// The method of a job, and those of its class that run it.
    runs: Vec<&'static str>,
    /// Methods of the class of a job that give the class with other options.
    configures: Vec<&'static str>,
}

static CONVENTIONS: LazyLock<Conventions> = LazyLock::new(|| {
    let mut conventions = Conventions::default();
    for line in include_str!("framework_calls.table").lines() {
        let mut words = line.split_whitespace();
        let names = match words.next() {
            Some("hooks") => &mut conventions.hooks,
            Some("hook_start") => &mut conventions.hook_start,
            Some("optioned") => &mut conventions.optioned,
            Some("options") => &mut conventions.options,
            Some("runs") => &mut conventions.runs,
            Some("configures") => &mut conventions.configures,
            _ => continue,
        };
        names.extend(words);
    }
    conventions
});

/// Whether a call in the body of a class hands over methods by their names.
pub(crate) fn hands_over(name: &str) -> bool {
    CONVENTIONS.optioned.contains(&name) || is_hook(name)
}

fn is_hook(name: &str) -> bool {
    CONVENTIONS.hooks.contains(&name)
        || CONVENTIONS.hook_start.iter().any(|start| name.starts_with(start))
}

/// `before_save :name, if: :other?`: a callback names methods of the instances.
pub(crate) fn callbacks<'t>(
    lower: &mut LoweringContext<'t>,
    args: &[SyntaxNode<'t>],
    called: &str,
) {
    let class = lower.push(Expr::This(lower.at.scope));
    let object = lower.push(Expr::New { callee: class, args: Vec::new(), type_args: Vec::new() });
    for arg in args {
        let named = match lower.kind(*arg) {
            "simple_symbol" => is_hook(called).then_some(*arg),
            "pair" => option(lower, *arg),
            _ => None,
        };
        let Some(named) = named else {
            lower.node(*arg);
            continue;
        };
        let text = lower.text(named);
        let name = lower.sym(symbol(text));
        let target = lower.push(Expr::Member { object, name });
        lower.resolve_expr(ReferenceKind::Value, target, 0, named.start_position().row);
    }
}

/// The name of a method that an option such as `if: :name` gives.
fn option<'t>(lower: &LoweringContext<'t>, pair: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let key = lower.in_field(pair, "key").map_or("", |key| lower.text(key));
    let value = lower.in_field(pair, "value")?;
    let is_named = CONVENTIONS.options.contains(&key) && lower.kind(value) == "simple_symbol";
    is_named.then_some(value)
}

/// `Job.perform_later(…)`, `Job.set(…).perform_later(…)`: records that `perform` of a job is run by what is called of its class.
pub(crate) fn runs_job<'t>(
    lower: &mut LoweringContext<'t>,
    callee: ExprId,
    name: SyntaxNode<'t>,
    count: usize,
) {
    let Some((performs, runs)) = CONVENTIONS.runs.split_first() else { return };
    let Expr::Member { object: mut class, .. } = *lower.facts.expr(callee) else { return };
    if !runs.contains(&lower.text(name)) {
        return;
    }
    if let Expr::Call { callee: set, .. } = lower.facts.expr(class)
        && let Expr::Member { object, name } = lower.facts.expr(*set)
        && CONVENTIONS.configures.contains(&lower.facts.text(*name))
    {
        class = *object;
    }
    let (args, type_args) = (Vec::new(), Vec::new());
    let object = lower.push(Expr::New { callee: class, args, type_args });
    let performs = lower.sym(performs);
    let target = lower.push(Expr::Member { object, name: performs });
    lower.resolve_expr(ReferenceKind::Call, target, count, name.start_position().row);
}

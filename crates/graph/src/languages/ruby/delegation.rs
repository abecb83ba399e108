//! Methods that call one of another object: `delegate`, and those of `Forwardable`.

use super::macros::{define, is_name, symbol};
use crate::{
    facts::{Expr, ReferenceKind},
    lowering::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Calls of `Forwardable` that define methods.
pub(super) const FORWARDABLE: &[&str] =
    &["def_delegator", "def_delegators", "def_instance_delegator", "def_instance_delegators"];

/// Lowers `delegate :a, :b, to: :target`, `delegate :a, to: :target, prefix: true`
pub(super) fn delegate<'t>(lower: &mut LoweringContext<'t>, args: &[SyntaxNode<'t>]) {
    let option = |lower: &LoweringContext<'t>, name: &str| {
        args.iter().filter(|arg| lower.kind(**arg) == "pair").find_map(|pair| {
            let key = lower.in_field(*pair, "key")?;
            (lower.text(key) == name).then(|| lower.in_field(*pair, "value")).flatten()
        })
    };
    let Some(target) = option(lower, "to") else { return };
    let target = symbol(lower.text(target)).to_owned();
    let prefix = match option(lower, "prefix").map_or("", |prefix| lower.text(prefix)) {
        "" | "false" | "nil" => String::new(),
        "true" => format!("{target}_"),
        given => format!("{}_", symbol(given)),
    };
    for arg in args.iter().filter(|arg| arg.kind() == "simple_symbol") {
        let called = symbol(lower.text(*arg));
        delegated(lower, *arg, &format!("{prefix}{called}"), called, &target);
    }
}

/// Lowers `def_delegators :@target, :a, :b`, `def_delegator :@target, :a, :new_name`
pub(super) fn forwarded<'t>(
    lower: &mut LoweringContext<'t>,
    kind: &str,
    to: SyntaxNode<'t>,
    methods: &[SyntaxNode<'t>],
) {
    let target = symbol(lower.text(to));
    let text = |lower: &LoweringContext<'t>, node: SyntaxNode<'t>| symbol(lower.text(node));
    match methods {
        [method, new @ ..] if kind.ends_with("delegator") && is_name(*method) => {
            let called = text(lower, *method);
            let name = new.first().map_or(called, |new| text(lower, *new));
            delegated(lower, *method, name, called, target);
        }
        methods => {
            for method in methods.iter().filter(|method| is_name(**method)) {
                let name = text(lower, *method);
                delegated(lower, *method, name, name, target);
            }
        }
    }
}

/// Defines the method `name`, which calls the method `called` of `target`.
fn delegated<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: &str,
    called: &str,
    target: &str,
) {
    let row = node.start_position().row;
    define(lower, name, node, |lower| {
        let (scope, pos) = (lower.at.scope, index(node.start_byte()));
        let object = match target.strip_prefix("self.").unwrap_or(target) {
            "class" => lower.push(Expr::Unknown),
            field if field.starts_with('@') => {
                let (object, name) = (lower.push(Expr::This(scope)), lower.sym(field));
                lower.push(Expr::Member { object, name })
            }
            other => {
                let name = lower.sym(other);
                let object = lower.push(Expr::Name { name, scope, pos });
                lower.resolve_expr(ReferenceKind::Call, object, 0, row);
                object
            }
        };
        let name = lower.sym(called);
        let callee = lower.push(Expr::Member { object, name });
        lower.resolve_expr(ReferenceKind::Call, callee, 0, row);
        lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() })
    });
}

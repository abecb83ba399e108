//! Events that are named by a string: `on("saved", handler)` and `emit("saved")`. Which of them belong together is left
//! to the resolver.

use crate::{
    facts::{
        Expr, ExprId, NamedEvent, NamedEventAction, Sym,
        library_method_effects::library_method_effects,
    },
    lowering::lowering_context::{LoweringContext, index},
    syntax::SyntaxNode,
    syntax::grammar_table::{Role, Slot},
};

/// Wrappers around the string that are looked into.
const MAX_DEPTH: usize = 4;

impl<'t> LoweringContext<'t> {
    /// Notes a call that names an event.
    pub(super) fn event(&mut self, call: ExprId, callee: ExprId, args: SyntaxNode<'t>, row: usize) {
        let Expr::Member { name, .. } = *self.facts.expr(callee) else { return };
        let name = self.facts.text(name);
        let conventions = library_method_effects();
        let action = if conventions.listens.contains(name) {
            NamedEventAction::Listens
        } else if conventions.raises.contains(name) {
            NamedEventAction::Raises
        } else {
            return;
        };
        let Some(first) = args.named_child(0) else { return };
        let key = match self.key(first, action, 0) {
            Some(key) => key,
            // The type of what is raised says which event it is.
            None if action == NamedEventAction::Raises => "",
            None => return,
        };
        let key = self.sym(key);
        self.push_event(action, key, call, row);
    }

    /// Notes that what `call` gives besides its first argument listens for the event, or that it raises the event.
    pub(crate) fn push_event(
        &mut self,
        action: NamedEventAction,
        key: Sym,
        call: ExprId,
        row: usize,
    ) {
        let (line, from) = (index(row) + 1, self.at.owner);
        self.allocate(size_of::<NamedEvent>());
        self.facts.events.push(NamedEvent { action, key, call, line, from });
    }

    /// The string that an argument is, or that the event it makes is named by: `new NamedEvent("saved")`.
    fn key(&self, node: SyntaxNode<'t>, action: NamedEventAction, depth: usize) -> Option<&'t str> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.table.role(node) {
            Role::Str => {
                let text = self.text(node).trim_matches(['"', '\'', '`']);
                let plain = !text.is_empty() && !text.contains(['"', '\'', '`', '{', '\n']);
                plain.then_some(text)
            }
            Role::New if action == NamedEventAction::Raises => {
                let args = self.parts(node)?.get(Slot::Args)?;
                self.key(args.named_child(0)?, action, depth + 1)
            }
            // An argument that only wraps its value.
            Role::Pass | Role::Plain | Role::Special if node.named_child_count() == 1 => {
                self.key(node.named_child(0)?, action, depth + 1)
            }
            _ => None,
        }
    }
}

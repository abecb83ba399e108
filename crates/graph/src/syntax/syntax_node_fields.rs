//! What the table of a grammar says of one node: its rule, its role and its parts.

use tree_sitter::TreeCursor;

use super::{
    grammar_table::{
        ChildSelector, GrammarTable, Role, SLOTS, Slot, SyntaxChildSelector, SyntaxNodeRule,
    },
    syntax_node::SyntaxNode,
};

/// The parts of one node.
#[derive(Clone, Copy)]
pub(crate) struct SyntaxNodeFields<'t>([Option<SyntaxNode<'t>>; SLOTS]);

impl<'t> SyntaxNodeFields<'t> {
    pub(crate) fn get(&self, slot: Slot) -> Option<SyntaxNode<'t>> {
        self.0[slot as usize]
    }
}

impl GrammarTable {
    pub(crate) fn rule(&self, node: SyntaxNode<'_>) -> Option<&SyntaxNodeRule> {
        self.rules.get(usize::from(node.kind_id()))?.as_ref()
    }

    pub(crate) fn role(&self, node: SyntaxNode<'_>) -> Role {
        self.rule(node).map_or(Role::Plain, |rule| rule.role)
    }

    /// Finds the parts of `node` in one pass over its children, with a cursor that is free.
    pub(crate) fn parts<'t>(
        rule: &SyntaxNodeRule,
        node: SyntaxNode<'t>,
        cursor: &mut TreeCursor<'t>,
    ) -> SyntaxNodeFields<'t> {
        let mut search = PartSearch::new(rule, node);
        cursor.reset(node.raw());
        if rule.wanted != Some(0) && !rule.choices.is_empty() && cursor.goto_first_child() {
            while let Some(child) = node.child_at(cursor) {
                let field = cursor.field_id().map(std::num::NonZeroU16::get);
                if search.take(child, field) || !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        search.finish()
    }
}

/// The parts of one node as far as its children were looked at.
struct PartSearch<'t, 'r> {
    rule: &'r SyntaxNodeRule,
    node: SyntaxNode<'t>,
    found: [Option<SyntaxNode<'t>>; SLOTS],
    /// The place of the choice by which each part was found.
    rank: [usize; SLOTS],
    /// Named children so far.
    named: u16,
    last: Option<SyntaxNode<'t>>,
    /// Slots that have their first choice, one bit each.
    settled: u16,
}

impl<'t, 'r> PartSearch<'t, 'r> {
    fn new(rule: &'r SyntaxNodeRule, node: SyntaxNode<'t>) -> Self {
        let (found, rank) = ([None; SLOTS], [usize::MAX; SLOTS]);
        Self { rule, node, found, rank, named: 0, last: None, settled: 0 }
    }

    /// Looks at the next child; returns whether the others say nothing more.
    fn take(&mut self, child: SyntaxNode<'t>, field: Option<u16>) -> bool {
        let is_named = child.is_named() && !child.is_extra();
        for (order, SyntaxChildSelector { slot, is_first, selector }) in
            self.rule.choices.iter().enumerate()
        {
            let hit = match selector {
                ChildSelector::Field(id) => field == Some(*id),
                ChildSelector::Kind(id) => is_named && child.kind_id() == *id,
                ChildSelector::Nth(n) => is_named && *n == self.named,
                ChildSelector::Last | ChildSelector::Itself => false,
            };
            if hit && self.put(*slot, order, child) {
                self.settled |= u16::from(*is_first) << slot;
            }
        }
        if is_named {
            self.named = self.named.saturating_add(1);
            self.last = Some(child);
        }
        self.rule.wanted == Some(self.settled)
    }

    fn put(&mut self, slot: u8, order: usize, node: SyntaxNode<'t>) -> bool {
        let place = usize::from(slot);
        let is_better = order < self.rank[place];
        if is_better {
            self.rank[place] = order;
            self.found[place] = Some(node);
        }
        is_better
    }

    fn finish(mut self) -> SyntaxNodeFields<'t> {
        for (order, SyntaxChildSelector { slot, selector, .. }) in
            self.rule.choices.iter().enumerate()
        {
            let hit = match selector {
                ChildSelector::Last => self.last,
                ChildSelector::Itself => Some(self.node),
                _ => None,
            };
            if let Some(hit) = hit {
                self.put(*slot, order, hit);
            }
        }
        SyntaxNodeFields(self.found)
    }
}

//! Nodes of a syntax tree whose every step is counted. All code that reads a tree does so through [`SyntaxNode`], so that no
//! grammar and no text decides how long that takes or how deep it recurses: once the file's budget is used up, and below
//! [`MAX_LEVELS`], there are no further nodes.

use std::{cell::Cell, num::NonZeroU16, ops::Range};

use retriever_workspace::WorkBudget;
use tree_sitter::{Point, TreeCursor};

use super::grammar_table::GrammarTable;

/// Levels of a tree below the node that a visit starts at. Whatever goes down a tree by recursion takes at most as many
/// steps; a thread's stack has room for them.
pub(crate) const MAX_LEVELS: u32 = 400;

/// Bytes of a node's text that are read in about the time of one operation.
const TEXT_BLOCK: usize = 256;

/// What the nodes of one tree share.
pub(crate) struct SyntaxTree<'t> {
    source: &'t str,
    table: &'static GrammarTable,
    budget: &'t WorkBudget,
    /// The level of the node that the visit started at.
    start: Cell<u32>,
    is_cut: Cell<bool>,
}

impl<'t> SyntaxTree<'t> {
    pub(crate) fn new(
        source: &'t str,
        table: &'static GrammarTable,
        budget: &'t WorkBudget,
    ) -> Self {
        Self { source, table, budget, start: Cell::new(0), is_cut: Cell::new(false) }
    }

    /// Returns the root of the tree of the source.
    pub(crate) fn root(&'t self, tree: &'t tree_sitter::Tree) -> SyntaxNode<'t> {
        SyntaxNode { raw: tree.root_node(), syntax: self, level: 0 }
    }

    pub(crate) fn source(&self) -> &'t str {
        self.source
    }

    pub(crate) fn table(&self) -> &'static GrammarTable {
        self.table
    }

    pub(crate) fn budget(&self) -> &'t WorkBudget {
        self.budget
    }

    /// Starts a visit at a node: levels are counted from it. No other visit may go on.
    pub(crate) fn start_at(&self, node: SyntaxNode<'_>) {
        self.start.set(node.level);
    }

    /// Whether nodes were left out because they lie too deep.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Notes that something is left out because it lies too deep.
    pub(crate) fn cut(&self) {
        self.is_cut.set(true);
    }

    /// Spends the operations for reading the given number of bytes; `false` once none is left.
    pub(crate) fn look_at(&self, bytes: usize) -> bool {
        self.spend((bytes / TEXT_BLOCK) as u64)
    }

    /// Takes operations; `false` once none is left.
    fn spend(&self, operations: u64) -> bool {
        self.budget.spend(operations).is_ok()
    }
}

/// A node of a syntax tree.
#[derive(Clone, Copy)]
pub(crate) struct SyntaxNode<'t> {
    raw: tree_sitter::Node<'t>,
    syntax: &'t SyntaxTree<'t>,
    level: u32,
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<'t> SyntaxNode<'t> {
    fn below(&self, raw: tree_sitter::Node<'t>) -> Option<Self> {
        let level = self.level + 1;
        if level - self.syntax.start.get().min(level) > MAX_LEVELS {
            self.syntax.cut();
            return None;
        }
        Some(Self { raw, syntax: self.syntax, level })
    }

    /// Levels between the node and the one that the visit started at.
    pub(crate) fn levels(&self) -> u32 {
        self.level.saturating_sub(self.syntax.start.get())
    }

    pub(crate) fn raw(&self) -> tree_sitter::Node<'t> {
        self.raw
    }

    /// Puts a node of the same tree that was found by a cursor one level below this one.
    pub(crate) fn child_at(&self, cursor: &TreeCursor<'t>) -> Option<Self> {
        if self.syntax.spend(1) { self.below(cursor.node()) } else { None }
    }

    /// Returns its kind in the grammar.
    pub(crate) fn kind(&self) -> &'static str {
        self.syntax.table.kind(self.raw)
    }

    pub(crate) fn kind_id(&self) -> u16 {
        self.raw.kind_id()
    }

    /// The budget that the steps through its tree are taken from.
    pub(crate) fn budget(&self) -> &'t WorkBudget {
        self.syntax.budget
    }

    /// Returns its text. The caller may read all of it, so the cost follows its length.
    pub(crate) fn text(&self) -> &'t str {
        self.syntax.look_at(self.raw.byte_range().len());
        self.syntax.source.get(self.raw.byte_range()).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> usize {
        self.raw.id()
    }

    pub(crate) fn is_named(&self) -> bool {
        self.raw.is_named()
    }

    pub(crate) fn is_extra(&self) -> bool {
        self.raw.is_extra()
    }

    pub(crate) fn is_error(&self) -> bool {
        self.raw.is_error()
    }

    pub(crate) fn has_error(&self) -> bool {
        self.raw.has_error()
    }

    pub(crate) fn start_byte(&self) -> usize {
        self.raw.start_byte()
    }

    pub(crate) fn end_byte(&self) -> usize {
        self.raw.end_byte()
    }

    pub(crate) fn byte_range(&self) -> Range<usize> {
        self.raw.byte_range()
    }

    pub(crate) fn start_position(&self) -> Point {
        self.raw.start_position()
    }

    pub(crate) fn end_position(&self) -> Point {
        self.raw.end_position()
    }

    pub(crate) fn child_count(&self) -> u32 {
        self.raw.child_count()
    }

    pub(crate) fn named_child_count(&self) -> usize {
        self.raw.named_child_count()
    }

    /// The child at a place among all children.
    pub(crate) fn child(&self, place: u32) -> Option<Self> {
        self.syntax
            .spend(1 + u64::from(place / 16))
            .then(|| self.raw.child(place))
            .flatten()
            .and_then(|raw| self.below(raw))
    }

    /// The child at a place among those with a name.
    pub(crate) fn named_child(&self, place: u32) -> Option<Self> {
        let raw = self
            .syntax
            .spend(1 + u64::from(place / 16))
            .then(|| self.raw.named_child(place))
            .flatten();
        raw.and_then(|raw| self.below(raw))
    }

    /// The first child in a field of the grammar.
    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        let field = self.syntax.table.field(name)?;
        let raw = self.syntax.spend(1).then(|| self.raw.child_by_field_id(field)).flatten();
        raw.and_then(|raw| self.below(raw))
    }

    /// All children in a field of the grammar.
    pub(crate) fn fields(&self, name: &str) -> impl Iterator<Item = Self> + use<'t> {
        let field = self.syntax.table.field(name).and_then(NonZeroU16::new);
        let mut children = SyntaxChildren::of(*self);
        std::iter::from_fn(move || {
            let field = field?;
            loop {
                let child = children.next()?;
                if children.cursor.field_id() == Some(field) {
                    return Some(child);
                }
            }
        })
    }

    /// All children, in order.
    pub(crate) fn children(&self) -> SyntaxChildren<'t> {
        SyntaxChildren::of(*self)
    }

    /// All children and the fields that they are in, in order.
    pub(crate) fn children_with_fields(
        &self,
    ) -> impl Iterator<Item = (Option<&'t str>, Self)> + use<'t> {
        let mut children = SyntaxChildren::of(*self);
        std::iter::from_fn(move || {
            let child = children.next()?;
            Some((children.cursor.field_name(), child))
        })
    }

    /// The children with a name, in order.
    pub(crate) fn named_children(&self) -> impl Iterator<Item = Self> + use<'t> {
        self.children().filter(Self::is_named)
    }

    /// Returns the parent. Finding it takes a walk down from the root.
    pub(crate) fn parent(&self) -> Option<Self> {
        let raw = self.syntax.spend(1 + u64::from(self.level)).then(|| self.raw.parent()).flatten();
        raw.map(|raw| Self { raw, syntax: self.syntax, level: self.level.saturating_sub(1) })
    }

    /// The kinds of the token at a byte and of what it stands in, from within; the search looks at the children on the way down.
    pub(crate) fn kinds_at(&self, byte: usize) -> impl Iterator<Item = &'t str> + use<'t> {
        let cost = 64 + self.byte_range().len() as u64 / 64;
        let raw = self
            .syntax
            .spend(cost)
            .then(|| self.raw.descendant_for_byte_range(byte, byte + 1))
            .flatten();
        std::iter::successors(raw, tree_sitter::Node::parent).map(|node| node.kind())
    }

    /// The next child of the same parent. Finding it walks down from the root.
    pub(crate) fn next_sibling(&self) -> Option<Self> {
        let raw =
            self.syntax.spend(1 + u64::from(self.level)).then(|| self.raw.next_sibling()).flatten();
        raw.map(|raw| Self { raw, ..*self })
    }

    /// The child with a name before it. Finding it walks down from the root.
    pub(crate) fn previous_named_sibling(&self) -> Option<Self> {
        let raw = self
            .syntax
            .spend(1 + u64::from(self.level))
            .then(|| self.raw.prev_named_sibling())
            .flatten();
        raw.map(|raw| Self { raw, ..*self })
    }
}

/// The children of a node, in order.
pub(crate) struct SyntaxChildren<'t> {
    parent: SyntaxNode<'t>,
    cursor: TreeCursor<'t>,
    is_started: bool,
}

impl<'t> SyntaxChildren<'t> {
    fn of(parent: SyntaxNode<'t>) -> Self {
        Self { parent, cursor: parent.raw.walk(), is_started: false }
    }
}

impl<'t> Iterator for SyntaxChildren<'t> {
    type Item = SyntaxNode<'t>;

    fn next(&mut self) -> Option<SyntaxNode<'t>> {
        let is_there = if self.is_started {
            self.cursor.goto_next_sibling()
        } else {
            self.is_started = true;
            self.cursor.goto_first_child()
        };
        if is_there { self.parent.child_at(&self.cursor) } else { None }
    }
}

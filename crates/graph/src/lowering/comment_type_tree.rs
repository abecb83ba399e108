//! What comments tell of types, and the syntax tree of these types.

use std::ops::Range;

use tree_sitter::Tree;

use crate::syntax::{SyntaxNode, SyntaxTree, grammar_table::GrammarTable};

/// What the comments of a text tell.
pub(crate) struct CommentTypes {
    /// A text as long as the file in which each type or import is a statement of its own at its place, and all else is blank.
    pub(crate) text: String,
    /// In the order of the text.
    pub(crate) tags: Vec<CommentTag>,
    /// Modules that types name, by the names that stand for them in `text`.
    pub(crate) modules: Vec<CommentModule>,
    pub(crate) notation: &'static CommentNotation,
}

/// How the comments and the code around them are written.
pub(crate) struct CommentNotation {
    /// The tag that gives a type a name.
    pub(crate) alias_tag: &'static str,
    /// What may stand between a comment and the name of what it is about, beside words and space.
    pub(crate) head_signs: &'static str,
}

/// A module that a type names in its place: `import('./a').B`.
pub(crate) struct CommentModule {
    pub(crate) local: String,
    pub(crate) module: String,
    pub(crate) line: u32,
}

/// What one tag of a comment tells.
pub(crate) struct CommentTag {
    pub(crate) kind: CommentTagKind,
    /// The bytes of the comment.
    pub(crate) comment: Range<usize>,
    /// Where the statement with its type or import starts in the text of the types; none without a type.
    pub(crate) statement: Option<usize>,
    /// What it tells of.
    pub(crate) name: String,
    /// Whether the type is that of each of many: `...T`.
    pub(crate) is_each: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentTagKind {
    Param,
    Result,
    Value,
    /// A name for a type, or for an object whose properties follow.
    Alias,
    /// A name for a type of functions, whose parameters and result follow.
    Callback,
    Property,
    TypeParam,
    /// What a class implements.
    Implements,
    Import,
}

/// The types of a file's comments as a syntax tree.
pub(crate) struct CommentTypeTree<'t> {
    pub(super) table: &'static GrammarTable,
    pub(super) tags: Vec<(&'t CommentTag, Option<SyntaxNode<'t>>)>,
    pub(super) modules: &'t [CommentModule],
    pub(super) notation: &'static CommentNotation,
}

impl<'t> CommentTypeTree<'t> {
    pub(crate) fn new(types: &'t CommentTypes, syntax: &'t SyntaxTree<'t>, tree: &'t Tree) -> Self {
        let statements: Vec<SyntaxNode<'t>> =
            syntax.root(tree).named_children().filter(|it| !it.is_extra()).collect();
        let node_at = |start: usize| {
            let at = statements.binary_search_by_key(&start, SyntaxNode::start_byte).ok()?;
            Some(statements[at]).filter(|statement| !statement.has_error())
        };
        let tags = types.tags.iter().map(|tag| (tag, tag.statement.and_then(node_at)));
        let (table, tags) = (syntax.table(), tags.collect());
        Self { table, tags, modules: &types.modules, notation: types.notation }
    }
}

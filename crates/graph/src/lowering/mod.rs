//! From the syntax tree of one file to its facts: [`LoweringContext`] walks the tree and asks the language's
//! [`LoweringDialect`] where the table of the grammar does not say enough. [`outline()`] reads declarations without a tree,
//! [`read_tags`] what a query of the grammar captures. Nothing here looks at another file.

mod assignments;
mod branches;
mod comment_type_tree;
mod comment_types;
mod definitions;
mod doc_comments;
mod documented_types;
mod expressions;
mod functions_and_lambdas;
mod lowering_context;
mod named_events;
mod outline;
mod parameters;
mod scopes_and_imports;
mod signatures;
mod tags_query;
mod types;
mod variables;

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

pub(crate) use self::{
    branches::{Branches, MAX_BRANCHES},
    comment_type_tree::{
        CommentModule, CommentNotation, CommentTag, CommentTagKind, CommentTypeTree, CommentTypes,
    },
    doc_comments::summary,
    documented_types::DocumentedTypes,
    lowering_context::{
        LoweringContext, LoweringPosition, MAX_PARTS, ReturnTarget, find, index, kids,
    },
    outline::outline,
    tags_query::read_tags,
    variables::DeclaredName,
};
pub(crate) use crate::syntax::{
    grammar_table::{GrammarTable, Role, Slot},
    syntax_node_fields::SyntaxNodeFields,
};
use crate::{
    facts::{DefFlags, DefId, ExprId, LambdaId, TypeId},
    syntax::SyntaxNode,
};

/// What a language adds to the common walk.
#[expect(unused_variables, reason = "the default is that of a grammar without anything special")]
pub(crate) trait LoweringDialect: Sync {
    /// Lowers a node whose role is [`Role::Special`].
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        lower.children(node);
        ExprId::UNKNOWN
    }

    /// Binds the names of a pattern that isn't a plain identifier.
    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        lower.children(node);
    }

    /// Lowers a type that the table doesn't cover.
    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        lower.only_child_type(node)
    }

    /// Reads marks off a definition's node: visibility, `static`, `async`.
    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        DefFlags::default()
    }

    /// Adds to a definition what only this language has.
    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {}

    /// Learns from a condition what holds in the branch whose scope is open.
    fn narrow<'t>(&self, lower: &mut LoweringContext<'t>, condition: SyntaxNode<'t>) {}

    /// Adds to a parameter what only this language has, such as a field that it declares.
    fn param<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {}

    /// Adds what a lambda has without writing it: an implicit parameter.
    fn lambda<'t>(&self, lower: &mut LoweringContext<'t>, id: LambdaId, node: SyntaxNode<'t>) {}

    /// Takes an assignment over and returns its value; `None` leaves it to the common walk.
    fn assign<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        left: SyntaxNode<'t>,
        right: Option<SyntaxNode<'t>>,
    ) -> Option<ExprId> {
        None
    }

    /// Returns a text of the same length to parse in place of `source`, if the tree shows that `source` hides
    /// definitions.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted`] when the budget of the root ends.
    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        Ok(None)
    }

    /// As [`Self::rewrite`], for a text with so many errors that there is no tree of it.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted`] when the budget ends.
    fn rewrite_unread(
        &self,
        source: &str,
        budget: &WorkBudget,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        Ok(None)
    }

    /// A word that [`Self::rewrite`] puts in place of a name, and that name, which stands there again in the text that is lowered.
    fn stand_in(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Whether a rewritten text that still has errors is parsed from its beginning: what an error had swallowed can stay
    /// swallowed where only what differs is parsed.
    fn reparses_errors(&self) -> bool {
        false
    }

    /// The parameters that one node declares, for languages that declare several at once.
    fn extra_params<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
    ) -> Vec<(SyntaxNode<'t>, TypeId)> {
        Vec::new()
    }

    /// Whether a node of a parameter list is a bare parameter.
    fn is_param(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
        lower.table.role(node) == Role::Ident
    }

    /// Whether assigning to a bare name declares it.
    fn assignment_declares(&self) -> bool {
        false
    }

    /// Whether a text in a file with the name of a manifest is one, where manifests are written in the language.
    fn is_manifest(&self, text: &str) -> bool {
        true
    }

    /// Whether what has this name is run where it is named, so that the name is no value.
    fn names_run(&self, name: &str) -> bool {
        false
    }

    /// Whether reading a member, or assigning to it, may run a function: an accessor.
    fn members_run(&self) -> bool {
        false
    }

    /// Whether an index is a range, so that what it gives is a row of elements.
    fn is_slice(&self, node: SyntaxNode<'_>) -> bool {
        false
    }

    /// Whether a case of an enumeration may be named without its type, by a name in capitals.
    fn names_cases(&self) -> bool {
        false
    }

    /// Whether the last expression of a body is its value.
    fn body_is_value(&self) -> bool {
        false
    }

    /// The name by which a definition's own first parameter is called when it is the receiver.
    fn receiver_param(&self) -> Option<&'static str> {
        None
    }
}

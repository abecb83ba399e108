//! Signatures: the text of a definition up to its body, and the last line of the definition.

use std::borrow::Cow;

use retriever_workspace::clip;

use crate::{facts::DefId, lowering::lowering_context::LoweringContext, syntax::SyntaxNode};

/// Characters of a signature that are kept.
const SIGNATURE: usize = 200;

/// Modifiers before a definition that are no part of its shape.
const DECORATIONS: &[&str] =
    &["annotation", "attribute", "attribute_list", "decorator", "marker_annotation"];

impl<'t> LoweringContext<'t> {
    /// Keeps the text from `node`'s start up to `body` as the signature, without comments and decorations.
    pub(crate) fn sign(&mut self, id: DefId, node: SyntaxNode<'_>, body: Option<SyntaxNode<'_>>) {
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        if !self.syntax.look_at(end.saturating_sub(node.start_byte())) {
            return;
        }
        let text = undecorated(self.source, node, end);
        let mut signature = String::with_capacity(text.len().min(SIGNATURE));
        for word in text.split_whitespace().take(SIGNATURE) {
            if !signature.is_empty() {
                signature.push(' ');
            }
            signature.push_str(word);
            if signature.len() > 4 * SIGNATURE {
                break;
            }
        }
        let shown = if body.is_some() { without_opening(&signature) } else { &signature };
        self.def_mut(id).signature = clip(shown, SIGNATURE);
    }
}

/// The last row that is a definition's own. Grammars that end a block by indentation let it reach to what follows, with the
/// space and the comments before that.
pub(super) fn last_row(mut node: SyntaxNode<'_>, text: &str) -> usize {
    if !text.ends_with(char::is_whitespace) {
        return node.end_position().row;
    }
    let start = node.start_position().row;
    while let Some(last) = (0..node.child_count())
        .rev()
        .filter_map(|at| node.child(at))
        .find(|child| !child.is_extra() && !child.byte_range().is_empty())
    {
        node = last;
    }
    let end = node.end_position();
    // A leaf that ends at the start of a line ends with the line before.
    if end.column == 0 && end.row > start { end.row - 1 } else { end.row }
}

/// Returns a head without what opens the body behind it. The `>` of a type is no part of an arrow.
fn without_opening(head: &str) -> &str {
    let mut shown = head;
    while let Some(rest) =
        shown.strip_suffix("=>").or_else(|| shown.strip_suffix(['{', ' ', ':', '=']))
    {
        shown = rest;
    }
    shown
}

/// Returns the text of `node` up to the byte `end`, without comments and decorators.
fn undecorated<'t>(source: &'t str, node: SyntaxNode<'_>, end: usize) -> Cow<'t, str> {
    let whole = source.get(node.start_byte()..end).unwrap_or_default();
    if !whole.bytes().any(|byte| matches!(byte, b'\n' | b'@' | b'[')) {
        return Cow::Borrowed(whole);
    }
    let mut text = String::new();
    let from = keep(source, node, end, node.start_byte(), &mut text);
    text.push_str(source.get(from..end).unwrap_or_default());
    Cow::Owned(text)
}

/// Adds what stands between the comments and decorations of `node`, from the byte `from` on; returns where the last of
/// them ends.
fn keep(
    source: &str,
    node: SyntaxNode<'_>,
    end: usize,
    mut from: usize,
    text: &mut String,
) -> usize {
    for child in node.children().take_while(|child| child.start_byte() < end) {
        if child.is_extra() || DECORATIONS.contains(&child.kind()) {
            text.push_str(source.get(from..child.start_byte()).unwrap_or_default());
            from = child.end_byte();
        } else if child.kind() == "modifiers" {
            from = keep(source, child, end, from, text);
        }
    }
    from
}

//! Parts of the full name of a definition, as answers show them.

use retriever_graph::{Node, NodeKind};
use retriever_workspace::truncate;

/// Separators in full names.
pub(super) const SEPARATORS: [char; 4] = ['.', ':', '#', '\\'];
/// Most characters of a name that are repeated.
pub(super) const SHOWN_NAME: usize = 120;

/// Returns the type that a member belongs to.
pub(super) fn owner(node: &Node) -> Option<String> {
    let is_member = node.is_method || node.kind == NodeKind::Field;
    let above = node.qname.strip_suffix(&node.name).filter(|_| is_member)?;
    let owner = last_part(above.trim_end_matches(SEPARATORS));
    // A path is that of a package, not of a type.
    (!owner.is_empty() && !owner.contains('/')).then(|| truncate(owner, SHOWN_NAME))
}

/// Returns the name with that of its type: `Store.save`.
pub(super) fn short_name(node: &Node) -> String {
    match owner(node) {
        Some(owner) => format!("{owner}.{}", node.name),
        None => node.name.clone(),
    }
}

/// Returns the last part of a qualified name.
pub(super) fn last_part(qname: &str) -> &str {
    qname.rsplit(SEPARATORS).next().unwrap_or(qname)
}

//! Rust's `use` trees, as one import for each name that they bring.

use crate::{
    facts::{Bound, Import, ImportId, Sym, Taken},
    lowering::{Lower, index},
    syntax::Node,
};

pub(crate) fn tree<'t>(lower: &mut Lower<'t>, node: Node<'t>, above: &[Sym], public: bool) {
    match lower.kind(node) {
        "use_list" => {
            for child in node.named_children() {
                tree(lower, child, above, public);
            }
        }
        "scoped_use_list" => {
            let mut path = above.to_vec();
            if let Some(prefix) = lower.in_field(node, "path") {
                segments(lower, prefix, &mut path);
            }
            if let Some(list) = lower.in_field(node, "list") {
                tree(lower, list, &path, public);
            }
        }
        "use_wildcard" => {
            let mut path = above.to_vec();
            if let Some(prefix) = node.named_child(0) {
                segments(lower, prefix, &mut path);
            }
            push(lower, node, path, None, public);
        }
        "use_as_clause" => {
            let mut path = above.to_vec();
            let (Some(inner), Some(alias)) =
                (lower.in_field(node, "path"), lower.in_field(node, "alias"))
            else {
                return;
            };
            segments(lower, inner, &mut path);
            let local = lower.sym_of(alias);
            push(lower, node, path, Some(local), public);
        }
        "self" if !above.is_empty() => {
            let local = above.last().copied();
            push(lower, node, above.to_vec(), local, public);
        }
        _ => {
            let mut path = above.to_vec();
            segments(lower, node, &mut path);
            let local = path.last().copied();
            push(lower, node, path, local, public);
        }
    }
}

fn segments(lower: &mut Lower<'_>, node: Node<'_>, path: &mut Vec<Sym>) {
    for part in lower.text(node).split("::").map(str::trim).filter(|part| !part.is_empty()) {
        let part = if part == "self" { "self::" } else { part };
        path.push(lower.sym(part.trim_start_matches("r#")));
    }
}

fn push(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    mut path: Vec<Sym>,
    local: Option<Sym>,
    public: bool,
) {
    let id = ImportId(index(lower.facts.imports.len()));
    let taken = match local {
        None => Taken::All,
        Some(_) => match path.pop() {
            Some(last) => Taken::Name(last),
            None => return,
        },
    };
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    lower.push_import(Import { module: path, level: 0, taken, local, scope, line, public });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
}

//! Rust's `use` trees and `extern crate`, as one import for each name that they bring.

use crate::{
    facts::{Import, ImportSelection, Sym},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// The name by which all macros of a crate are imported: `#[macro_use] extern crate`.
pub(super) const MACROS: &str = "macro_use!";
/// Attributes of an item that are looked at, and the bytes of one.
const MAX_ATTRIBUTES: usize = 16;
const MAX_ATTRIBUTE: usize = 400;

/// Whether an attribute stands before an item, alone or with arguments. Comments may stand between them.
pub(super) fn has_attribute(lower: &LoweringContext<'_>, node: SyntaxNode<'_>, name: &str) -> bool {
    let source = lower.syntax.source().as_bytes();
    let mut before = source.get(..node.start_byte()).unwrap_or_default().trim_ascii_end();
    for _ in 0..MAX_ATTRIBUTES {
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.trim_ascii_start().starts_with(b"//") {
            before = before[..before.len() - line.len()].trim_ascii_end();
            continue;
        }
        let Some(text) = before.strip_suffix(b"]") else { return false };
        let near = &text[text.len().saturating_sub(MAX_ATTRIBUTE)..];
        let Some(open) = near.windows(2).rposition(|pair| pair == b"#[") else { return false };
        let rest = near[open + 2..].trim_ascii().strip_prefix(name.as_bytes());
        if rest.is_some_and(|rest| rest.is_empty() || rest.trim_ascii_start().starts_with(b"(")) {
            return true;
        }
        before = text[..text.len() - near.len() + open].trim_ascii_end();
    }
    false
}

/// Adds the imports of a `use` declaration.
pub(crate) fn use_declaration<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let first = lower.facts.imports.len();
    if let Some(names) = lower.in_field(node, "argument") {
        tree(lower, names, &[]);
    }
    show(lower, node, first);
}

/// Adds `extern crate name as other`, which is `use name as other` of a crate.
pub(crate) fn extern_crate<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let local = lower.in_field(node, "alias").unwrap_or(name);
    let mut path = Vec::new();
    segments(lower, name, &mut path);
    let local = lower.sym_of(local);
    let first = lower.facts.imports.len();
    if has_attribute(lower, node, "macro_use") {
        let macros = lower.sym(MACROS);
        push(lower, node, [path.as_slice(), &[macros]].concat(), Some(macros));
    }
    push(lower, node, path, Some(local));
    show(lower, node, first);
}

/// Marks imports from `first` on as those of a declaration, which others see when it says so.
fn show<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, first: usize) {
    let visibility = node.named_child(0).map(|first| lower.kind(first));
    for import in &mut lower.facts.imports[first..] {
        import.public = visibility == Some("visibility_modifier");
    }
}

fn tree<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, above: &[Sym]) {
    match lower.kind(node) {
        "use_list" => {
            for child in node.named_children() {
                tree(lower, child, above);
            }
        }
        "scoped_use_list" => {
            let mut path = above.to_vec();
            if let Some(prefix) = lower.in_field(node, "path") {
                segments(lower, prefix, &mut path);
            }
            if let Some(list) = lower.in_field(node, "list") {
                tree(lower, list, &path);
            }
        }
        "use_wildcard" => {
            let mut path = above.to_vec();
            if let Some(prefix) = node.named_child(0) {
                segments(lower, prefix, &mut path);
            }
            push(lower, node, path, None);
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
            push(lower, node, path, Some(local));
        }
        "self" if !above.is_empty() => {
            let local = above.last().copied();
            push(lower, node, above.to_vec(), local);
        }
        _ => {
            let mut path = above.to_vec();
            segments(lower, node, &mut path);
            let local = path.last().copied();
            push(lower, node, path, local);
        }
    }
}

fn segments(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>, path: &mut Vec<Sym>) {
    for part in lower.text(node).split("::").map(str::trim).filter(|part| !part.is_empty()) {
        let part = if part == "self" { "self::" } else { part };
        path.push(lower.sym(part.trim_start_matches("r#")));
    }
}

fn push(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    mut path: Vec<Sym>,
    local: Option<Sym>,
) {
    let taken = match local {
        None => ImportSelection::All,
        Some(_) => match path.pop() {
            Some(last) => ImportSelection::Name(last),
            None => return,
        },
    };
    lower.push_import(Import { local, ..lower.import_at(node, path, taken) });
}

//! `#include`, `using` and namespace aliases.

use crate::{
    facts::{Import, ImportSelection, Sym},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

pub(crate) fn include(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) {
    let Some(path) = lower.in_field(node, "path") else { return };
    let text = lower.text(path).trim_matches(['"', '<', '>']);
    let module = lower.sym(text);
    let import = lower.import_at(node, vec![module], ImportSelection::All);
    lower.push_import(Import { public: true, ..import });
}

pub(crate) fn using<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let text = lower.text(node).trim_start_matches("using").trim().trim_end_matches(';').trim();
    let (whole, named) = match text.strip_prefix("namespace") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = path(lower, named);
    let (taken, local) = if whole {
        (ImportSelection::All, None)
    } else {
        let Some(last) = parts.pop() else { return };
        if parts.is_empty() {
            return;
        }
        (ImportSelection::Name(last), Some(last))
    };
    bring(lower, node, parts, taken, local);
}

/// `namespace io = base::io;`.
pub(crate) fn namespace_alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let children = kids(node);
    let [alias, target] = children[..] else { return };
    let alias = lower.sym_of(alias);
    let module = path(lower, lower.text(target));
    bring(lower, node, module, ImportSelection::Module, Some(alias));
}

/// The names of a path: `a::b`.
pub(crate) fn path(lower: &mut LoweringContext<'_>, text: &str) -> Vec<Sym> {
    let parts = text.split("::").map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| lower.sym(part)).collect()
}

/// Imports names of a namespace into the open scope.
pub(crate) fn bring(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    module: Vec<Sym>,
    taken: ImportSelection,
    local: Option<Sym>,
) {
    let import = lower.import_at(node, module, taken);
    lower.push_import(Import { level: 1, local, public: true, ..import });
}

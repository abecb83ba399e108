//! Python's imports.

use crate::{
    facts::{Bound, Import, ImportId, ScopeKind, Sym, Taken},
    lowering::{Lower, index},
    syntax::Node,
};

fn push(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    module: Vec<Sym>,
    level: u8,
    taken: Taken,
    local: Option<Sym>,
) {
    let id = ImportId(index(lower.facts.imports.len()));
    let line = index(node.start_position().row) + 1;
    let scope = lower.at.scope;
    lower.push_import(Import { module, level, taken, local, scope, line, public: true });
    if let Some(local) = local {
        let kind = lower.facts.scopes[scope.index()].kind;
        let from = if kind == ScopeKind::File { 0 } else { index(node.start_byte()) };
        lower.bind(local, from, Bound::Import(id));
    }
}

pub(crate) fn import<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    for child in node.named_children() {
        if lower.kind(child) == "aliased_import" {
            let (Some(name), Some(alias)) =
                (lower.in_field(child, "name"), lower.in_field(child, "alias"))
            else {
                continue;
            };
            let module = lower.dotted_of(name);
            let local = lower.sym_of(alias);
            push(lower, child, module, 0, Taken::Module, Some(local));
        } else {
            let module = lower.dotted_of(child);
            let Some(first) = module.first().copied() else { continue };
            // `import a.b` binds `a`; its parts are reached as members.
            push(lower, child, vec![first], 0, Taken::Module, Some(first));
            if module.len() > 1 {
                push(lower, child, module, 0, Taken::Module, None);
            }
        }
    }
}

pub(crate) fn import_from<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(source) = lower.in_field(node, "module_name") else { return };
    let text = lower.text(source);
    let level = u8::try_from(text.chars().take_while(|c| *c == '.').count()).unwrap_or(u8::MAX);
    let module = lower.dotted_of(source);
    for child in node.named_children() {
        if child == source {
            continue;
        }
        match lower.kind(child) {
            "wildcard_import" => push(lower, child, module.clone(), level, Taken::All, None),
            "aliased_import" => {
                let (Some(name), Some(alias)) =
                    (lower.in_field(child, "name"), lower.in_field(child, "alias"))
                else {
                    continue;
                };
                let (taken, local) = (lower.sym_of(name), lower.sym_of(alias));
                push(lower, child, module.clone(), level, Taken::Name(taken), Some(local));
            }
            "dotted_name" => {
                let taken = lower.sym_of(child);
                push(lower, child, module.clone(), level, Taken::Name(taken), Some(taken));
            }
            _ => {}
        }
    }
}

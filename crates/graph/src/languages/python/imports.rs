//! Python's imports.

use crate::{
    facts::{Import, ImportSelection, ScopeKind, Sym},
    lowering::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Where an import statement takes from.
struct Source {
    module: Vec<Sym>,
    /// The dots in front: folders up from the file's own.
    level: u8,
}

impl Source {
    fn module(module: Vec<Sym>) -> Self {
        Self { module, level: 0 }
    }
}

fn push(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    source: Source,
    taken: ImportSelection,
    local: Option<Sym>,
) {
    let Source { module, level } = source;
    let import = lower.import_at(node, module, taken);
    lower.push_import(Import { level, local, public: true, ..import });
    let in_file = lower.facts.scopes[lower.at.scope.index()].kind == ScopeKind::File;
    if let (Some(binding), Some(_), false) = (lower.facts.bindings.last_mut(), local, in_file) {
        binding.from = index(node.start_byte());
    }
}

pub(crate) fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in node.named_children() {
        if lower.kind(child) == "aliased_import" {
            let (Some(name), Some(alias)) =
                (lower.in_field(child, "name"), lower.in_field(child, "alias"))
            else {
                continue;
            };
            let module = lower.dotted_of(name);
            let local = lower.sym_of(alias);
            push(lower, child, Source::module(module), ImportSelection::Module, Some(local));
        } else {
            let module = lower.dotted_of(child);
            let Some(first) = module.first().copied() else { continue };
            // `import a.b` binds `a`; its parts are reached as members.
            push(lower, child, Source::module(vec![first]), ImportSelection::Module, Some(first));
            if module.len() > 1 {
                push(lower, child, Source::module(module), ImportSelection::Module, None);
            }
        }
    }
}

pub(crate) fn import_from<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "module_name") else { return };
    let text = lower.text(name);
    let level = u8::try_from(text.chars().take_while(|c| *c == '.').count()).unwrap_or(u8::MAX);
    let module = lower.dotted_of(name);
    let source = || Source { module: module.clone(), level };
    for child in node.named_children() {
        if child == name {
            continue;
        }
        match lower.kind(child) {
            "wildcard_import" => push(lower, child, source(), ImportSelection::All, None),
            "aliased_import" => {
                let (Some(name), Some(alias)) =
                    (lower.in_field(child, "name"), lower.in_field(child, "alias"))
                else {
                    continue;
                };
                let (taken, local) = (lower.sym_of(name), lower.sym_of(alias));
                push(lower, child, source(), ImportSelection::Name(taken), Some(local));
            }
            "dotted_name" => {
                let taken = lower.sym_of(child);
                push(lower, child, source(), ImportSelection::Name(taken), Some(taken));
            }
            _ => {}
        }
    }
}

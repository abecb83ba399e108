//! What JavaScript and TypeScript modules take and offer: `import`, `export`, and the imports that `require` makes.

use crate::{
    facts::{Bound, DefId, DefKind, Export, Expr, Flags, Import, ImportId, Sym, Taken},
    languages::javascript::string,
    lowering::{Lower, index},
    syntax::Node,
};

pub(crate) fn push_import(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    module: Sym,
    taken: Taken,
    local: Option<Sym>,
    public: bool,
) -> ImportId {
    let id = ImportId(index(lower.facts.imports.len()));
    lower.push_import(Import {
        module: vec![module],
        level: 0,
        taken,
        local,
        scope: lower.at.scope,
        line: index(node.start_position().row) + 1,
        public,
    });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
    id
}

pub(crate) fn import<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let mut source = lower.in_field(node, "source");
    let require = node.named_children().find(|child| lower.kind(*child) == "import_require_clause");
    if let Some(require) = require {
        source = lower.in_field(require, "source");
    }
    let Some(source) = source else { return };
    let module = string(lower, source);
    let default = lower.sym("default");
    if let Some(require) = require {
        if let Some(name) = require.named_child(0) {
            let local = lower.sym_of(name);
            push_import(lower, node, module, Taken::Module, Some(local), false);
        }
        return;
    }
    let clause = node.named_child(0).filter(|clause| lower.kind(*clause) == "import_clause");
    let Some(clause) = clause else {
        push_import(lower, node, module, Taken::Module, None, false);
        return;
    };
    for part in clause.named_children() {
        match lower.kind(part) {
            "identifier" => {
                let local = lower.sym_of(part);
                push_import(lower, part, module, Taken::Name(default), Some(local), false);
            }
            "namespace_import" => {
                if let Some(name) = part.named_child(0) {
                    let local = lower.sym_of(name);
                    push_import(lower, part, module, Taken::Module, Some(local), false);
                }
            }
            _ => {
                for name in part.named_children() {
                    if let Some(taken) = lower.in_field(name, "name") {
                        let taken_sym = string(lower, taken);
                        let alias = lower.in_field(name, "alias").unwrap_or(taken);
                        let local = lower.sym_of(alias);
                        push_import(
                            lower,
                            name,
                            module,
                            Taken::Name(taken_sym),
                            Some(local),
                            false,
                        );
                    }
                }
            }
        }
    }
}

pub(crate) fn export<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let default = lower.sym("default");
    let mut is_default = false;
    for child in node.children() {
        match lower.kind(child) {
            "default" => is_default = true,
            "decorator" => {
                lower.node(child);
            }
            _ => {}
        }
    }
    if let Some(source) = lower.in_field(node, "source") {
        let module = string(lower, source);
        let mut named = false;
        for child in node.named_children() {
            match lower.kind(child) {
                "export_clause" => {
                    named = true;
                    for part in child.named_children() {
                        let Some(taken) = lower.in_field(part, "name") else { continue };
                        let name = lower.in_field(part, "alias").unwrap_or(taken);
                        let (taken, name) = (string(lower, taken), string(lower, name));
                        let import =
                            push_import(lower, part, module, Taken::Name(taken), None, true);
                        lower.push_export(Export::Import { name, import });
                    }
                }
                "namespace_export" => {
                    named = true;
                    if let Some(name) = child.named_child(0) {
                        let name = string(lower, name);
                        let import = push_import(lower, child, module, Taken::Module, None, true);
                        lower.push_export(Export::Import { name, import });
                    }
                }
                _ => {}
            }
        }
        if !named {
            let import = push_import(lower, node, module, Taken::All, None, true);
            lower.push_export(Export::All(import));
        }
        return;
    }
    if let Some(declaration) = lower.in_field(node, "declaration") {
        let first = lower.facts.defs.len();
        let outer = lower.at.owner;
        lower.doc_reaches(node);
        lower.node(declaration);
        let mut exported = Vec::new();
        for (at, def) in lower.facts.defs.iter_mut().enumerate().skip(first) {
            if def.parent == outer && def.kind != DefKind::Object {
                def.flags = def.flags.with(Flags::EXPORTED);
                exported.push((DefId(index(at)), def.name));
            }
        }
        for (id, name) in exported {
            let value = lower.push(Expr::Def(id));
            let name = if is_default { default } else { name };
            lower.push_export(Export::Value { name, value });
        }
        return;
    }
    if let Some(value) = lower.in_field(node, "value") {
        let value = lower.node(value);
        lower.push_export(Export::Value { name: default, value });
        return;
    }
    for child in node.named_children() {
        if lower.kind(child) == "export_clause" {
            for part in child.named_children() {
                let Some(local) = lower.in_field(part, "name") else { continue };
                let name = lower.in_field(part, "alias").unwrap_or(local);
                let (local, name) = (string(lower, local), string(lower, name));
                lower.push_export(Export::Local { name, local });
            }
        } else if lower.kind(child) == "identifier" {
            // `export = x`
            let value = lower.node(child);
            lower.push_export(Export::Value { name: default, value });
        }
    }
}

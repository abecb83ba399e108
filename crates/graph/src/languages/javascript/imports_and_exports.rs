//! What JavaScript and TypeScript modules take and offer: `import`, `export`, and the imports that `require` makes.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, Import, ImportId, ImportSelection, ModuleExport,
        SupertypeKind, Sym, TypeExpr,
    },
    languages::javascript::{constructor_functions::exported_value, expressions::string},
    lowering::{LoweringContext, Slot, SyntaxNodeFields, index},
    syntax::SyntaxNode,
};

/// Adds what a file offers of another module without binding it.
fn reexport(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    module: Sym,
    taken: ImportSelection,
) -> ImportId {
    let import = lower.import_at(node, vec![module], taken);
    lower.push_import(Import { public: true, ..import })
}

/// Adds what a file takes from another module, by the name `local`.
fn take(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    module: Sym,
    taken: ImportSelection,
    local: Sym,
) {
    let import = lower.import_at(node, vec![module], taken);
    lower.push_import(Import { local: Some(local), ..import });
}

pub(crate) fn import<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
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
            take(lower, node, module, ImportSelection::Module, local);
        }
        return;
    }
    let clause = node.named_child(0).filter(|clause| lower.kind(*clause) == "import_clause");
    let Some(clause) = clause else {
        lower.push_import(lower.import_at(node, vec![module], ImportSelection::Module));
        return;
    };
    for part in clause.named_children() {
        match lower.kind(part) {
            "identifier" => {
                let local = lower.sym_of(part);
                take(lower, part, module, ImportSelection::Name(default), local);
            }
            "namespace_import" => {
                if let Some(name) = part.named_child(0) {
                    let local = lower.sym_of(name);
                    take(lower, part, module, ImportSelection::Module, local);
                }
            }
            _ => {
                for name in part.named_children() {
                    if let Some(taken) = lower.in_field(name, "name") {
                        let taken_sym = string(lower, taken);
                        let alias = lower.in_field(name, "alias").unwrap_or(taken);
                        let local = lower.sym_of(alias);
                        take(lower, name, module, ImportSelection::Name(taken_sym), local);
                    }
                }
            }
        }
    }
}

pub(crate) fn export<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
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
        export_from(lower, node, source);
    } else if let Some(declaration) = lower.in_field(node, "declaration") {
        lower.doc_reaches(node);
        export_declaration(lower, declaration, is_default.then_some(default));
    } else if let Some(value) = lower.in_field(node, "value") {
        let value = exported_value(lower, node, value, "default");
        lower.push_export(ModuleExport::Value { name: default, value });
    } else {
        export_names(lower, node, default);
    }
}

/// `export … from "module"`.
fn export_from<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, source: SyntaxNode<'t>) {
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
                    let import = reexport(lower, part, module, ImportSelection::Name(taken));
                    lower.push_export(ModuleExport::Import { name, import });
                }
            }
            "namespace_export" => {
                named = true;
                if let Some(name) = child.named_child(0) {
                    let name = string(lower, name);
                    let import = reexport(lower, child, module, ImportSelection::Module);
                    lower.push_export(ModuleExport::Import { name, import });
                }
            }
            _ => {}
        }
    }
    if !named {
        let import = reexport(lower, node, module, ImportSelection::All);
        lower.push_export(ModuleExport::All(import));
    }
}

/// `export function f() {}`: what is declared is exported under its name, or under `exported_as`.
fn export_declaration<'t>(
    lower: &mut LoweringContext<'t>,
    declaration: SyntaxNode<'t>,
    exported_as: Option<Sym>,
) {
    let first = lower.facts.defs.len();
    let outer = lower.at.owner;
    lower.node(declaration);
    let mut exported = Vec::new();
    for (at, def) in lower.facts.defs.iter_mut().enumerate().skip(first) {
        if def.parent == outer && def.kind != DefKind::Object {
            def.flags = def.flags.with(DefFlags::EXPORTED);
            exported.push((DefId(index(at)), def.name));
        }
    }
    for (id, name) in exported {
        let value = lower.push(Expr::Def(id));
        lower.push_export(ModuleExport::Value { name: exported_as.unwrap_or(name), value });
    }
}

/// `export { a, b as c }` and `export = x`.
fn export_names<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, default: Sym) {
    for child in node.named_children() {
        if lower.kind(child) == "export_clause" {
            for part in child.named_children() {
                let Some(local) = lower.in_field(part, "name") else { continue };
                let name = lower.in_field(part, "alias").unwrap_or(local);
                let (local, name) = (string(lower, local), string(lower, name));
                lower.push_export(ModuleExport::Local { name, local });
            }
        } else if !child.is_extra() && lower.kind(child) != "decorator" {
            let value = lower.node(child);
            lower.push_export(ModuleExport::Value { name: default, value });
        }
    }
}

pub(crate) fn namespace<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    match parts.get(Slot::Name) {
        Some(name) if lower.kind(name) == "string" => other_module(lower, node, name, parts),
        Some(_) => drop(lower.type_like(DefKind::Namespace, node, parts)),
        None => {}
    }
}

/// `declare module "x" {}`: what it declares is no export of this file, and an interface adds to the one that `x` has by its name.
fn other_module<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let module = string(lower, name);
    let (first, exports) = (lower.facts.defs.len(), lower.facts.exports.len());
    let id = lower.new_def(DefKind::Namespace, module, node, Some(name));
    lower.type_parts(id, node, parts);
    lower.facts.exports.truncate(exports);
    let added = (first..lower.facts.defs.len()).map(|at| DefId(index(at)));
    let is_added = |def: &DefId| {
        let def = lower.facts.def(*def);
        def.kind == DefKind::Interface && def.parent == Some(id)
    };
    let added: Vec<DefId> = added.filter(is_added).collect();
    if added.is_empty() {
        return;
    }
    let import = lower.import_at(node, vec![module], ImportSelection::Module);
    let import = lower.push_import(import);
    for interface in added {
        add_to_interface(lower, node, import, interface);
    }
}

/// Makes what an interface declares part of the interface that a module has by the same name.
fn add_to_interface<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    module: ImportId,
    interface: DefId,
) {
    let (name, scope) = (lower.facts.def(interface).name, lower.facts.def(interface).scope);
    let (start, name_line) =
        (lower.facts.def(interface).start, lower.facts.def(interface).name_line);
    let object = lower.push(Expr::Module(module));
    let host = lower.push(Expr::Member { object, name });
    let receiver = lower.push_type(TypeExpr::TypeOf(host));
    let pos = index(node.end_byte());
    let ty = lower.push_type(TypeExpr::Named { path: vec![name], args: Vec::new(), scope, pos });
    let unnamed = lower.sym("");
    let block = lower.new_def(DefKind::Impl, unnamed, node, None);
    let def = lower.def_mut(block);
    (def.start, def.name_line, def.receiver) = (start, name_line, receiver);
    def.supers.push((SupertypeKind::Inherits, ty));
}

//! Namespaces that are definitions: those of a file that opens several of them.

use crate::{
    facts::{DefKind, summary::FileSummary},
    index::resolve::world::{DefRef, FileId, ModId, World},
};

/// Joins the namespaces that `file` opens into the tree below its package.
pub(crate) fn join(world: &mut World<'_>, file: FileId, outline: &FileSummary) {
    let package = world.module_of[file.index()];
    let separator = outline.language.family().separator();
    for def in &outline.defs {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let above = def.parent.and_then(|def| world.inline.get(&DefRef { file, def }).copied());
        let mut at = above.unwrap_or(package);
        for part in outline.text(def.name).split(separator).filter(|part| !part.is_empty()) {
            at = child(world, at, part, separator);
        }
        world.modules[at.index()].files.push(file);
        world.inline.insert(DefRef { file, def: def.id }, at);
    }
}

/// The module `name` in `above`, made if there is none.
pub(crate) fn child(world: &mut World<'_>, above: ModId, name: &str, separator: &str) -> ModId {
    let number = world.written(name);
    if let Some(child) = world.module(above).children.get(&number) {
        return *child;
    }
    let outer = &world.module(above).name;
    let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}{separator}{name}") };
    let module = world.add_module(full, Some(above));
    world.modules[above.index()].children.insert(number, module);
    module
}

//! Namespaces that are definitions: those of a file that opens several of them.

use crate::index::{
    facts::{DefId, DefKind},
    resolve::world::{DefRef, FileId, ModId, World, number},
};

/// Joins the namespaces that `file` opens into the tree below `package`.
pub(crate) fn join(world: &mut World<'_>, file: FileId, package: ModId) {
    let facts = world.facts(file);
    let separator = facts.language.family().separator();
    for (id, def) in facts.defs.iter().enumerate() {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let this = DefRef { file, def: DefId(number(id)) };
        let above = world.parent(this).and_then(|parent| world.inline.get(&parent).copied());
        let mut at = above.unwrap_or(package);
        for part in facts.text(def.name).split(separator).filter(|part| !part.is_empty()) {
            at = child(world, at, part, separator);
        }
        world.modules[at.index()].files.push(file);
        world.inline.insert(this, at);
    }
}

/// The module `name` in `above`, made if there is none.
pub(crate) fn child<'p>(
    world: &mut World<'p>,
    above: ModId,
    name: &'p str,
    separator: &str,
) -> ModId {
    let number = world.number(name);
    if let Some(child) = world.module(above).children.get(&number) {
        return *child;
    }
    let outer = &world.module(above).name;
    let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}{separator}{name}") };
    let module = world.add_module(full, Some(above));
    world.modules[above.index()].children.insert(number, module);
    module
}

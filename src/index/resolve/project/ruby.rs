//! Ruby: one tree of constants for all files, and classes and modules that are opened again and again.

use std::collections::BTreeMap;

use super::{files_of, folder, join};
use crate::index::{
    facts::{DefId, Import, TypeExpr},
    languages::Family,
    resolve::world::{DefRef, FileId, ModId, Name, World, number},
};

/// Files as `require` names them.
#[derive(Debug, Default, Hash)]
pub(crate) struct Files {
    /// Each file by its path, without the extension.
    modules: BTreeMap<String, ModId>,
}

impl Files {
    /// The file that a `require` loads: beside the asking one, or below a folder that is on the load path by its name.
    pub(crate) fn module(&self, world: &World<'_>, file: FileId, import: &Import) -> Option<ModId> {
        let wanted = world.facts(file).text(*import.module.first()?);
        let wanted = wanted.strip_suffix(".rb").unwrap_or(wanted);
        if import.level > 0 {
            let path = join(folder(world.path(file)), wanted)?;
            return self.modules.get(&path).copied();
        }
        let mut found = ["lib/", ""]
            .iter()
            .filter_map(|root| self.modules.get(&format!("{root}{wanted}")).copied());
        found.next().or_else(|| {
            let end = format!("/lib/{wanted}");
            let mut ending = self.modules.iter().filter(|(path, _)| path.ends_with(&end));
            match (ending.next(), ending.next()) {
                (Some((_, only)), None) => Some(*only),
                _ => None,
            }
        })
    }
}

pub(crate) fn lay_out(world: &mut World<'_>) -> Files {
    let mut found = Files::default();
    let files = files_of(world, Family::Ruby);
    if files.is_empty() {
        return found;
    }
    let root = world.add_module(String::new(), None);
    let mut paths: BTreeMap<Vec<Name>, Vec<DefRef>> = BTreeMap::new();
    let mut qualified = Vec::new();
    for file in files {
        world.modules[root.index()].files.push(file);
        if let Some(path) = world.path(file).strip_suffix(".rb") {
            let module = world.add_module(String::new(), None);
            world.modules[module.index()].files.push(file);
            found.modules.insert(path.to_owned(), module);
        }
        world.module_of[file.index()] = root;
        for (id, def) in world.facts(file).defs.iter().enumerate() {
            let this = DefRef { file, def: DefId(number(id)) };
            if !def.kind.is_type() || !world.is_named(this) {
                continue;
            }
            let chain = world.chain(this);
            if chain.iter().any(|def| world.def(*def).receiver.is_known()) {
                qualified.push((this, chain));
            } else {
                let path = chain.iter().map(|def| world.def_name(*def)).collect();
                paths.entry(path).or_default().push(this);
            }
        }
    }
    // `class A::B`: below what `A` is at that place, else at the top.
    for (this, chain) in qualified {
        let mut path: Vec<Name> = Vec::new();
        for def in chain {
            if let TypeExpr::Named { path: above, .. } =
                world.facts(def.file).ty(world.def(def).receiver)
            {
                let above: Vec<Name> = above
                    .iter()
                    .map(|part| world.sym(def.file, *part))
                    .filter(|part| !world.text(*part).is_empty())
                    .collect();
                while !path.is_empty() {
                    let inner: Vec<Name> = path.iter().chain(&above).copied().collect();
                    if paths.contains_key(&inner) {
                        break;
                    }
                    path.pop();
                }
                path.extend(above);
            }
            path.push(world.def_name(def));
        }
        paths.entry(path).or_default().push(this);
    }
    for mut parts in paths.into_values() {
        // One that stands where its name says comes first: it is found without a look at others.
        parts.sort_by_key(|part| (world.def(*part).receiver.is_known(), *part));
        world.join_parts(parts);
    }
    found
}

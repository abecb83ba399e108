//! What imports bring and modules offer: re-exports, imports of everything, `require`.

use super::{
    lookup::Want,
    session::{Entity, Session},
    types::no_env,
    world::{FileId, ModId, Name},
};
use crate::{
    facts::{Export, Expr, Flags, ImportId, ScopeId, Taken},
    languages::Family,
};

/// Re-exports that one name is followed through.
const MAX_HOPS: u32 = 24;
/// Imports inside one another: what one file imports and hands on, another imports.
const MAX_OPEN: usize = 200;

impl Session<'_, '_> {
    /// What imports of everything bring under a name.
    pub(crate) fn starred(&mut self, module: ModId, name: Name, hops: u32) -> Vec<Entity> {
        if self.world.stars_of(module).is_empty() {
            return Vec::new();
        }
        let key = (module, name);
        if let Some(known) = self.stars.get(&key).or_else(|| self.trail.get(&key)) {
            return known.clone();
        }
        // What is met again on the way is open, and brings nothing more.
        let outermost = self.trail.is_empty();
        self.trail.insert(key, Vec::new());
        let found = self.starred_at(module, name, hops);
        if outermost {
            self.trail.clear();
            self.stars.insert(key, found.clone());
        } else {
            self.trail.insert(key, found.clone());
        }
        found
    }

    fn starred_at(&mut self, module: ModId, name: Name, hops: u32) -> Vec<Entity> {
        let world = self.world;
        for (file, import) in world.stars_of(module).iter().rev() {
            if world.family(*file) == Family::Rust {
                for entity in self.rust_path_of(*file, *import, hops + 1) {
                    let found = self.under(&entity, name, hops + 1);
                    if !found.is_empty() {
                        return found;
                    }
                }
                continue;
            }
            for module in self.import_module(*file, *import) {
                let found = self.export(module, name, hops + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// What an import brings. Never empty: what isn't found is from outside.
    pub(crate) fn import(&mut self, file: FileId, id: ImportId) -> Vec<Entity> {
        if let Some(known) = self.imports.get(&(file, id)) {
            return known.clone();
        }
        if let Some(open) = self.open.get(&(file, id)) {
            let open = open.clone();
            self.met_open_import();
            return open;
        }
        if self.open.len() >= MAX_OPEN {
            self.met_open_import();
            return vec![Entity::External];
        }
        // An import that comes round to itself brings nothing more; what was found on the way holds until the first one is done.
        let is_first = self.open.is_empty();
        self.open.insert((file, id), vec![Entity::External]);
        let outer = std::mem::take(&mut self.met_open);
        let (mut found, spent) = self.spent(|session| session.import_hop(file, id, 0));
        if found.is_empty() {
            found.push(Entity::External);
        }
        if spent == Some(0) {
            self.imports.insert((file, id), found.clone());
        }
        if is_first {
            self.open.clear();
        } else if self.met_open {
            self.open.insert((file, id), found.clone());
        } else {
            self.open.remove(&(file, id));
        }
        self.met_open |= outer;
        found
    }

    fn import_hop(&mut self, file: FileId, id: ImportId, hops: u32) -> Vec<Entity> {
        if hops > MAX_HOPS {
            return Vec::new();
        }
        let import = &self.world.facts(file).imports[id.index()];
        match self.world.family(file) {
            Family::Rust => return self.rust_import(file, id, hops),
            Family::C => return self.c_import(file, id),
            Family::Jvm | Family::CSharp | Family::Php => return self.package_import(file, id),
            _ => {}
        }
        let modules = self.import_module(file, id);
        match import.taken {
            Taken::Module | Taken::All => modules.into_iter().map(Entity::Module).collect(),
            Taken::Name(sym) => {
                let name = self.world.sym(file, sym);
                for module in modules {
                    let found = self.export(module, name, hops + 1);
                    if !found.is_empty() {
                        return found;
                    }
                }
                Vec::new()
            }
        }
    }

    pub(crate) fn import_module(&mut self, file: FileId, id: ImportId) -> Vec<ModId> {
        let import = &self.world.facts(file).imports[id.index()];
        let world = self.world;
        let modules = self.modules.entry((file, id));
        modules.or_insert_with(|| world.layout.module(world, file, import)).clone()
    }

    /// What `require` gives: what the module says it is as a whole, and its single exports.
    pub(super) fn required(&mut self, file: FileId, id: ImportId) -> Vec<Entity> {
        let mut found = self.import(file, id);
        let default = self.world.name("default");
        let modules: Vec<ModId> = found
            .iter()
            .filter_map(|e| if let Entity::Module(m) = e { Some(*m) } else { None })
            .collect();
        for module in modules {
            let common = self.world.module(module).files.iter().all(|file| {
                let facts = self.world.facts(*file);
                !facts.imports.iter().any(|import| import.local.is_some() || import.public)
            });
            if common {
                found.extend(
                    self.export(module, default, 0)
                        .into_iter()
                        .filter(|e| *e != Entity::Module(module)),
                );
            }
        }
        found
    }

    /// What a module offers under a name.
    pub(crate) fn export(&mut self, module: ModId, name: Name, hops: u32) -> Vec<Entity> {
        if hops > MAX_HOPS {
            return Vec::new();
        }
        let world = self.world;
        let files = &world.module(module).files;
        let family = files.first().map(|file| world.family(*file));
        let mut found = Vec::new();
        match family {
            Some(Family::EcmaScript) => {
                for file in files {
                    found.extend(self.listed_export(*file, name, hops));
                }
            }
            Some(
                Family::Go
                | Family::Jvm
                | Family::CSharp
                | Family::Swift
                | Family::Php
                | Family::Ruby,
            ) => {
                found.extend(self.tops_as_entities(module, name));
            }
            Some(Family::C) => {
                // Which file asks isn't known here: what the module's own files see.
                let defs: Vec<Entity> = self.tops_as_entities(module, name);
                let defined = |e: &Entity| matches!(e, Entity::Def(def, _) if !world.def(*def).flags.has(Flags::DECLARATION));
                let any = defs.iter().any(defined);
                found.extend(defs.into_iter().filter(|e| !any || defined(e)));
            }
            _ => {
                found.extend(
                    world.tops_named(module, name).iter().map(|def| Entity::Def(*def, no_env())),
                );
                if found.is_empty() {
                    for (file, import) in world.imports_named(module, name) {
                        found.extend(self.import_hop(*file, *import, hops + 1));
                    }
                    if found.is_empty() {
                        found = self.starred(module, name, hops);
                    }
                }
                if family == Some(Family::Rust) {
                    found = self.and_module(module, name, found);
                }
            }
        }
        if found.is_empty()
            && let Some(child) = world.module(module).children.get(&name)
        {
            found.push(Entity::Module(*child));
        }
        found
    }

    fn listed_export(&mut self, file: FileId, name: Name, hops: u32) -> Vec<Entity> {
        let world = self.world;
        let facts = world.facts(file);
        let mut found = Vec::new();
        for place in world.exports_named(file, name) {
            match &facts.exports[*place] {
                Export::Local { local, .. } => {
                    let local =
                        self.bound_in(file, ScopeId(0), *local, u32::MAX, false, Want::Value);
                    let types = match &facts.exports[*place] {
                        Export::Local { local, .. } => {
                            self.bound_in(file, ScopeId(0), *local, u32::MAX, false, Want::Type)
                        }
                        _ => Vec::new(),
                    };
                    for entity in local.into_iter().chain(types) {
                        if !found.contains(&entity) {
                            found.push(entity);
                        }
                    }
                }
                Export::Import { import, .. } => {
                    found.extend(self.import_hop(file, *import, hops + 1));
                }
                Export::Value { value, .. } => match facts.expr(*value) {
                    Expr::Def(_) | Expr::Name { .. } | Expr::Member { .. } | Expr::Module(_) => {
                        found.extend(self.refer(file, *value).0);
                    }
                    _ => found.push(Entity::Value(file, *value)),
                },
                Export::All(_) => {}
            }
        }
        if found.is_empty() && world.text(name) != "default" {
            for export in &facts.exports {
                let Export::All(import) = export else { continue };
                for module in self.import_module(file, *import) {
                    let through = self.export(module, name, hops + 1);
                    if !through.is_empty() {
                        return through;
                    }
                }
            }
        }
        if found.is_empty() && world.text(name) == "default" {
            // A module without a default, taken as a whole: `import x from "./common-js"`.
            let whole = facts.exports.iter().any(|e| matches!(e, Export::Value { .. }));
            let es = facts.imports.iter().any(|import| import.local.is_some() || import.public);
            if whole && !es {
                found.push(Entity::Module(world.module_of[file.index()]));
            }
        }
        found
    }

    pub(super) fn tops_as_entities(&self, module: ModId, name: Name) -> Vec<Entity> {
        self.world.tops_named(module, name).iter().map(|def| Entity::Def(*def, no_env())).collect()
    }
}

//! Names in languages with declared packages: what an import brings, the own package, imports of everything.

use super::{
    lookup::Want,
    session::{Entity, Session},
    types::no_env,
    world::{DefRef, FileId, ModId, Name, number},
};
use crate::{
    facts::{DefId, DefKind, Flags, Import, ImportId, Sym, Taken},
    languages::{Family, Language},
};

impl Session<'_, '_> {
    /// The method of an interface that a lambda can stand for: its only one without a body.
    pub(super) fn only_method(&self, def: DefRef) -> Option<DefRef> {
        let world = self.world;
        if world.family(def.file) != Family::Jvm || world.def(def).kind != DefKind::Interface {
            return None;
        }
        let facts = world.facts(def.file);
        let mut asked = facts.defs.iter().enumerate().filter(|(_, member)| {
            member.parent == Some(def.def)
                && member.kind == DefKind::Function
                && member.flags.has(Flags::DECLARATION)
        });
        let (id, _) = asked.next()?;
        asked.next().is_none().then(|| DefRef { file: def.file, def: DefId(number(id)) })
    }

    /// What an import brings.
    pub(super) fn package_import(&mut self, file: FileId, id: ImportId) -> Vec<Entity> {
        let import = &self.world.facts(file).imports[id.index()];
        let Taken::Name(last) = import.taken else { return Vec::new() };
        let name = self.world.sym(file, last);
        let mut found = Vec::new();
        for holder in self.package_path(file, &import.module) {
            found.extend(self.package_member(&holder, name));
        }
        if found.is_empty() && self.world.facts(file).language == Language::Scala {
            found = self.relative_import(file, id, name);
        }
        found
    }

    /// What Scala imports from something that is named as it is seen at the import: `import Outer.name`.
    fn relative_import(&mut self, file: FileId, id: ImportId, name: Name) -> Vec<Entity> {
        let import = &self.world.facts(file).imports[id.index()];
        let Some((first, rest)) = import.module.split_first() else { return Vec::new() };
        let Some(outer) = self.begin() else { return Vec::new() };
        let mut holders = self.name_in(file, import.scope, *first, u32::MAX, Want::Value);
        for part in rest.iter().map(|part| self.world.sym(file, *part)).chain([name]) {
            holders = holders.iter().flat_map(|holder| self.package_member(holder, part)).collect();
        }
        self.end(outer);
        holders
    }

    /// What a path leads to that starts in the own package or one around it: `import Outer._`.
    fn near_path(&self, file: FileId, import: &Import) -> Vec<Entity> {
        let world = self.world;
        let Some((first, rest)) = import.module.split_first() else { return Vec::new() };
        let first = world.sym(file, *first);
        let mut around = Some(world.module_at(file, import.scope));
        while let Some(module) = around {
            let mut at: Vec<Entity> = world
                .tops_named(module, first)
                .iter()
                .map(|def| Entity::Def(*def, no_env()))
                .collect();
            if !at.is_empty() {
                for part in rest.iter().map(|part| world.sym(file, *part)) {
                    at = at.iter().flat_map(|holder| self.package_member(holder, part)).collect();
                }
                return at;
            }
            around = world.module(module).parent;
        }
        Vec::new()
    }

    /// What a dotted path leads to: a package, or a type in one.
    pub(crate) fn package_path(&mut self, file: FileId, path: &[Sym]) -> Vec<Entity> {
        let world = self.world;
        let Some((module, rest)) = world.layout.packages.longest(world, file, path) else {
            return Vec::new();
        };
        let mut at = vec![Entity::Module(module)];
        for part in rest {
            let name = world.sym(file, *part);
            at = at.iter().flat_map(|holder| self.package_member(holder, name)).collect();
        }
        at
    }

    pub(crate) fn package_member(&self, holder: &Entity, name: Name) -> Vec<Entity> {
        let world = self.world;
        let defs = match holder {
            Entity::Module(module) => world.tops_named(*module, name),
            Entity::Def(def, _) => world.members_named(*def, name),
            _ => &[],
        };
        if defs.is_empty() && matches!(holder, Entity::Def(..)) && world.text(name) == "Companion" {
            // What a companion has belongs to its class.
            return vec![holder.clone()];
        }
        if let (true, Entity::Module(module)) = (defs.is_empty(), holder) {
            return world
                .module(*module)
                .children
                .get(&name)
                .map(|child| Entity::Module(*child))
                .into_iter()
                .collect();
        }
        defs.iter().map(|def| Entity::Def(*def, no_env())).collect()
    }

    /// A name that no scope binds: the own package, then what whole packages bring, then the outermost packages.
    pub(super) fn package_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<Entity> {
        let world = self.world;
        let own = world.tops_named(module, name);
        if !own.is_empty() {
            return own.iter().map(|def| Entity::Def(*def, no_env())).collect();
        }
        for import in &world.facts(file).imports {
            if import.taken != Taken::All {
                continue;
            }
            let mut holders = self.package_path(file, &import.module);
            if holders.is_empty() && world.facts(file).language == Language::Scala {
                holders = self.near_path(file, import);
            }
            for holder in holders {
                if let Entity::Module(package) = holder
                    && world.tops_named(package, name).is_empty()
                {
                    continue;
                }
                let found = self.package_member(&holder, name);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let root = world.layout.packages.root(world.family(file));
        let child = root.and_then(|root| world.module(root).children.get(&name).copied());
        child.map(Entity::Module).into_iter().collect()
    }
}

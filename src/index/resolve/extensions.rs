//! Functions written for a type from outside of it, found by their bare names.

use std::rc::Rc;

use super::{
    session::{Entity, Session},
    types::Ty,
    world::{DefRef, FileId, Name},
};
use crate::index::facts::{DefKind, ScopeId, ScopeKind};

impl Session<'_, '_> {
    /// Functions written for some type that a class around a place has.
    pub(super) fn extensions_around(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        ty: &Ty,
    ) -> Vec<Entity> {
        let facts = self.world.facts(file);
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            let Some(def) = scope.owner.filter(|_| scope.kind == ScopeKind::Type) else { continue };
            let around = self.world.whole(DefRef { file, def });
            let mut found = self.member(&Ty::Inst(around, Rc::from([])), name);
            found.retain(|entity| {
                matches!(entity, Entity::Def(def, _)
                    if self.world.def(*def).kind == DefKind::Function
                        && self.world.def(*def).receiver.is_known()
                        && self.may_extend(*def, ty))
            });
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Functions written for some type that a file sees by this name: imported by it, or of its own package where the
    /// value's type is known not to have such a member.
    pub(super) fn extensions_in_scope(&mut self, file: FileId, name: Name, ty: &Ty) -> Vec<Entity> {
        let world = self.world;
        let module = world.module_of[file.index()];
        let mut found: Vec<Entity> = Vec::new();
        for (_, import) in
            world.imports_named(module, name).iter().filter(|(from, _)| *from == file)
        {
            found.extend(self.import(file, *import));
        }
        if found.is_empty() && ty.is_known() {
            found = self.tops_as_entities(module, name);
        }
        found.retain(|entity| match entity {
            Entity::Def(def, _) => {
                let def = world.def(*def);
                def.kind == DefKind::Function && def.receiver.is_known()
            }
            _ => false,
        });
        found.retain(|entity| match entity {
            Entity::Def(def, _) => self.may_extend(*def, ty),
            _ => false,
        });
        found
    }

    /// Whether a function written for some type can take a value of `ty`: no if both are the repository's and unrelated.
    fn may_extend(&mut self, function: DefRef, ty: &Ty) -> bool {
        let written = self.eval_type(function.file, self.world.def(function).receiver);
        match (&written, ty) {
            (Ty::Inst(wanted, _), Ty::Inst(given, _)) => {
                let mut open = vec![*given];
                let mut at = 0;
                while at < open.len() && at < 64 {
                    if open[at] == *wanted {
                        return true;
                    }
                    for up in self.supers(open[at]) {
                        match up {
                            Ty::Inst(up, _) if !open.contains(&up) => open.push(up),
                            _ => {}
                        }
                    }
                    at += 1;
                }
                false
            }
            (Ty::Inst(..), Ty::Ext(..) | Ty::List(_)) => false,
            (Ty::Ext(wanted, _), Ty::Ext(given, _)) => {
                // What outside types build on isn't known; only plain ones surely have nothing above them.
                let plain = ["String", "Int", "Long", "Boolean", "Double", "Float", "ByteArray"];
                wanted == given
                    || !plain.contains(&self.world.text(*given))
                        && !plain.contains(&self.world.text(*wanted))
            }
            _ => true,
        }
    }
}

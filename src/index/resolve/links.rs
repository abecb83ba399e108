//! What is attached to a type from outside its declaration: `impl` blocks, receivers, extensions, members assigned to a
//! function. Found before any call is resolved, since it decides what members a type has.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    session::Session,
    types::Ty,
    world::{DefRef, FileId, Name, World, number},
};
use crate::index::facts::{DefId, DefKind, TypeId};

#[derive(Debug, Default)]
pub(crate) struct Links {
    attached: FxHashMap<(DefRef, Name), Vec<DefRef>>,
    supers: FxHashMap<DefRef, Vec<(FileId, TypeId)>>,
    /// Attached to types from elsewhere, by the type's name.
    outside: FxHashMap<(Name, Name), Vec<DefRef>>,
    /// What extensions say that a type from elsewhere builds on.
    outside_supers: FxHashMap<Name, Vec<(FileId, TypeId)>>,
}

enum Host {
    Type(DefRef),
    Outside(Name),
}

impl Links {
    pub(crate) fn attached(&self, to: DefRef, name: Name) -> &[DefRef] {
        self.attached.get(&(to, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn supers_of(&self, def: DefRef) -> &[(FileId, TypeId)] {
        self.supers.get(&def).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside(&self, ty: Name, name: Name) -> &[DefRef] {
        self.outside.get(&(ty, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside_supers(&self, ty: Name) -> &[(FileId, TypeId)] {
        self.outside_supers.get(&ty).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn build(world: &World<'_>) -> Self {
        let empty = Self::default();
        let found: Vec<Vec<(Host, DefRef)>> = (0..world.files.len())
            .into_par_iter()
            .map(|at| {
                let file = FileId(number(at));
                let mut session = Session::new(world, &empty);
                let mut found = Vec::new();
                for (id, def) in world.facts(file).defs.iter().enumerate() {
                    if !def.receiver.is_known() {
                        continue;
                    }
                    let this = DefRef { file, def: DefId(number(id)) };
                    session.refuel();
                    for host in hosts(&session.eval_type(file, def.receiver)) {
                        found.push((host, this));
                    }
                }
                found
            })
            .collect();
        let mut links = Self::default();
        for (host, def) in found.into_iter().flatten() {
            links.attach(world, &host, def);
        }
        links
    }

    fn attach(&mut self, world: &World<'_>, host: &Host, at: DefRef) {
        let def = world.def(at);
        if def.kind == DefKind::Impl {
            let supers = match host {
                Host::Type(host) => self.supers.entry(*host).or_default(),
                Host::Outside(host) => self.outside_supers.entry(*host).or_default(),
            };
            supers.extend(def.supers.iter().map(|(_, ty)| (at.file, *ty)));
            for (id, member) in world.facts(at.file).defs.iter().enumerate() {
                if member.parent == Some(at.def) {
                    let member = DefRef { file: at.file, def: DefId(number(id)) };
                    self.add(world, host, member);
                }
            }
        } else {
            self.add(world, host, at);
        }
    }

    fn add(&mut self, world: &World<'_>, host: &Host, member: DefRef) {
        let name = world.def_name(member);
        let list = match host {
            Host::Type(host) => self.attached.entry((*host, name)).or_default(),
            Host::Outside(host) => self.outside.entry((*host, name)).or_default(),
        };
        if !list.contains(&member) {
            list.push(member);
        }
    }
}

fn hosts(ty: &Ty) -> Vec<Host> {
    ty.each()
        .iter()
        .filter_map(|ty| match ty {
            Ty::Inst(def, _) | Ty::Class(def, _) | Ty::Func(def, _) => Some(Host::Type(*def)),
            Ty::Ext(name, _) | Ty::ExtItem(name) => Some(Host::Outside(*name)),
            _ => None,
        })
        .collect()
}

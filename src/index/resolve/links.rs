//! What is attached to a type from outside its declaration: `impl` blocks, receivers, extensions, members assigned to a
//! function. Found before any call is resolved, since it decides what members a type has.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    seen,
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
    /// What each file attaches.
    given: Vec<Given>,
}

/// What one file attaches to types, its own included, so that others find it there. Sorted; the same in every process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    /// The type's file, if it is the repository's, and hashes of the type and of the member's name.
    pub(crate) members: Vec<(Option<FileId>, u32, u32)>,
    /// The file of a type that gets supertypes, and a hash of the type.
    pub(crate) supers: Vec<(FileId, u32)>,
}

enum Host {
    Type(DefRef),
    Outside(Name),
}

impl Links {
    pub(crate) fn attached(&self, to: DefRef, name: Name) -> &[DefRef] {
        seen::file(to.file);
        self.attached.get(&(to, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn supers_of(&self, def: DefRef) -> &[(FileId, TypeId)] {
        seen::file(def.file);
        self.supers.get(&def).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside(&self, ty: Name, name: Name) -> &[DefRef] {
        self.outside.get(&(ty, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside_supers(&self, ty: Name) -> &[(FileId, TypeId)] {
        self.outside_supers.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// What `file` attaches.
    pub(crate) fn given(&self, file: FileId) -> &Given {
        &self.given[file.index()]
    }

    pub(crate) fn build(world: &World<'_>) -> Self {
        let empty = Self::default();
        let found: Vec<Vec<(Host, DefRef)>> = (0..world.len())
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
        let mut links = Self { given: vec![Given::default(); world.len()], ..Self::default() };
        for (host, def) in found.into_iter().flatten() {
            links.attach(world, &host, def);
        }
        for given in &mut links.given {
            given.members.sort_unstable();
            given.supers.sort_unstable();
        }
        links
    }

    fn attach(&mut self, world: &World<'_>, host: &Host, at: DefRef) {
        let def = world.def(at);
        if def.kind == DefKind::Impl {
            match host {
                Host::Type(host) => {
                    let supers = self.supers.entry(*host).or_default();
                    supers.extend(def.supers.iter().map(|(_, ty)| (at.file, *ty)));
                    let given = (host.file, type_hash(world, *host));
                    self.given[at.file.index()].supers.extend(def.supers.iter().map(|_| given));
                }
                Host::Outside(host) => {
                    let supers = self.outside_supers.entry(*host).or_default();
                    supers.extend(def.supers.iter().map(|(_, ty)| (at.file, *ty)));
                    let name = seen::hash(world.text(*host));
                    let given = def.supers.iter().map(|_| (None, name, name));
                    self.given[at.file.index()].members.extend(given);
                }
            }
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
        if list.contains(&member) {
            return;
        }
        list.push(member);
        let (file, host) = match host {
            Host::Type(host) => (Some(host.file), type_hash(world, *host)),
            Host::Outside(host) => (None, seen::hash(world.text(*host))),
        };
        let given = (file, host, seen::hash(world.text(name)));
        self.given[member.file.index()].members.push(given);
    }
}

fn type_hash(world: &World<'_>, at: DefRef) -> u32 {
    let chain = world.chain(at).into_iter();
    chain.fold(0, |hash, def| hash.rotate_left(5) ^ seen::hash(world.text(world.def_name(def))))
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

//! What is attached to a type from outside its declaration: `impl` blocks, receivers, extensions, members assigned to a
//! function. Found before any call is resolved, since it decides what members a type has.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::{
    facts::{DefId, DefKind, TypeId},
    resolve::{
        evaluator::Evaluator,
        program::{DefRef, FileId, Name, Program, number},
        read_set,
        types::Ty,
    },
};

#[derive(Debug, Default)]
pub(crate) struct AttachmentTable {
    attached: FxHashMap<(DefRef, Name), Vec<DefRef>>,
    supers: FxHashMap<DefRef, Vec<(FileId, TypeId)>>,
    /// Attached to types from elsewhere, by the type's name.
    outside: FxHashMap<(Name, Name), Vec<DefRef>>,
    /// What extensions say that a type from elsewhere builds on.
    outside_supers: FxHashMap<Name, Vec<(FileId, TypeId)>>,
}

/// What one file attaches to types, its own included. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attachments<F> {
    members: Vec<Member<F>>,
    supers: Vec<(Host<F>, TypeId)>,
}

/// A definition of the file, and the type that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Member<F> {
    host: Host<F>,
    def: DefId,
    name: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Host<F> {
    /// A type of the repository, with a hash of its full name.
    Type(F, DefId, u32),
    /// One from elsewhere, by name.
    Outside(Box<str>),
}

/// What others find by what a file attaches: the type's file, if it is the repository's, and hashes of the type and of
/// the member's name; sorted.
pub(crate) type Members<F> = Vec<(Option<F>, u32, u32)>;

impl<F> Default for Attachments<F> {
    fn default() -> Self {
        Self { members: Vec::new(), supers: Vec::new() }
    }
}

impl<F: Copy + Ord> Attachments<F> {
    /// The same with other numbers; `None` when one of the types is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<Attachments<G>> {
        let host = |host: &Host<F>| {
            Some(match host {
                Host::Type(file, def, hash) => {
                    let (file, def) = number(*file, *def)?;
                    Host::Type(file, def, *hash)
                }
                Host::Outside(name) => Host::Outside(name.clone()),
            })
        };
        let member = |member: &Member<F>| {
            Some(Member { host: host(&member.host)?, def: member.def, name: member.name.clone() })
        };
        Some(Attachments {
            members: self.members.iter().map(member).collect::<Option<_>>()?,
            supers: self
                .supers
                .iter()
                .map(|(at, ty)| Some((host(at)?, *ty)))
                .collect::<Option<_>>()?,
        })
    }

    pub(crate) fn members(&self) -> Members<F> {
        let describe = |host: &Host<F>, name: Option<u32>| match host {
            Host::Type(file, _, hash) => name.map(|name| (Some(*file), *hash, name)),
            Host::Outside(host) => {
                let host = read_set::hash(host);
                Some((None, host, name.unwrap_or(host)))
            }
        };
        let members = self.members.iter();
        let members =
            members.map(|member| describe(&member.host, Some(read_set::hash(&member.name))));
        let supers = self.supers.iter().map(|(host, _)| describe(host, None));
        let mut all: Vec<_> = members.chain(supers).flatten().collect();
        all.sort_unstable();
        all
    }

    /// The files of types that get supertypes, with a hash of the type; sorted.
    pub(crate) fn supers(&self) -> Vec<(F, u32)> {
        let supers = self.supers.iter().filter_map(|(host, _)| match host {
            Host::Type(file, _, hash) => Some((*file, *hash)),
            Host::Outside(_) => None,
        });
        let mut all: Vec<_> = supers.collect();
        all.sort_unstable();
        all
    }
}

impl AttachmentTable {
    pub(crate) fn attached(&self, to: DefRef, name: Name) -> &[DefRef] {
        read_set::file(to.file);
        self.attached.get(&(to, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn supers_of(&self, def: DefRef) -> &[(FileId, TypeId)] {
        read_set::file(def.file);
        self.supers.get(&def).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside(&self, ty: Name, name: Name) -> &[DefRef] {
        self.outside.get(&(ty, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn outside_supers(&self, ty: Name) -> &[(FileId, TypeId)] {
        self.outside_supers.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Puts together what all files attach.
    pub(crate) fn of<'g>(
        program: &Program<'_>,
        given: impl IntoIterator<Item = &'g Attachments<FileId>>,
    ) -> Self {
        let mut links = Self::default();
        for (file, given) in (0..).map(FileId).zip(given) {
            for Member { host, def, name } in &given.members {
                let name = program.intern(name);
                let list = match host {
                    Host::Type(file, def, _) => {
                        let host = DefRef { file: *file, def: *def };
                        links.attached.entry((host, name)).or_default()
                    }
                    Host::Outside(host) => {
                        links.outside.entry((program.intern(host), name)).or_default()
                    }
                };
                list.push(DefRef { file, def: *def });
            }
            for (host, ty) in &given.supers {
                let list = match host {
                    Host::Type(file, def, _) => {
                        links.supers.entry(DefRef { file: *file, def: *def }).or_default()
                    }
                    Host::Outside(host) => {
                        links.outside_supers.entry(program.intern(host)).or_default()
                    }
                };
                list.push((file, *ty));
            }
        }
        links
    }
}

/// What a file attaches. Follows from the tables over all files and from nothing that other files attach.
pub(crate) fn given(program: &Program<'_>, file: FileId) -> Attachments<FileId> {
    let empty = AttachmentTable::default();
    let mut evaluator = Evaluator::new(program, &empty);
    let mut given = Attachments::default();
    let mut known: FxHashSet<(Host<FileId>, DefId)> = FxHashSet::default();
    let facts = program.facts(file);
    for (id, def) in facts.defs.iter().enumerate() {
        if !def.receiver.is_known() {
            continue;
        }
        let id = DefId(number(id));
        evaluator.refuel();
        let mut all = hosts(program, &evaluator.eval_type(file, def.receiver));
        if all.is_empty() {
            let declared = program.rules(file).attached_to(&mut evaluator, file, id).into_iter();
            all.extend(declared.map(|at| Host::Type(at.file, at.def, type_hash(program, at))));
        }
        for host in all {
            let mut add = |id: DefId| {
                if known.insert((host.clone(), id)) {
                    let name = facts.text(facts.def(id).name).into();
                    given.members.push(Member { host: host.clone(), def: id, name });
                }
            };
            if def.kind == DefKind::Impl {
                let members = (0..).map(DefId).zip(&facts.defs);
                members.filter(|(_, def)| def.parent == Some(id)).for_each(|(id, _)| add(id));
                given.supers.extend(def.supers.iter().map(|(_, ty)| (host.clone(), *ty)));
            } else {
                add(id);
            }
        }
    }
    given
}

fn type_hash(program: &Program<'_>, at: DefRef) -> u32 {
    let chain = program.chain(at).into_iter();
    chain.fold(0, |hash, def| {
        hash.rotate_left(5) ^ read_set::hash(program.text(program.def_name(def)))
    })
}

fn hosts(program: &Program<'_>, ty: &Ty) -> Vec<Host<FileId>> {
    let host = |ty: &Ty| match ty {
        Ty::Inst(def, _) | Ty::Class(def, _) | Ty::Func(def, _) => {
            Some(Host::Type(def.file, def.def, type_hash(program, *def)))
        }
        Ty::Ext(name, _) | Ty::ExtItem(name) => Some(Host::Outside(program.text(*name).into())),
        _ => None,
    };
    ty.each().iter().filter_map(host).collect()
}

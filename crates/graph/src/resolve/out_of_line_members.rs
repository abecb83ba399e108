//! Members that files attach to types from outside the types' declarations: `impl` blocks, receivers, extensions, members
//! assigned to a function. They are collected before any call is resolved, since they decide what members a type has.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    facts::{DefId, TypeId, name_hash},
    resolve::{
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        resolution_read_set,
    },
};

/// The name under which what is attached to every type stands among types from outside the repository.
pub(crate) const ANY_TYPE: &str = "";

/// The attached members of all files.
#[derive(Debug, Default)]
pub(crate) struct OutOfLineMemberTable {
    members: FxHashMap<(DefRef, Name), Vec<DefRef>>,
    supers: FxHashMap<DefRef, Vec<(FileId, TypeId)>>,
    /// Members of types from outside the repository, by the type's name.
    external_members: FxHashMap<(Name, Name), Vec<DefRef>>,
    /// Supertypes of types from outside the repository, by the type's name.
    external_supers: FxHashMap<Name, Vec<(FileId, TypeId)>>,
}

/// What one file attaches to types, its own included. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutOfLineMembers<F> {
    pub(super) members: Vec<OutOfLineMember<F>>,
    pub(super) supers: Vec<(OutOfLineMemberOwner<F>, TypeId)>,
}

/// A definition of the file, and the type that it is a member of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutOfLineMember<F> {
    pub(super) host: OutOfLineMemberOwner<F>,
    pub(super) def: DefId,
    pub(super) name: Box<str>,
}

/// The type that something is attached to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum OutOfLineMemberOwner<F> {
    /// A type of the repository, with a hash of its full name.
    Type(F, DefId, u32),
    /// A type from outside the repository, by name.
    External(Box<str>),
}

/// The key by which attached members are found: the type's file, if it is in the repository, and hashes of the names of
/// the type and of the member.
pub(crate) type OutOfLineMemberKey<F> = (Option<F>, u32, u32);

impl<F> Default for OutOfLineMembers<F> {
    fn default() -> Self {
        Self { members: Vec::new(), supers: Vec::new() }
    }
}

impl<F: Copy> OutOfLineMemberOwner<F> {
    fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<OutOfLineMemberOwner<G>> {
        match self {
            Self::Type(file, def, hash) => {
                let (file, def) = number(*file, *def)?;
                Some(OutOfLineMemberOwner::Type(file, def, *hash))
            }
            Self::External(name) => Some(OutOfLineMemberOwner::External(name.clone())),
        }
    }
}

impl<F: Copy + Ord> OutOfLineMembers<F> {
    /// Returns the same with other numbers; `None` when a type is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<OutOfLineMembers<G>> {
        let member = |member: &OutOfLineMember<F>| {
            let host = member.host.renumbered(&number)?;
            Some(OutOfLineMember { host, def: member.def, name: member.name.clone() })
        };
        let supers = self.supers.iter().map(|(host, ty)| Some((host.renumbered(&number)?, *ty)));
        Some(OutOfLineMembers {
            members: self.members.iter().map(member).collect::<Option<_>>()?,
            supers: supers.collect::<Option<_>>()?,
        })
    }

    /// By what others find the members, sorted. Supertypes of types from outside the repository are found by the name of
    /// the type.
    pub(crate) fn member_keys(&self) -> Vec<OutOfLineMemberKey<F>> {
        let members = self.members.iter().map(|member| match &member.host {
            OutOfLineMemberOwner::Type(file, _, hash) => {
                (Some(*file), *hash, name_hash(&member.name))
            }
            OutOfLineMemberOwner::External(host) => {
                (None, name_hash(host), name_hash(&member.name))
            }
        });
        let supers = self.supers.iter().filter_map(|(host, _)| match host {
            OutOfLineMemberOwner::Type(..) => None,
            OutOfLineMemberOwner::External(host) => Some((None, name_hash(host), name_hash(host))),
        });
        let mut keys: Vec<_> = members.chain(supers).collect();
        keys.sort_unstable();
        keys
    }

    /// The files of types that get supertypes, each with a hash of the type, sorted.
    pub(crate) fn super_keys(&self) -> Vec<(F, u32)> {
        let supers = self.supers.iter().filter_map(|(host, _)| match host {
            OutOfLineMemberOwner::Type(file, _, hash) => Some((*file, *hash)),
            OutOfLineMemberOwner::External(_) => None,
        });
        let mut keys: Vec<_> = supers.collect();
        keys.sort_unstable();
        keys
    }
}

impl OutOfLineMemberTable {
    /// Joins what all files attach; `attached` is one a file.
    pub(crate) fn new<'a>(
        program: &ProgramFacts<'_>,
        attached: impl IntoIterator<Item = &'a OutOfLineMembers<FileId>>,
    ) -> Self {
        let mut table = Self::default();
        for (file, attached) in (0..).map(FileId).zip(attached) {
            table.add(program, file, attached);
        }
        table
    }

    /// What one file attaches.
    pub(super) fn of_file(
        program: &ProgramFacts<'_>,
        file: FileId,
        attached: &OutOfLineMembers<FileId>,
    ) -> Self {
        let mut table = Self::default();
        table.add(program, file, attached);
        table
    }

    fn add(
        &mut self,
        program: &ProgramFacts<'_>,
        file: FileId,
        attached: &OutOfLineMembers<FileId>,
    ) {
        for OutOfLineMember { host, def, name } in &attached.members {
            let name = program.intern(name);
            let list = match host {
                OutOfLineMemberOwner::Type(file, def, _) => {
                    let host = DefRef { file: *file, def: *def };
                    self.members.entry((host, name)).or_default()
                }
                OutOfLineMemberOwner::External(host) => {
                    self.external_members.entry((program.intern(host), name)).or_default()
                }
            };
            list.push(DefRef { file, def: *def });
        }
        for (host, ty) in &attached.supers {
            let list = match host {
                OutOfLineMemberOwner::Type(file, def, _) => {
                    self.supers.entry(DefRef { file: *file, def: *def }).or_default()
                }
                OutOfLineMemberOwner::External(host) => {
                    self.external_supers.entry(program.intern(host)).or_default()
                }
            };
            list.push((file, *ty));
        }
    }

    /// Returns the members by a name that are attached to a type.
    pub(crate) fn members(&self, of: DefRef, name: Name) -> &[DefRef] {
        resolution_read_set::note_contributed(of.file, name);
        found_in(self.members.get(&(of, name)), name)
    }

    /// Returns the names of the members that are attached to each type.
    pub(crate) fn names_by_type(&self) -> BTreeMap<DefRef, BTreeSet<Name>> {
        let mut names: BTreeMap<DefRef, BTreeSet<Name>> = BTreeMap::new();
        #[expect(clippy::iter_over_hash_type, reason = "the names are sorted")]
        for (of, name) in self.members.keys() {
            names.entry(*of).or_default().insert(*name);
        }
        names
    }

    /// Returns the supertypes that are attached to a type of this name.
    pub(crate) fn supers(&self, of: DefRef, name: Name) -> &[(FileId, TypeId)] {
        resolution_read_set::note_file(of.file);
        supers_in(self.supers.get(&of), name)
    }

    /// Returns the members by a name that are attached to a type from outside the repository.
    pub(crate) fn external_members(&self, of: Name, name: Name) -> &[DefRef] {
        resolution_read_set::note_lookup(None, name);
        found_in(self.external_members.get(&(of, name)), name)
    }

    /// Returns the supertypes that are attached to a type from outside the repository.
    pub(crate) fn external_supers(&self, of: Name) -> &[(FileId, TypeId)] {
        resolution_read_set::note_lookup(None, of);
        supers_in(self.external_supers.get(&of), of)
    }
}

/// Returns supertypes that are attached to a type of this name, and notes that it was looked up in the files that attach them.
fn supers_in(supers: Option<&Vec<(FileId, TypeId)>>, name: Name) -> &[(FileId, TypeId)] {
    let supers = supers.map_or(&[][..], Vec::as_slice);
    supers.iter().for_each(|(file, _)| resolution_read_set::note_lookup(Some(*file), name));
    supers
}

/// Returns members that were found by a name, and notes that it was looked up in their files.
fn found_in(members: Option<&Vec<DefRef>>, name: Name) -> &[DefRef] {
    let members = members.map_or(&[][..], Vec::as_slice);
    members.iter().for_each(|member| resolution_read_set::note_contributor(member.file, name));
    members
}

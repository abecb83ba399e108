//! Tables of definitions, imports, exports, macros and listeners by name, and of the parts of types.

use super::ProgramFacts;
use super::program_modules::Module;
use super::read_set_recorder::{heirs_key, listener_key, members_key};
use crate::resolve::file_and_definition_ids::{DefRef, FileId, ModId, Name, number};
use crate::{
    facts::{
        DefFlags, DefKind, ImportId,
        top_level_summary::{FileSummary, ImportScope},
    },
    resolve::resolution_read_set,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Types that may build on one before they say nothing about it.
pub(crate) const MAX_HEIRS: usize = 64;

impl<'p> ProgramFacts<'p> {
    /// Enters the definitions and imports of all files into the tables of their modules.
    pub(crate) fn index_definitions(&mut self, summaries: &[FileSummary]) {
        self.single_files = self.modules.iter().map(Module::single_file).collect();
        self.lays_out = vec![false; self.len()];
        for def in self.inline.keys().chain(self.canonical_parts.keys()) {
            self.lays_out[def.file.index()] = true;
        }
        self.joined = self.parts.keys().map(|first| (*first, OnceLock::new())).collect();
        for (at, summary) in summaries.iter().enumerate() {
            self.index_file(FileId(number(at)), summary);
        }
    }

    /// The definition that stands for a type declared in parts.
    pub(crate) fn canonical(&self, at: DefRef) -> DefRef {
        self.canonical_parts.get(&at).copied().unwrap_or(at)
    }

    /// Returns the same as [`Self::canonical`], and notes a look-up of the type by its name: a change of its first part
    /// may change how another part is resolved.
    pub(crate) fn look_up_canonical(&self, at: DefRef) -> DefRef {
        let first = self.canonical(at);
        if first != at {
            self.looks_into(first.file, self.def_name(at));
        }
        first
    }

    /// Returns the parts of a type, and notes that each is looked up by its name.
    pub(crate) fn parts_of(&self, of: DefRef) -> Vec<DefRef> {
        let Some(parts) = self.parts.get(&of) else { return vec![of] };
        parts.iter().for_each(|part| self.looks_into(part.file, self.def_name(*part)));
        parts.clone()
    }

    /// Keeps definitions of one path together as parts of one type.
    pub(crate) fn join_type_parts(&mut self, parts: Vec<DefRef>) {
        if let [first, _, ..] = parts.as_slice() {
            let first = *first;
            self.canonical_parts.extend(parts.iter().map(|part| (*part, first)));
            self.parts.insert(first, parts);
        }
    }

    pub(crate) fn members_named(&self, of: DefRef, name: Name) -> &[DefRef] {
        self.looks_among_members(of, name);
        let Some(joined) = self.joined.get(&of) else {
            return match self.canonical_parts.get(&of) {
                // The first part stands in for the others.
                Some(_) => &[],
                None => self.loaded(of.file).members(of.def, name),
            };
        };
        let parts = self.parts.get(&of).map_or(&[][..], Vec::as_slice);
        parts.iter().for_each(|part| self.looks_among_members(*part, name));
        let members = joined.get_or_init(|| {
            let mut members: FxHashMap<Name, Vec<DefRef>> = FxHashMap::default();
            for part in parts {
                self.loaded(part.file).add_members(*part, &mut members);
            }
            members.values_mut().for_each(|members| members.sort_unstable());
            members
        });
        members.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Returns all that a definition holds in its file, whatever it is called, in the order of the text.
    pub(crate) fn members_in_order(&self, of: DefRef) -> &[DefRef] {
        self.looks_into(of.file, self.intern(&members_key(self.text(self.def_name(of)))));
        self.loaded(of.file).children(of.file, of.def)
    }

    pub(crate) fn top_level_named(&self, of: ModId, name: Name) -> &[DefRef] {
        self.looks_into_module(of, name);
        let found = self.tops.get(&(of, name)).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|def| self.looks_into(def.file, name));
        found
    }

    /// Imports in a module's own scope that bring something under a name.
    pub(crate) fn imports_named(&self, of: ModId, name: Name) -> &[(FileId, ImportId)] {
        self.looks_into_module(of, name);
        let found = self.imports.get(&(of, name)).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|(file, _)| self.looks_into(*file, name));
        found
    }

    /// Imports of everything in a module's own scope.
    pub(crate) fn glob_imports_of(&self, of: ModId) -> &[(FileId, ImportId)] {
        if let Some(file) = self.single_file(of) {
            resolution_read_set::note_file(file);
        }
        self.glob_imports.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Places in a file's list of exports that offer a name.
    pub(crate) fn exports_named(&self, of: FileId, name: Name) -> &[usize] {
        self.looks_into(of, name);
        self.loaded(of).exports(name)
    }

    /// The imports of a file all of which it exports.
    pub(crate) fn reexports(&self, of: FileId) -> &[ImportId] {
        resolution_read_set::note_file(of);
        self.loaded(of).reexports()
    }

    pub(crate) fn macros_named(&self, name: Name) -> &[DefRef] {
        self.looks_everywhere(name);
        let found = self.macros.get(&name).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|def| self.looks_into(def.file, name));
        found
    }

    /// Calls that listen for an event by this name: places in a file's list of events.
    pub(crate) fn listeners(&self, key: Name) -> &[(FileId, usize)] {
        self.name(&listener_key(self.text(key)));
        let found = self.listeners.get(&key).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|(file, _)| self.looks_into(*file, key));
        found
    }

    /// Types that name one called `up` as what they build on, each once: no more than one above [`MAX_HEIRS`].
    pub(crate) fn heirs_named(&self, up: Name) -> &[DefRef] {
        self.name(&heirs_key(self.text(up)));
        let found = self.heirs.get(&up).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|heir| self.looks_into(heir.file, self.def_name(*heir)));
        found
    }

    fn index_file(&mut self, file: FileId, summary: &FileSummary) {
        let own = self.module_of[file.index()];
        for import in &summary.imports {
            let home = match import.home {
                ImportScope::File => Some(own),
                ImportScope::Inside(def) => self.inline.get(&DefRef { file, def }).copied(),
                ImportScope::Nowhere => None,
            };
            let Some(home) = home else { continue };
            if import.is_all && import.includes.is_none() {
                self.glob_imports.entry(home).or_default().push((file, import.id));
            }
            if let Some(local) = import.local {
                let local = self.intern(summary.text(local));
                self.imports.entry((home, local)).or_default().push((file, import.id));
            }
        }
        for (key, place) in &summary.listens {
            let key = self.intern(summary.text(*key));
            self.listeners.entry(key).or_default().push((file, *place as usize));
        }
        for (up, heir) in &summary.heirs {
            let up = self.intern(summary.text(*up));
            let heir = self.canonical(DefRef { file, def: *heir });
            let heirs = self.heirs.entry(up).or_default();
            if heirs.len() <= MAX_HEIRS && !heirs.contains(&heir) {
                heirs.push(heir);
            }
        }
        for def in &summary.defs {
            let this = DefRef { file, def: def.id };
            let name = self.intern(summary.text(def.name));
            if def.kind == DefKind::Macro {
                self.macros.entry(name).or_default().push(this);
            }
            let binds_extensions = self.capabilities[file.index()].binds_extensions;
            let attached = def.has_receiver && !binds_extensions;
            let is_found = !attached && !def.flags.has(DefFlags::TITLED);
            if !is_found || self.canonical(this) != this {
                continue;
            }
            let module = match def.parent {
                None => Some(own),
                Some(def) => self.inline.get(&self.canonical(DefRef { file, def })).copied(),
            };
            if let Some(module) = module {
                self.tops.entry((module, name)).or_default().push(this);
            }
        }
    }

    /// The functions that a call through `field` may run; none when there are too many.
    pub(crate) fn functions_assigned_to(&self, field: DefRef) -> &[DefRef] {
        resolution_read_set::note_contributed(field.file, self.def_name(field));
        let assigned = self.callback_fields.assigned_to(field);
        let note =
            |def: &DefRef| resolution_read_set::note_contributor(def.file, self.def_name(*def));
        assigned.iter().for_each(note);
        assigned
    }
}

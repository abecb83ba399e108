//! Records in the read set what is looked up by name.

use super::ProgramFacts;
use crate::resolve::file_and_definition_ids::{DefRef, FileId, ModId, Name};
use crate::resolve::resolution_read_set;

impl<'p> ProgramFacts<'p> {
    /// Notes that a name is looked up in a table over all files.
    pub(crate) fn looks_everywhere(&self, name: Name) {
        resolution_read_set::note_lookup(None, name);
    }

    /// Notes that a name is looked up in what a file has.
    pub(crate) fn looks_into(&self, file: FileId, name: Name) {
        resolution_read_set::note_lookup(Some(file), name);
    }

    /// Notes that a name is looked up among what a definition holds.
    pub(super) fn looks_among_members(&self, of: DefRef, name: Name) {
        resolution_read_set::note_member(of.file, self.def_name(of), name);
    }

    pub(super) fn looks_into_module(&self, module: ModId, name: Name) {
        resolution_read_set::note_lookup(self.single_file(module), name);
    }
}

/// Returns the key in a read set for the value flow of the parameters of functions named `function`.
pub(crate) fn parameter_flow_key(function: &str) -> String {
    format!("{function}\0takes")
}

/// Returns the key for all members of a definition.
pub(crate) fn members_key(holder: &str) -> String {
    format!("{holder}\0members")
}

/// Returns the key for the types that build on one named `up`.
pub(crate) fn heirs_key(up: &str) -> String {
    format!("{up}\0heirs")
}

/// Returns the key for calls that listen for an event.
pub(crate) fn listener_key(event: &str) -> String {
    format!("{event}\0listens")
}

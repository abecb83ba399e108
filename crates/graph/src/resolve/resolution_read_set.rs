//! The read set of one file's resolution: the files that it read, and the names that it looked up in them or in tables
//! over all files. The file is resolved again if and only if one of them has changed.
//!
//! The read set is kept beside the thread: a file is resolved on one thread from beginning to end, and everything that
//! reads another file's facts or a table over all files is a method of [`crate::resolve::program_facts::ProgramFacts`] or
//! [`crate::resolve::out_of_line_members::OutOfLineMemberTable`], which notes the read here.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashSet;

use crate::resolve::file_and_definition_ids::{FileId, Name, number};

/// The files and names that the resolution of one file has read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResolutionReadSet {
    /// One bit a file.
    files: Vec<u64>,
    /// By the file that was looked into; `None` for tables over all files.
    lookups: FxHashSet<(Option<FileId>, Name)>,
    /// Names that were looked up among what a definition of a file holds, with the name of that definition; `None` for
    /// members that were found without it.
    members: FxHashSet<(FileId, Option<Name>, Name)>,
    /// Names that were looked up among the contributions of all files to the types and fields of one file.
    contributed: FxHashSet<(FileId, Name)>,
}

thread_local! {
    static LAST_FILE: Cell<u32> = const { Cell::new(u32::MAX) };
    static READ_SET: RefCell<ResolutionReadSet> = RefCell::default();
}

/// Runs `work`, which stays on this thread, and returns what it read.
pub(crate) fn record<T>(work: impl FnOnce() -> T) -> (T, ResolutionReadSet) {
    LAST_FILE.set(u32::MAX);
    READ_SET.take();
    let result = work();
    (result, READ_SET.take())
}

/// Notes that the facts of `file` are read.
pub(super) fn note_file(file: FileId) {
    // Most reads are of the file that was read last.
    if LAST_FILE.replace(file.0) != file.0 {
        READ_SET.with_borrow_mut(|reads| reads.add_file(file));
    }
}

/// Notes that a name is looked up in what a file has, or in a table over all files; whether it is found or not.
pub(super) fn note_lookup(file: Option<FileId>, name: Name) {
    if let Some(file) = file {
        note_file(file);
    }
    READ_SET.with_borrow_mut(|reads| reads.lookups.insert((file, name)));
}

/// Notes that a name is looked up among what the definition `holder` of a file holds; whether it is found or not.
pub(super) fn note_member(file: FileId, holder: Name, name: Name) {
    note_file(file);
    READ_SET.with_borrow_mut(|reads| reads.members.insert((file, Some(holder), name)));
}

/// Notes that a definition of a file is read that was found among the contributions of all files.
pub(super) fn note_contributor(file: FileId, name: Name) {
    note_lookup(Some(file), name);
    READ_SET.with_borrow_mut(|reads| reads.members.insert((file, None, name)));
}

/// Notes that a name is looked up in what files contribute to the types and fields of `file`: another file can change what is
/// found there, even if `file` is the one that is resolved.
pub(super) fn note_contributed(file: FileId, name: Name) {
    note_file(file);
    READ_SET.with_borrow_mut(|reads| reads.contributed.insert((file, name)));
}

impl ResolutionReadSet {
    pub(crate) fn add_file(&mut self, file: FileId) {
        let at = file.index() / 64;
        if self.files.len() <= at {
            self.files.resize(at + 1, 0);
        }
        self.files[at] |= 1 << (file.0 % 64);
    }

    /// The files, sorted.
    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        let has = |at: &usize| self.files[at / 64] >> (at % 64) & 1 == 1;
        (0..self.files.len() * 64).filter(has).map(|at| FileId(number(at)))
    }

    /// What the resolution of `own` looked up, in no order: names by the file that was looked into, `None` for tables over
    /// all files. What a file says itself is left out: when it changes, it is resolved in any case.
    pub(crate) fn lookups(&self, own: FileId) -> impl Iterator<Item = (Option<FileId>, Name)> + '_ {
        let lookups = self.lookups.iter().copied().filter(move |(file, _)| *file != Some(own));
        lookups.chain(self.contributed.iter().map(|(file, name)| (Some(*file), *name)))
    }

    /// The members that the resolution of `own` looked up in other files, in no order: the file, the name of the definition
    /// around the member, if it was asked for, and its own name.
    pub(crate) fn members(
        &self,
        own: FileId,
    ) -> impl Iterator<Item = (FileId, Option<Name>, Name)> + '_ {
        self.members.iter().copied().filter(move |(file, _, _)| *file != own)
    }
}

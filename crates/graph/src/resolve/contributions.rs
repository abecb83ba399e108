//! What files give to others beside their text: members that they attach to types from outside, and functions that they
//! put into fields. Both are found before any call is resolved; the first follows from the tables over all files, the second
//! from these and from the first, and what calls come to from all three.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    facts::DefId,
    incremental::invalidation::{Before, Invalidation},
    resolve::{Resolver, attached_members::Attachments, callback_fields::Put, program::FileId},
};

/// Files that are worked on before what is open is put away.
const AT_ONCE: usize = 256;

/// What one file gives. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contributions<F> {
    pub(crate) given: Attachments<F>,
    pub(crate) puts: Vec<Put<F>>,
}

impl<F> Default for Contributions<F> {
    fn default() -> Self {
        Self { given: Attachments::default(), puts: Vec::new() }
    }
}

impl<F: Copy + Ord> Contributions<F> {
    /// The same with other numbers; `None` when something is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<Contributions<G>> {
        let puts = self.puts.iter().map(|put| put.renumbered(&number));
        Some(Contributions {
            given: self.given.renumbered(&number)?,
            puts: puts.collect::<Option<_>>()?,
        })
    }
}

/// Makes `resolver` know what all files give.
pub(crate) fn collect_contributions(resolver: &mut Resolver<'_>) {
    let files = resolver.files();
    let mut given = Vec::with_capacity(files.len());
    for some in files.chunks(AT_ONCE) {
        given.par_extend(some.par_iter().with_max_len(4).map(|file| resolver.given(*file)));
        resolver.tidy();
    }
    resolver.attach(&given);
    drop(given);
    let mut puts = Vec::with_capacity(files.len());
    for some in files.chunks(AT_ONCE) {
        puts.par_extend(some.par_iter().with_max_len(4).map(|file| resolver.puts(*file)));
        resolver.tidy();
    }
    resolver.fill(puts.iter().flatten());
}

/// Does the same after some files have changed. Returns the files that have to be resolved again, and what each file gives;
/// `None` when all files may be affected.
pub(crate) fn update_contributions(
    resolver: &mut Resolver<'_>,
    before: Before<'_>,
) -> Option<(Vec<FileId>, Vec<Contributions<FileId>>)> {
    let mut stir = Invalidation::of(&resolver.program, before)?;
    let mut ties = stir.ties();
    let affected = stir.affected();
    let given: Vec<Attachments<FileId>> =
        affected.par_iter().with_max_len(4).map(|file| resolver.given(*file)).collect();
    for (file, given) in affected.into_iter().zip(given) {
        stir.gives(file, &given)?;
        ties[file.index()].given = given;
    }
    resolver.attach(ties.iter().map(|ties| &ties.given));
    let affected = stir.affected();
    let puts: Vec<Vec<Put<FileId>>> =
        affected.par_iter().with_max_len(4).map(|file| resolver.puts(*file)).collect();
    for (file, puts) in affected.into_iter().zip(puts) {
        ties[file.index()].puts = puts;
    }
    stir.puts(ties.iter().flat_map(|ties| &ties.puts))?;
    resolver.fill(ties.iter().flat_map(|ties| &ties.puts));
    Some((stir.affected(), ties))
}

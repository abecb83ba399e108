//! The contributions of a file to the resolution of others: members that it attaches to types of other files, and
//! functions that it assigns to fields. Attached members are collected first, from the tables over all files; then
//! assigned functions, which depend on attached members; then calls are resolved.

use rayon::prelude::*;
use retriever_workspace::{Cancellation, WorkBudgetExhausted};
use serde::{Deserialize, Serialize};

use crate::{
    facts::DefId,
    resolve::{
        Resolver, callback_fields::CallbackAssignment, out_of_line_members::OutOfLineMembers,
    },
};

/// Files that are worked on before loaded facts are released.
pub(crate) const FILES_AT_ONCE: usize = 256;

/// The contributions of one file. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CrossFileContributions<F> {
    pub(crate) attached: OutOfLineMembers<F>,
    pub(crate) callbacks: Vec<CallbackAssignment<F>>,
}

impl<F> Default for CrossFileContributions<F> {
    fn default() -> Self {
        Self { attached: OutOfLineMembers::default(), callbacks: Vec::new() }
    }
}

impl<F: Copy + Ord> CrossFileContributions<F> {
    /// Returns the same with other numbers; `None` when a definition is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<CrossFileContributions<G>> {
        let callbacks = self.callbacks.iter().map(|callback| callback.renumbered(&number));
        Some(CrossFileContributions {
            attached: self.attached.renumbered(&number)?,
            callbacks: callbacks.collect::<Option<_>>()?,
        })
    }
}

/// Collects the contributions of all files into `resolver`.
///
/// # Errors
///
/// [`WorkBudgetExhausted::Cancelled`].
pub(crate) fn collect_contributions(
    resolver: &mut Resolver<'_>,
    cancellation: &Cancellation,
) -> Result<(), WorkBudgetExhausted> {
    let files = resolver.files();
    let mut attached = Vec::with_capacity(files.len());
    for some in files.chunks(FILES_AT_ONCE) {
        cancellation.check()?;
        attached
            .par_extend(some.par_iter().with_max_len(4).map(|file| resolver.attached_by(*file)));
        resolver.release_facts();
    }
    resolver.set_attached(&attached);
    drop(attached);
    let mut callbacks = Vec::with_capacity(files.len());
    for some in files.chunks(FILES_AT_ONCE) {
        cancellation.check()?;
        callbacks
            .par_extend(some.par_iter().with_max_len(4).map(|file| resolver.callbacks_of(*file)));
        resolver.release_facts();
    }
    cancellation.check()?;
    resolver.set_callbacks(callbacks.iter().flatten());
    Ok(())
}

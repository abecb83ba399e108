//! The server of each repository. A repository is published to the server that its name assigns. When the list of
//! servers changes, or the spelling of an address, the assignment may change: questions then find the repository on the
//! server that still has it, and of several copies the newest.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    graph_database::{GraphDatabase, PublishedRepository, RepositoryScope},
    repository_snapshot::RepositoryId,
};

/// Returns the server that a repository's name assigns, by rendezvous hashing: adding or removing a server moves only
/// the repositories that it gains or loses.
pub(crate) fn home_by_name(
    servers: &[Arc<dyn GraphDatabase>],
    repository: RepositoryId,
) -> Option<usize> {
    let weight = |place: &usize| {
        let mut hasher = blake3::Hasher::new();
        let address = servers.get(*place).map_or("", |server| server.address());
        hasher.update(address.as_bytes()).update(&repository.0.to_be_bytes());
        *hasher.finalize().as_bytes()
    };
    (0..servers.len()).max_by_key(weight)
}

/// The servers of the repositories of one question, by index.
#[derive(Default)]
pub(crate) struct RepositoryHomes {
    of: BTreeMap<RepositoryId, usize>,
    /// For each server, the repositories of which another one has a newer publication.
    outdated: Vec<BTreeSet<RepositoryId>>,
    /// Repositories that are on another server than their name assigns, sorted.
    displaced: Vec<String>,
}

impl RepositoryHomes {
    /// Computes the locations from the publications of each server.
    pub(crate) fn new(
        servers: &[Arc<dyn GraphDatabase>],
        published: &[Vec<PublishedRepository>],
    ) -> Self {
        let mut newest: BTreeMap<&str, (usize, &PublishedRepository)> = BTreeMap::new();
        let mut homes = Self { outdated: vec![BTreeSet::new(); servers.len()], ..Self::default() };
        for (place, repository) in published
            .iter()
            .enumerate()
            .flat_map(|(place, of)| of.iter().map(move |it| (place, it)))
        {
            let id = RepositoryId::of(&repository.name);
            let by_name = home_by_name(servers, id);
            let rank =
                |(place, it): (usize, &PublishedRepository)| (it.published, by_name == Some(place));
            let this = (place, repository);
            let older = match newest.get(repository.name.as_str()) {
                Some(other) if rank(*other) >= rank(this) => Some(place),
                other => {
                    let older = other.map(|(place, _)| *place);
                    newest.insert(&repository.name, this);
                    older
                }
            };
            if let Some(outdated) = older.and_then(|older| homes.outdated.get_mut(older)) {
                outdated.insert(id);
            }
        }
        for (name, (place, _)) in newest {
            let id = RepositoryId::of(name);
            homes.of.insert(id, place);
            if home_by_name(servers, id) != Some(place) {
                homes.displaced.push(name.to_owned());
            }
        }
        homes
    }

    /// Returns the server with the newest publication of a repository; `None` if no server is known to have one.
    pub(crate) fn server(&self, repository: RepositoryId) -> Option<usize> {
        self.of.get(&repository).copied()
    }

    /// Returns the repositories of `asked` that a server may serve.
    pub(crate) fn scope(&self, server: usize, asked: &RepositoryScope) -> RepositoryScope {
        let none = BTreeSet::new();
        let outdated = self.outdated.get(server).unwrap_or(&none);
        let wanted = |ids: &[RepositoryId]| -> Vec<RepositoryId> {
            ids.iter().filter(|id| !outdated.contains(id)).copied().collect()
        };
        match asked {
            RepositoryScope::All if outdated.is_empty() => RepositoryScope::All,
            RepositoryScope::All => RepositoryScope::Except(outdated.iter().copied().collect()),
            RepositoryScope::Except(left_out) => {
                let left_out = left_out.iter().chain(outdated).copied();
                RepositoryScope::Except(left_out.collect::<BTreeSet<_>>().into_iter().collect())
            }
            RepositoryScope::Only(only) => RepositoryScope::Only(wanted(only)),
        }
    }

    pub(crate) fn displaced(&self) -> &[String] {
        &self.displaced
    }
}

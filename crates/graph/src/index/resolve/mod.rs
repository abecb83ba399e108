//! Joins the facts of all files into the graph. Deterministic: every file is resolved by itself against the same
//! read-only view, in parallel, and the results are put together in the order of paths.

pub(crate) mod arguments;
pub(crate) mod calls;
pub(crate) mod elements;
pub(crate) mod emit;
pub(crate) mod expected;
pub(crate) mod extensions;
pub(crate) mod imports;
pub(crate) mod known;
pub(crate) mod known_calls;
pub(crate) mod links;
pub(crate) mod lookup;
pub(crate) mod members;
pub(crate) mod memo;
pub(crate) mod names;
pub(crate) mod overloads;
pub(crate) mod packages;
pub(crate) mod project;
pub(crate) mod relay;
pub(crate) mod seen;
pub(crate) mod session;
pub(crate) mod shelf;
pub(crate) mod slots;
pub(crate) mod this;
pub(crate) mod ties;
pub(crate) mod told;
pub(crate) mod trace;
pub(crate) mod types;
pub(crate) mod wire;
pub(crate) mod world;

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::FxHasher;

use self::{
    links::{Given, Links},
    session::Session,
    slots::{Put, Slots},
    told::ToldFiles,
    world::{World, number},
};
pub use self::{project::is_manifest, world::SourceFile};
pub(crate) use self::{
    seen::{Looks, hash as name_hash},
    shelf::{Supply, reading},
    ties::{Ties, tie_again, tie_all},
    trace::{Before, Change, Trace},
    wire::{Joined, Link, order},
    world::{FileId, Name, Sources},
};
use super::scip::Told;
use crate::{
    facts::{FileFacts, summary::FileSummary},
    graph::{Graph, Node, store::StoreError},
};

/// Resolves all references among `files`. `manifests` are the texts of the files that [`is_manifest`] names, by path.
pub fn resolve(files: &[SourceFile], manifests: &[(String, String)]) -> Graph {
    resolve_told(files, manifests, &BTreeMap::new())
}

/// The same, with what compilers say of some of the files, by path.
pub(super) fn resolve_told(
    files: &[SourceFile],
    manifests: &[(String, String)],
    told: &BTreeMap<String, Told>,
) -> Graph {
    let mut files = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let outlines: Vec<FileSummary> =
        files.par_iter().map(|file| FileSummary::of(&file.facts)).collect();
    let paths = files.iter().map(|file| file.path.as_str()).collect();
    let sources = Sources { paths, outlines: &outlines, manifests, supply: &files };
    let mut resolver = Resolver::new(sources, told);
    tie_all(&mut resolver);
    let joined = resolver.files().into_par_iter().map(|file| resolver.file(file).joined).collect();
    wire::graph(&resolver.world, joined, resolver.structural())
}

impl Supply for Vec<SourceFile> {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        Ok(Arc::clone(&self[file.index()].facts))
    }
}

/// All files under one roof, ready for each of them to be resolved by itself once it is known what they give to each
/// other: [`tie_all`], [`tie_again`].
pub(crate) struct Resolver<'p> {
    world: World<'p>,
    links: Links,
    layout: u64,
}

/// What came of resolving one file.
pub(crate) struct Outcome<'w> {
    pub(crate) joined: Joined<'w>,
    pub(crate) ties: Ties<FileId>,
    /// What was looked at for all of it.
    pub(crate) looks: Looks,
}

impl<'p> Resolver<'p> {
    /// What compilers said is `told`, by path.
    pub(crate) fn new(sources: Sources<'p, '_>, told: &'p BTreeMap<String, Told>) -> Self {
        let mut world = World::build(sources);
        world.told = ToldFiles::of(&world, told.iter().map(|(path, told)| (path.as_str(), told)));
        let mut hasher = FxHasher::default();
        (world.layout_hash(), told).hash(&mut hasher);
        Self { world, links: Links::default(), layout: hasher.finish() }
    }

    pub(crate) fn world(&self) -> &World<'p> {
        &self.world
    }

    /// The numbers of the files; a file's is its place in the list that was given.
    pub(crate) fn files(&self) -> Vec<FileId> {
        (0..self.world.len()).map(|at| FileId(number(at))).collect()
    }

    /// The nodes of a file.
    pub(crate) fn nodes(&self, file: FileId) -> Vec<Node> {
        wire::nodes(&self.world, file)
    }

    /// Puts facts away that are open, when they are many.
    pub(crate) fn tidy(&mut self) {
        self.world.tidy();
    }

    /// What a file attaches to types.
    fn given(&self, file: FileId) -> Given<FileId> {
        if self.world.attaches(file) { links::given(&self.world, file) } else { Given::default() }
    }

    /// Takes what all files attach to types.
    fn attach<'g>(&mut self, given: impl IntoIterator<Item = &'g Given<FileId>>) {
        self.links = Links::of(&self.world, given);
    }

    /// What a file puts into fields.
    fn puts(&self, file: FileId) -> Vec<Put<FileId>> {
        if self.world.fills(file) {
            slots::put(&mut Session::new(&self.world, &self.links), file)
        } else {
            Vec::new()
        }
    }

    /// Takes what all files put into fields.
    fn fill<'g>(&mut self, puts: impl Iterator<Item = &'g Put<FileId>>) {
        self.world.slots = Slots::of(puts);
    }

    /// What a file's references and definitions come to, and what was looked at for that.
    pub(crate) fn file(&self, file: FileId) -> Outcome<'_> {
        let ((joined, ties), mut looks) = seen::watch(|| {
            let mut session = Session::new(&self.world, &self.links);
            let ties = Ties { given: self.given(file), puts: slots::put(&mut session, file) };
            let mut bound = relay::Bound::default();
            let edges = emit::edges_of(&mut session, file, &mut bound);
            let mut shapes = wire::shape_of(&mut session, file);
            shapes.extend(relay::shapes(&mut session, file, &bound));
            (wire::join(&self.world, file, edges, shapes), ties)
        });
        // An edge stands for a node's number at both ends.
        for link in &joined.links {
            looks.add(link.from.file);
            looks.add(link.to.file);
        }
        Outcome { joined, ties, looks }
    }

    /// A hash of what no file is asked for: where modules are, what compilers said.
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    /// What follows from all files together.
    pub(crate) fn structural(&self) -> Vec<Link> {
        let shapes = crate::languages::go::implementations::implementations(&mut Session::new(
            &self.world,
            &self.links,
        ));
        wire::links(&self.world, shapes)
    }
}

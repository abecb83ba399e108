//! Joins the facts of all files into the graph. Deterministic: every file is resolved by itself against the same
//! read-only view, in parallel, and the results are put together in the order of paths.

mod arguments;
mod calls;
mod csharp;
mod emit;
mod extensions;
mod imports;
mod includes;
mod known;
mod links;
mod lookup;
mod members;
mod overloads;
mod packages;
mod paths;
mod php;
mod project;
mod relay;
mod ruby;
mod scala;
mod seen;
mod session;
mod slots;
mod structural;
mod swift;
mod told;
mod trace;
mod types;
mod wire;
mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rayon::prelude::*;
use rustc_hash::FxHasher;

use self::{
    links::Links,
    session::Session,
    slots::Slots,
    told::ToldFiles,
    wire::Places,
    world::{World, number},
};
pub use self::{project::is_manifest, world::SourceFile};
pub(crate) use self::{
    seen::Looks,
    trace::{Before, Change, Trace, affected},
    wire::{Joined, Link, order},
    world::FileId,
};
use super::scip::Told;
use crate::graph::{Graph, Node};

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
    let resolver = Resolver::new(&files, manifests, told);
    let joined = resolver.files().into_par_iter().map(|file| resolver.file(file).0).collect();
    wire::graph(&resolver.world, joined, resolver.structural())
}

/// All files under one roof, ready for each of them to be resolved by itself.
pub(crate) struct Resolver<'p> {
    world: World<'p>,
    links: Links,
    places: Places,
    layout: u64,
}

impl<'p> Resolver<'p> {
    /// Takes `files`, sorted by path.
    /// What compilers said is `told`, by path.
    pub(crate) fn new(
        files: &'p [SourceFile],
        manifests: &[(String, String)],
        told: &'p BTreeMap<String, Told>,
    ) -> Self {
        let mut world = World::build(files, manifests);
        world.told = ToldFiles::of(&world, told.iter().map(|(path, told)| (path.as_str(), told)));
        let links = Links::build(&world);
        world.slots = Slots::build(&world, &links);
        let places = Places::new(&world);
        let mut hasher = FxHasher::default();
        (world.layout_hash(), told).hash(&mut hasher);
        Self { world, links, places, layout: hasher.finish() }
    }

    /// The numbers of the files; a file's is its place in the list that was given.
    pub(crate) fn files(&self) -> Vec<FileId> {
        (0..self.world.len()).map(|at| FileId(number(at))).collect()
    }

    /// The nodes of a file.
    pub(crate) fn nodes(&self, file: FileId) -> Vec<Node> {
        wire::nodes(&self.world, file)
    }

    /// What a file's references and definitions come to, and what was looked at for that.
    pub(crate) fn file(&self, file: FileId) -> (Joined<'p>, Looks) {
        let (joined, mut looks) = seen::watch(|| {
            let mut session = Session::new(&self.world, &self.links);
            let mut bound = relay::Bound::default();
            let edges = emit::edges_of(&mut session, file, &mut bound);
            let mut shapes = wire::shape_of(&mut session, file);
            shapes.extend(relay::shapes(&mut session, file, &bound));
            wire::join(&self.world, &self.places, file, edges, shapes)
        });
        // An edge stands for a node's number at both ends.
        for link in &joined.links {
            looks.add(link.from.file);
            looks.add(link.to.file);
        }
        (joined, looks)
    }

    /// Which fields hold which functions: the field's file, a hash of its name, and one of what it holds.
    pub(crate) fn held(&self) -> BTreeSet<(FileId, u32, u64)> {
        self.world.slots.described(&self.world)
    }

    /// A hash of what no file is asked for: where modules are, what compilers said.
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    /// What follows from all files together.
    pub(crate) fn structural(&self) -> Vec<Link> {
        let shapes = structural::implementations(&mut Session::new(&self.world, &self.links));
        wire::links(&self.world, &self.places, shapes)
    }
}

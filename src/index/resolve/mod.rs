//! Joins the facts of all files into the graph. Deterministic: every file is resolved by itself against the same
//! read-only view, in parallel, and the results are put together in the order of paths.

mod calls;
mod csharp;
mod emit;
mod includes;
mod known;
mod links;
mod lookup;
mod members;
mod packages;
mod paths;
mod php;
mod project;
mod ruby;
mod seen;
mod session;
mod structural;
mod trace;
mod types;
mod wire;
mod world;

use rayon::prelude::*;

use self::{
    links::Links,
    session::Session,
    wire::Places,
    world::{World, number},
};
pub use self::{project::is_manifest, world::SourceFile};
pub(crate) use self::{
    seen::Looks,
    trace::{Before, Change, Trace, affected},
    wire::{Joined, Link},
    world::FileId,
};
use crate::graph::{Graph, Node};

/// Resolves all references among `files`. `manifests` are the texts of the files that [`is_manifest`] names, by path.
pub fn resolve(files: &[SourceFile], manifests: &[(String, String)]) -> Graph {
    let mut files = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let resolver = Resolver::new(&files, manifests);
    let joined = resolver.files().into_par_iter().map(|file| resolver.file(file).0).collect();
    wire::graph(&resolver.world, joined, resolver.structural())
}

/// All files under one roof, ready for each of them to be resolved by itself.
pub(crate) struct Resolver<'p> {
    world: World<'p>,
    links: Links,
    places: Places,
}

impl<'p> Resolver<'p> {
    /// Takes `files`, sorted by path.
    pub(crate) fn new(files: &'p [SourceFile], manifests: &[(String, String)]) -> Self {
        let world = World::build(files, manifests);
        let links = Links::build(&world);
        let places = Places::new(&world);
        Self { world, links, places }
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
            let edges = emit::edges_of(&mut session, file);
            let shapes = wire::shape_of(&mut session, file);
            wire::join(&self.world, &self.places, file, edges, shapes)
        });
        // An edge stands for a node's number at both ends.
        for link in &joined.links {
            looks.add(link.from.file);
            looks.add(link.to.file);
        }
        (joined, looks)
    }

    /// A hash of where modules are.
    pub(crate) fn layout(&self) -> u64 {
        self.world.layout_hash()
    }

    /// What follows from all files together.
    pub(crate) fn structural(&self) -> Vec<Link> {
        let shapes = structural::implementations(&mut Session::new(&self.world, &self.links));
        wire::links(&self.world, &self.places, shapes)
    }
}

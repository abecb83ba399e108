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
mod overloads;
mod packages;
mod paths;
mod project;
mod scala;
mod session;
mod structural;
mod swift;
mod types;
mod wire;
mod world;

use rayon::prelude::*;

use self::{
    links::Links,
    session::Session,
    world::{FileId, World, number},
};
pub use self::{project::is_manifest, world::SourceFile};
use crate::graph::Graph;

/// Resolves all references among `files`. `manifests` are the texts of the files that [`is_manifest`] names, by path.
pub fn resolve(files: &[SourceFile], manifests: &[(String, String)]) -> Graph {
    let mut files = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let world = World::build(&files, manifests);
    let links = Links::build(&world);
    let edges = (0..files.len())
        .into_par_iter()
        .map(|at| {
            let mut session = Session::new(&world, &links);
            let file = FileId(number(at));
            (emit::edges_of(&mut session, file), wire::shape_of(&mut session, file))
        })
        .collect();
    let structural = structural::implementations(&mut Session::new(&world, &links));
    wire::graph(&world, edges, structural)
}

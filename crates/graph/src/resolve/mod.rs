//! Joins the facts of all files into the graph. Deterministic: every file is resolved by itself against the same
//! read-only view, in parallel, and the results are put together in the order of paths.

pub(crate) mod attached_members;
pub(crate) mod callback_fields;
pub(crate) mod calls;
pub(crate) mod contributions;
pub(crate) mod edges;
pub(crate) mod elements;
pub(crate) mod evaluator;
pub(crate) mod expected_types;
pub(crate) mod extension_functions;
pub(crate) mod facts_cache;
pub(crate) mod imports;
pub(crate) mod indirect_calls;
pub(crate) mod interner;
pub(crate) mod library_calls;
pub(crate) mod library_types;
pub(crate) mod members;
pub(crate) mod memo;
pub(crate) mod object_calls;
pub(crate) mod overloads;
pub(crate) mod package_imports;
pub(crate) mod program;
pub(crate) mod project_layout;
pub(crate) mod read_set;
pub(crate) mod references;
pub(crate) mod rules;
pub(crate) mod scip_overlay;
pub(crate) mod scopes;
pub(crate) mod self_types;
pub(crate) mod types;

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::FxHasher;

pub use self::program::SourceFile;
use self::{
    attached_members::{AttachmentTable, Attachments},
    callback_fields::{CallbackFields, Put},
    evaluator::Evaluator,
    program::{Program, number},
    rules::LanguageRules,
    scip_overlay::ScipOverlay,
};
pub(crate) use self::{
    contributions::{Contributions, collect_contributions, update_contributions},
    edges::{FileEdges, Link, order},
    facts_cache::{FactsSource, reading},
    program::{FileId, Name, Sources},
    read_set::{ReadSet, hash as name_hash},
};
pub(crate) use crate::incremental::invalidation::{Before, Change, Trace};
use crate::{
    facts::{FileFacts, summary::FileSummary},
    graph::{Graph, Node},
    scip::FileOverlay,
    store::StoreError,
};

/// Resolves all references among `files`. `manifests` are texts by path; `told` is what compilers say of some of the files.
pub(crate) fn resolve_with_overlays(
    files: &[SourceFile],
    manifests: &[(String, String)],
    told: &BTreeMap<String, FileOverlay>,
    languages: LanguageRules,
) -> Graph {
    let mut files = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let summary = |file: &SourceFile| {
        FileSummary::of(&file.facts, (languages.of)(file.facts.language).capabilities())
    };
    let outlines: Vec<FileSummary> = files.par_iter().map(summary).collect();
    let paths = files.iter().map(|file| file.path.as_str()).collect();
    let sources = Sources { paths, outlines: &outlines, manifests, supply: &files, languages };
    let mut resolver = Resolver::new(sources, told);
    collect_contributions(&mut resolver);
    let joined = resolver.files().into_par_iter().map(|file| resolver.file(file).joined).collect();
    edges::graph(&resolver.program, joined, resolver.structural())
}

impl FactsSource for Vec<SourceFile> {
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError> {
        Ok(Arc::clone(&self[file.index()].facts))
    }
}

/// All files under one roof, ready for each of them to be resolved by itself once it is known what they give to each
/// other: [`collect_contributions`], [`update_contributions`].
pub(crate) struct Resolver<'p> {
    program: Program<'p>,
    links: AttachmentTable,
    layout: u64,
}

/// What came of resolving one file.
pub(crate) struct Outcome<'w> {
    pub(crate) joined: FileEdges<'w>,
    pub(crate) ties: Contributions<FileId>,
    /// What was looked at for all of it.
    pub(crate) looks: ReadSet,
}

impl<'p> Resolver<'p> {
    /// What compilers said is `told`, by path.
    pub(crate) fn new(sources: Sources<'p, '_>, told: &'p BTreeMap<String, FileOverlay>) -> Self {
        let mut program = Program::build(sources);
        program.told =
            ScipOverlay::of(&program, told.iter().map(|(path, told)| (path.as_str(), told)));
        let mut hasher = FxHasher::default();
        (program.layout_hash(), told).hash(&mut hasher);
        Self { program, links: AttachmentTable::default(), layout: hasher.finish() }
    }

    pub(crate) fn program(&self) -> &Program<'p> {
        &self.program
    }

    /// The numbers of the files; a file's is its place in the list that was given.
    pub(crate) fn files(&self) -> Vec<FileId> {
        (0..self.program.len()).map(|at| FileId(number(at))).collect()
    }

    /// The nodes of a file.
    pub(crate) fn nodes(&self, file: FileId) -> Vec<Node> {
        edges::nodes(&self.program, file)
    }

    /// Puts facts away that are open, when they are many.
    pub(crate) fn tidy(&mut self) {
        self.program.tidy();
    }

    /// What a file attaches to types.
    fn given(&self, file: FileId) -> Attachments<FileId> {
        if self.program.attaches(file) {
            attached_members::given(&self.program, file)
        } else {
            Attachments::default()
        }
    }

    /// Takes what all files attach to types.
    fn attach<'g>(&mut self, given: impl IntoIterator<Item = &'g Attachments<FileId>>) {
        self.links = AttachmentTable::of(&self.program, given);
    }

    /// What a file puts into fields.
    fn puts(&self, file: FileId) -> Vec<Put<FileId>> {
        if self.program.fills(file) {
            callback_fields::put(&mut Evaluator::new(&self.program, &self.links), file)
        } else {
            Vec::new()
        }
    }

    /// Takes what all files put into fields.
    fn fill<'g>(&mut self, puts: impl Iterator<Item = &'g Put<FileId>>) {
        self.program.slots = CallbackFields::of(puts);
    }

    /// What a file's references and definitions come to, and what was looked at for that.
    pub(crate) fn file(&self, file: FileId) -> Outcome<'_> {
        let ((joined, ties), mut looks) = read_set::watch(|| {
            let mut evaluator = Evaluator::new(&self.program, &self.links);
            let ties = Contributions {
                given: self.given(file),
                puts: callback_fields::put(&mut evaluator, file),
            };
            let mut bound = indirect_calls::Bound::default();
            let edges = references::edges_of(&mut evaluator, file, &mut bound);
            let mut shapes = edges::structure_edges(&mut evaluator, file);
            shapes.extend(indirect_calls::shapes(&mut evaluator, file, &bound));
            (edges::join(&self.program, file, edges, shapes), ties)
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
        let mut evaluator = Evaluator::new(&self.program, &self.links);
        let languages = self.program.known_languages;
        let rules = languages.families.iter().map(|language| (languages.of)(*language));
        let shapes = rules.flat_map(|rules| rules.structural_edges(&mut evaluator)).collect();
        edges::links(&self.program, shapes)
    }
}

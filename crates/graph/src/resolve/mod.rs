//! Resolution: joins the facts of all files to edges between definitions.
//!
//! [`program_facts::ProgramFacts`] holds the facts of all files and the tables over them. Every file is resolved by
//! itself against the same program, on any thread, by an [`type_inference::TypeInference`], which finds what names stand for and
//! what types values have. What that read is its read set: as long as it is the same, the file need not be resolved
//! again.
//!
//! Resolution knows no language. It asks for [`crate::facts::language_capabilities::LanguageCapabilities`] and calls
//! [`language_resolution_rules::ResolutionRules`].

mod annotation_to_type;
pub(crate) mod attached_members_and_callbacks;
mod awaited_values;
mod call_dispatch;
pub(crate) mod call_result_types;
pub(crate) mod call_targets;
pub(crate) mod callable_objects;
pub(crate) mod callback_fields;
mod collect_callback_assignments;
mod collect_out_of_line_members;
pub(crate) mod component_render_calls;
pub(crate) mod constructors;
pub(crate) mod cycle_memo;
pub(crate) mod edges_by_node_id;
pub(crate) mod element_types;
pub(crate) mod expected_types;
pub(crate) mod extension_functions;
mod file_and_definition_ids;
pub(crate) mod file_nodes;
pub(crate) mod imports;
pub(crate) mod indirect_calls;
pub(crate) mod inference_results;
pub(crate) mod interner;
mod known_interfaces;
pub(crate) mod lexical_lookup;
pub(crate) mod library_api_table;
pub(crate) mod library_call_types;
pub(crate) mod library_callback_types;
pub(crate) mod library_element_types;
pub(crate) mod loaded_facts;
pub(crate) mod members;
mod members_of_heirs;
pub(crate) mod named_event_calls;
pub(crate) mod names_in_declared_packages;
pub(crate) mod ordered_set;
pub(crate) mod out_of_line_members;
pub(crate) mod overloads;
mod package_exports;
mod platform_bodies;
pub(crate) mod program_facts;
pub(crate) mod project_layout;
mod qualified_names;
pub(crate) mod reference_edges;
pub(crate) mod resolution_read_set;
pub(crate) mod resolve_expression;
pub(crate) mod resolved_edge;
pub(crate) mod scip_overlay;
pub(crate) mod self_types;
pub(crate) mod structural_edges;
pub(crate) mod supertypes;
pub(crate) mod type_argument_inference;
pub(crate) mod type_inference;
pub(crate) mod type_names;
mod uses_of_imported_names;
mod uses_of_values;

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::FxHasher;

pub(crate) use self::{
    attached_members_and_callbacks::{
        CrossFileContributions, FILES_AT_ONCE, collect_contributions,
    },
    edges_by_node_id::{NodeEdge, ResolvedFileEdges},
    loaded_facts::{FactsSource, node_order},
    program_facts::{FileId, Name, ProgramFactsInput},
    resolution_read_set::ResolutionReadSet,
    type_inference::language_resolution_rules,
    uses_of_values::{PlaceOfUse, UseOfValue},
};
use self::{
    callback_fields::{CallbackAssignment, CallbackFields},
    language_resolution_rules::{LanguageRules, ResolutionRules},
    out_of_line_members::{OutOfLineMemberTable, OutOfLineMembers},
    program_facts::{ProgramFacts, number},
    project_layout::module_layout_fingerprint::{FileModuleHashes, file_layout},
    resolved_edge::StructuralTypingEdges,
    scip_overlay::ScipOverlay,
    type_inference::TypeInference,
};
pub use self::{
    package_exports::PackageExport,
    uses_of_imported_names::{ImportedNameUse, RenamedName},
};
use crate::{facts::scip_file_data::ScipFileData, graph_model::Node, store::StoreError};

/// Most types around a type that are attached to one another: `class Outer::Inner::Innermost {`.
const MAX_NESTED_TYPES: usize = 4;

/// Resolves files of one program, each by itself, once it knows what files contribute to each other:
/// [`collect_contributions`].
pub(crate) struct Resolver<'p> {
    program: ProgramFacts<'p>,
    languages: LanguageRules,
    /// By file.
    rules: Vec<&'static dyn ResolutionRules>,
    attached: OutOfLineMemberTable,
    overlay: ScipOverlay<'p>,
    overlay_hash: u64,
}

/// The result of resolving one file.
pub(crate) struct FileResolution<'w> {
    pub(crate) edges: ResolvedFileEdges<'w>,
    pub(crate) contributions: CrossFileContributions<FileId>,
    pub(crate) reads: ResolutionReadSet,
    /// What the layout says of the file.
    pub(crate) layout: FileModuleHashes,
    /// Some edges are missing: resolving them takes more operations than a file may.
    pub(crate) omits_edges: bool,
}

impl<'p> Resolver<'p> {
    /// Returns a resolver of `sources`; `overlays` is what SCIP indexes say of files, by path.
    pub(crate) fn new(
        languages: LanguageRules,
        sources: &ProgramFactsInput<'p, '_>,
        overlays: &'p BTreeMap<String, ScipFileData>,
    ) -> Self {
        let summaries = sources.summaries;
        let rules = summaries.iter().map(|file| (languages.of)(file.language)).collect();
        let capabilities = |language| (languages.of)(language).capabilities();
        let mut program = ProgramFacts::new(sources, (languages.library)(), capabilities);
        project_layout::lay_out(&mut program, languages, summaries, sources.manifests);
        program.index_definitions(summaries);
        let overlay = ScipOverlay::of(
            &program,
            overlays.iter().map(|(path, overlay)| (path.as_str(), overlay)),
        );
        let mut hasher = FxHasher::default();
        overlays.hash(&mut hasher);
        let attached = OutOfLineMemberTable::default();
        Self { program, languages, rules, attached, overlay, overlay_hash: hasher.finish() }
    }

    pub(crate) fn program(&self) -> &ProgramFacts<'p> {
        &self.program
    }

    /// The numbers of the files, in the order of paths.
    pub(crate) fn files(&self) -> Vec<FileId> {
        (0..self.program.len()).map(|at| FileId(number(at))).collect()
    }

    /// The nodes of a file.
    pub(crate) fn nodes(&self, file: FileId) -> Vec<Node> {
        file_nodes::nodes(&self.program, file)
    }

    /// Errors if facts could not be read: then nothing that was resolved is to be believed.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.program.fault().map_or(Ok(()), Err)
    }

    /// Releases loaded facts when they take much memory.
    pub(crate) fn release_facts(&mut self) {
        self.program.release_facts();
    }

    /// Returns what a file attaches to types.
    pub(crate) fn attached_by(&self, file: FileId) -> OutOfLineMembers<FileId> {
        if self.program.attaches(file) {
            self.collect_attached(file).0
        } else {
            OutOfLineMembers::default()
        }
    }

    /// Returns what a file attaches, and whether the budget for finding it ran out.
    fn collect_attached(&self, file: FileId) -> (OutOfLineMembers<FileId>, bool) {
        let mut own = OutOfLineMemberTable::default();
        let mut found: OutOfLineMembers<FileId> = OutOfLineMembers::default();
        for _ in 0..MAX_NESTED_TYPES {
            let mut inference = self.inference_with(&own);
            let before = found;
            found = collect_out_of_line_members::attached_by(&mut inference, file);
            let ran_out = inference.ran_out();
            // What stands inside of a type that the file itself attaches is found by what is known of that.
            let has_types = collect_out_of_line_members::has_types(&self.program, file, &found);
            if ran_out || found == before || !has_types {
                return (found, ran_out);
            }
            own = OutOfLineMemberTable::of_file(&self.program, file, &found);
        }
        (found, false)
    }

    /// Sets what all files attach to types, one a file.
    pub(crate) fn set_attached<'a>(
        &mut self,
        attached: impl IntoIterator<Item = &'a OutOfLineMembers<FileId>>,
    ) {
        self.attached = OutOfLineMemberTable::new(&self.program, attached);
    }

    /// Returns the functions that a file assigns to fields.
    pub(crate) fn callbacks_of(&self, file: FileId) -> Vec<CallbackAssignment<FileId>> {
        if self.program.fills(file) {
            collect_callback_assignments::assignments_in(&mut self.inference(), file)
        } else {
            Vec::new()
        }
    }

    /// Sets the functions that all files assign to fields.
    pub(crate) fn set_callbacks<'a>(
        &mut self,
        callbacks: impl Iterator<Item = &'a CallbackAssignment<FileId>>,
    ) {
        self.program.callback_fields = CallbackFields::new(callbacks);
    }

    fn inference(&self) -> TypeInference<'_, 'p> {
        self.inference_with(&self.attached)
    }

    fn inference_with<'w>(&'w self, attached: &'w OutOfLineMemberTable) -> TypeInference<'w, 'p> {
        TypeInference::new(&self.program, &self.rules, &self.overlay, attached)
    }

    /// Resolves the references and definitions of a file.
    pub(crate) fn resolve(&self, file: FileId) -> FileResolution<'_> {
        let ((edges, contributions, layout, omits_edges), mut reads) =
            resolution_read_set::record(|| {
                let (attached, attached_ran_out) = self.collect_attached(file);
                let mut inference = self.inference();
                let callbacks = collect_callback_assignments::assignments_in(&mut inference, file);
                let mut bound = indirect_calls::IndirectCallInput::default();
                let references = reference_edges::edges_of(&mut inference, file, &mut bound);
                inference.renew_budget();
                let mut edges = structural_edges::structure_edges(&mut inference, file);
                edges.extend(indirect_calls::edges_of(&mut inference, file, &bound));
                let layout =
                    file_layout(&self.program, file, |id| inference.import_module(file, id));
                let edges = edges_by_node_id::join(&self.program, file, references, edges);
                let omits_edges = inference.ran_out() || attached_ran_out;
                (edges, CrossFileContributions { attached, callbacks }, layout, omits_edges)
            });
        // An edge names nodes by number at both ends.
        for link in &edges.links {
            reads.add_file(link.from.file);
            reads.add_file(link.to.file);
        }
        FileResolution { edges, contributions, reads, layout, omits_edges }
    }

    /// A hash of what SCIP indexes say.
    pub(crate) fn overlays(&self) -> u64 {
        self.overlay_hash
    }

    /// Returns the module hashes of a file, without resolving it.
    pub(crate) fn file_layout(&self, file: FileId) -> FileModuleHashes {
        let import = |id| self.program.modules_of_import(file, self.program.facts(file).import(id));
        file_layout(&self.program, file, import)
    }

    /// Returns the edges that follow from a comparison of all files, and the files of which some are missing: to find
    /// them takes more operations than a type may.
    pub(crate) fn structural_edges(&self) -> (Vec<NodeEdge>, BTreeSet<FileId>) {
        let mut inference = self.inference();
        let mut all = StructuralTypingEdges::default();
        for language in self.languages.families {
            let found = (self.languages.of)(*language).structural_edges(&mut inference);
            all.edges.extend(found.edges);
            all.incomplete.extend(found.incomplete);
        }
        (edges_by_node_id::links(&self.program, all.edges), all.incomplete)
    }
}

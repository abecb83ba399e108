//! Source sized to a query, without a model. [`crate::find_candidates`] ranks places; here it is decided what of them is
//! printed, how much of each, and what stands beside it.
//!
//! Design notes. An exploration never exceeds its ceiling ([`AnswerSizeLimits`]) and aims at less than half of it. The
//! [`main_call_path`] is a chain of calls that the graph has; what is not on it is selected by relevance ([`snippet_selection`]).
//! Interchangeable definitions off the spine become [`skeleton`]s. IDs follow from paths and names ([`place_id`]), so
//! that any process resolves them from the tree alone. Any thread may read: an exploration is a task of the thread
//! pool, its searches run side by side, and share what they find out.

mod answer_size_limits;
mod build_call_flow;
mod call_flow_anchors;
mod call_flow_neighbours;
mod call_path_search;
mod concept_coverage;
mod exploration;
mod exploration_truncation;
mod explore_options;
mod file_symbols;
mod main_call_path;
mod match_quality;
mod place_context;
mod place_id;
mod place_relations;
mod printed_source;
mod render_exploration;
mod run_exploration;
mod sibling_definitions;
mod skeleton;
mod snippet;
mod snippet_clusters;
mod snippet_selection;
mod source_printer;
mod symbol_table;
pub use self::run_exploration::explore;

pub use self::{
    answer_size_limits::AnswerSizeLimits,
    build_call_flow::find_flow,
    exploration::{
        CallFlowStep, Exploration, FileRenderMode, PlaceContext, PlaceInContext, PlaceSummary,
        PrintedDeclaration, RankedPlace, RelatedDefinition, RelatedPlaces, RelationCounts,
        RenderedFile, SourceExcerpt, VERSION,
    },
    explore_options::{
        DEFAULT_DEPTH, ExploreConfig, ExploreError, ExploreOptions, LimitedForm, MIN_BUDGET, check,
    },
    place_context::{PlaceContextError, TreeWithGraph, context},
    render_exploration::{ExplorationTextFormat, context_text, text},
};

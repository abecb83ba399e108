//! Everything about places that are named by ID: their whole source and their relations.

use std::collections::BTreeSet;

use retriever_graph::{Graph, indexing::IndexError};
use retriever_workspace::{Cancellation, DirectoryWalk, Workspace};

use super::{
    answer_size_limits::AnswerSizeLimits,
    exploration::{PlaceContext, PlaceInContext, VERSION},
    exploration_truncation::{SizeLimit, truncate_context},
    explore_options::{ExploreOptions, MIN_BUDGET},
    file_symbols::SymbolPlace,
    place_id::{self, PathsById},
    place_relations::PlaceRelations,
    printed_source::one_line,
    sibling_definitions::SiblingDefinitions,
    symbol_table::SymbolTable,
};
use crate::{search_corpus::RepositorySizeTier, texts_of_one_search::TextCache};

/// Most IDs of one call.
const MAX_IDS: usize = 50;
/// Matches of an ambiguous ID that are listed.
const MAX_LISTED: usize = 8;

/// Why an ID leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceContextError {
    /// No ID was given.
    #[error("there is no ID")]
    NoId,
    /// More were given than one call takes.
    #[error("{number} IDs are too many; give {MAX_IDS} or fewer")]
    ManyIds {
        /// How many were given.
        number: usize,
    },
    /// It doesn't look like one.
    #[error(
        "\"{0}\" is no ID: explore prints IDs of eight letters and digits; four of them or more are enough, and so is FILE:LINE"
    )]
    NotAnId(String),
    /// It looks like one of a map.
    #[error(
        "no map of this session gave the ID \"{0}\": it holds in the session whose map has it (--session, or `session` over MCP, where it ends with the connection); FILE:LINE holds everywhere"
    )]
    OfMap(String),
    /// It names a line of a file that is not here.
    #[error("there is no line {line} of a file {path} here")]
    NoLine {
        /// The file.
        path: String,
        /// The line.
        line: u32,
    },
    /// Nothing has it.
    #[error(
        "nothing here has the ID {0}: the declaration may be gone or renamed; explore prints current IDs"
    )]
    Unknown(String),
    /// Several places have it.
    #[error("the ID {prefix} fits {total} places: {}", .matches.join("; "))]
    Ambiguous {
        /// The ID as it was given.
        prefix: String,
        /// How many places have an ID that starts so.
        total: usize,
        /// The first of them: full ID, name and place.
        matches: Vec<String>,
    },
    /// The budget leaves no room for an answer.
    #[error("a budget of {0} characters leaves no room; give {MIN_BUDGET} or more")]
    SmallBudget(usize),
    /// The search was cancelled before the place was found.
    #[error("the search for the ID {0} was cancelled")]
    Cancelled(String),
    /// There is no graph to look in.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// A tree and its code graph at one moment.
#[derive(Clone, Copy)]
pub struct TreeWithGraph<'a> {
    /// The files.
    pub workspace: &'a Workspace,
    /// A walk of the whole workspace.
    pub walk: &'a DirectoryWalk,
    /// Their code graph.
    pub graph: &'a Graph,
}

/// A place as its caller names it.
enum NamedPlace {
    /// By its ID, or the start of it.
    Id(String),
    /// By a line: the narrowest declaration around it.
    At { path: String, line: u32 },
}

/// Returns everything about the places that `ids` name. Each is an ID, the unique prefix of one, or a line such as
/// `src/main.rs:7`.
///
/// # Errors
///
/// [`PlaceContextError`].
pub fn context(
    tree: &TreeWithGraph<'_>,
    ids: &[String],
    options: &ExploreOptions,
    cancellation: &Cancellation,
) -> Result<PlaceContext, PlaceContextError> {
    let TreeWithGraph { workspace, walk, graph } = *tree;
    if ids.is_empty() {
        return Err(PlaceContextError::NoId);
    }
    if ids.len() > MAX_IDS {
        return Err(PlaceContextError::ManyIds { number: ids.len() });
    }
    if let Some(budget) = options.budget.filter(|budget| *budget < MIN_BUDGET) {
        return Err(PlaceContextError::SmallBudget(budget));
    }
    let named = ids.iter().map(|given| parse_place(given)).collect::<Result<Vec<_>, _>>()?;
    let paths = PathsById::of(walk.files.iter().map(|file| file.path.as_str()));
    let texts = TextCache::new(workspace, None);
    let symbols = SymbolTable::new(workspace, graph, &texts, None, cancellation);
    let groups = SiblingDefinitions::new(&symbols);
    let relations = PlaceRelations::new(&symbols, &groups);
    let depth = usize::try_from(options.depth).unwrap_or(usize::MAX);
    let mut places: Vec<PlaceInContext> = Vec::new();
    for named in named {
        let place = match named {
            NamedPlace::Id(prefix) => find(&symbols, &prefix, &paths)?,
            NamedPlace::At { path, line } => {
                let around = paths.has(&path).then(|| symbols.place_around(&path, line));
                around.flatten().ok_or(PlaceContextError::NoLine { path, line })?
            }
        };
        if places.iter().all(|known| known.place.id != place.id) {
            let related = relations.related(&place, depth, &BTreeSet::new());
            places.push(PlaceInContext {
                sections: symbols.section(&place.path, place.range).into_iter().collect(),
                place: relations.card(&place, related),
            });
        }
    }
    let sizing = AnswerSizeLimits::of(RepositorySizeTier::of(walk.files.len()), options.budget);
    let context = PlaceContext { version: VERSION, places, truncated: false };
    let limit = SizeLimit { chars: sizing.chars, form: options.limited_form };
    Ok(truncate_context(context, limit, cancellation))
}

fn parse_place(given: &str) -> Result<NamedPlace, PlaceContextError> {
    let at = given.rsplit_once(':').and_then(|(path, lines)| {
        let line = lines.split('-').next()?.parse().ok()?;
        Some(NamedPlace::At { path: path.to_owned(), line })
    });
    at.map_or_else(|| parse_prefix(given).map(NamedPlace::Id), Ok)
}

fn parse_prefix(given: &str) -> Result<String, PlaceContextError> {
    let is_of_map = given
        .strip_prefix('s')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    let not_an_id = || {
        let given = one_line(given);
        if is_of_map { PlaceContextError::OfMap(given) } else { PlaceContextError::NotAnId(given) }
    };
    let prefix = place_id::normalized(given).ok_or_else(not_an_id)?;
    if prefix.len() < place_id::MIN_PREFIX { Err(not_an_id()) } else { Ok(prefix) }
}

fn find(
    symbols: &SymbolTable<'_>,
    prefix: &str,
    paths: &PathsById<'_>,
) -> Result<SymbolPlace, PlaceContextError> {
    let mut found = symbols.with_prefix(prefix, paths);
    if symbols.cancellation.is_cancelled() {
        return Err(PlaceContextError::Cancelled(prefix.to_owned()));
    }
    let total = found.len();
    if total > 1 {
        let matches = found.iter().take(MAX_LISTED);
        let shown = |place: &SymbolPlace| {
            format!("{} {} ({}:{})", place.id, place.name, place.path, place.line)
        };
        let mut matches: Vec<String> = matches.map(shown).collect();
        if total > MAX_LISTED {
            matches.push(format!("{} more", total - MAX_LISTED));
        }
        return Err(PlaceContextError::Ambiguous { prefix: prefix.to_owned(), total, matches });
    }
    found.pop().ok_or_else(|| PlaceContextError::Unknown(prefix.to_owned()))
}

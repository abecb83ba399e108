//! Everything about a place that was named by its ID: its whole source, and more of what there is around it.

use std::collections::BTreeSet;

use crate::explore::{
    ExploreOptions, SMALLEST_BUDGET,
    exploration::{Context, Detail, VERSION},
    id,
    relations::Relations,
    sibling_groups::SiblingGroups,
    sizing::Sizing,
    symbol_table::{Place, SymbolTable},
    truncate::fit_context,
};
use crate::{candidates::SizeTier, text_cache::TextCache};
use retriever_graph::Graph;
use retriever_workspace::{Walk, Workspace};

/// Matches that an ambiguous ID lists.
const LISTED: usize = 8;

/// Why an ID leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// No ID was given.
    #[error("there is no ID")]
    NoId,
    /// It doesn't look like one.
    #[error(
        "\"{0}\" is no ID: explore prints IDs of eight letters and digits; four of them or more are enough"
    )]
    NotAnId(String),
    /// Nothing has it.
    #[error(
        "nothing here has the ID {0}: the declaration may be gone or renamed; explore prints current IDs"
    )]
    Unknown(String),
    /// Several have it.
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
    #[error("a budget of {0} characters leaves no room; give {SMALLEST_BUDGET} or more")]
    SmallBudget(usize),
    /// There is no graph to look in.
    #[error(transparent)]
    Index(#[from] retriever_graph::index::IndexError),
}

/// Returns everything about the places that `ids` name.
pub fn context(
    workspace: &Workspace,
    walk: &Walk,
    graph: &Graph,
    ids: &[String],
    options: &ExploreOptions,
) -> Result<Context, ContextError> {
    if ids.is_empty() {
        return Err(ContextError::NoId);
    }
    if let Some(budget) = options.budget.filter(|budget| *budget < SMALLEST_BUDGET) {
        return Err(ContextError::SmallBudget(budget));
    }
    let prefixes = ids.iter().map(|given| prefix(given)).collect::<Result<Vec<_>, _>>()?;
    let paths: BTreeSet<String> =
        walk.files.iter().map(|file| file.path.as_str().to_owned()).collect();
    let texts = TextCache::new(workspace, None);
    let atlas = SymbolTable::new(workspace, &texts, None, graph);
    let families = SiblingGroups::new(&atlas);
    let around = Relations { atlas: &atlas, families: &families };
    let depth = usize::try_from(options.depth).unwrap_or(usize::MAX);
    let mut places: Vec<Detail> = Vec::new();
    for prefix in prefixes {
        let place = find(&atlas, &prefix, &paths)?;
        if places.iter().all(|known| known.place.id != place.id) {
            places.push(detail(&around, &place, depth));
        }
    }
    let sizing = Sizing::of(SizeTier::of(paths.len()), options.budget);
    let context = Context { version: VERSION, places, truncated: false };
    Ok(fit_context(context, sizing.chars))
}

fn prefix(given: &str) -> Result<String, ContextError> {
    let shown = || crate::explore::one_line(given);
    let prefix = id::normalized(given).ok_or_else(|| ContextError::NotAnId(shown()))?;
    if prefix.len() < id::SHORTEST { Err(ContextError::NotAnId(shown())) } else { Ok(prefix) }
}

fn find(
    atlas: &SymbolTable<'_>,
    prefix: &str,
    paths: &BTreeSet<String>,
) -> Result<Place, ContextError> {
    let mut found = atlas.with_prefix(prefix, paths);
    let total = found.len();
    match found.pop() {
        None => Err(ContextError::Unknown(prefix.to_owned())),
        Some(only) if found.is_empty() => Ok(only),
        Some(last) => {
            found.push(last);
            let mut matches: Vec<String> = found
                .iter()
                .map(|place| format!("{} {} ({}:{})", place.id, place.name, place.path, place.line))
                .take(LISTED)
                .collect();
            if total > LISTED {
                matches.push(format!("{} more", total - LISTED));
            }
            Err(ContextError::Ambiguous { prefix: prefix.to_owned(), total, matches })
        }
    }
}

fn detail(around: &Relations<'_>, place: &Place, depth: usize) -> Detail {
    Detail {
        place: around.card(place, around.related(place, depth, &BTreeSet::new())),
        sections: around.atlas.section(&place.path, place.range).into_iter().collect(),
    }
}

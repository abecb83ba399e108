//! Puts constructors behind methods. A constructor has the words of its type, of its fields and of their comments, so
//! it ranks before the method that does what is asked. Unless the question is about making objects, methods of the type
//! that do work and fit nearly as well come first. The scores of all of them are reassigned in the new order.

use rustc_hash::FxHashMap;

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool, sort},
    passage_kind_features::is_constructor,
    ranking_features::RankingFeature,
};
use crate::{declarations, query::ParsedQuery, score_parts::ScorePart};
use retriever_workspace::RepoPath;

/// The candidates that are reordered.
const REORDERED: usize = 100;
/// Share of a constructor's score that a method needs to come before it.
const NEARLY: f64 = 0.9;
/// Call density of a method that does work, and not only says what an object holds.
const WORKING: f32 = 0.2;
/// Words of a question about how objects are made and what they hold from the start, and beginnings of such words.
const MAKING: &[&str] = &[
    "build",
    "builds",
    "building",
    "built",
    "default",
    "defaults",
    "field",
    "fields",
    "made",
    "make",
    "makes",
    "making",
    "new",
    "option",
    "options",
    "optional",
    "pass",
    "passed",
    "passes",
    "passing",
    "set",
    "sets",
    "setting",
    "start",
    "started",
    "starting",
    "starts",
    "superclass",
];
const MAKING_BEGINS: &[&str] = &[
    "alloc",
    "argument",
    "config",
    "construct",
    "creat",
    "inherit",
    "init",
    "inject",
    "instan",
    "param",
];

/// Reorders the pool, which is sorted by score, before and after.
pub(crate) fn put_methods_first(query: &ParsedQuery, pool: &mut ScoredPool) {
    let is_of_making = |word: &String| {
        MAKING.contains(&word.as_str()) || MAKING_BEGINS.iter().any(|start| word.starts_with(start))
    };
    let asks_for_making = query.lead_words.iter().any(is_of_making);
    if query.scope.wants_change || query.name.is_some() || asks_for_making {
        return;
    }
    let mut types: FxHashMap<(&RepoPath, &str), Vec<usize>> = FxHashMap::default();
    for (at, scored) in pool.iter().take(REORDERED).enumerate() {
        if let Some(owner) = scored.candidate.owner.as_deref().filter(|_| is_function(scored)) {
            types.entry((&scored.candidate.file.path, owner)).or_default().push(at);
        }
    }
    let mut totals: Vec<(usize, f64)> = Vec::new();
    for members in types.into_values() {
        let before = members.iter().map(|at| pool[*at].total());
        let after = in_order_of_work(pool, &members);
        totals.extend(after.into_iter().zip(before));
    }
    for (at, total) in totals {
        let score = &mut pool[at].candidate.score;
        score.add(ScorePart::Makes, total - score.total());
    }
    sort(pool);
}

/// Returns the members of a type: those between a constructor and the last method that does work and fits nearly as well,
/// with such methods first.
fn in_order_of_work(pool: &ScoredPool, members: &[usize]) -> Vec<usize> {
    let mut order = members.to_vec();
    for constructor in members.iter().filter(|at| makes(&pool[**at])) {
        let enough = NEARLY * pool[*constructor].total();
        let comes_first = |at: &usize| {
            let scored = &pool[*at];
            scored.total() >= enough && !makes(scored) && works(scored)
        };
        let from = order.iter().position(|at| at == constructor);
        let to = order.iter().rposition(comes_first);
        if let Some((from, to)) = from.zip(to).filter(|(from, to)| from < to) {
            order[from..=to].sort_by_key(|at| !comes_first(at));
        }
    }
    order
}

fn is_function(scored: &ScoredCandidate) -> bool {
    scored.candidate.symbols.first().is_some_and(|symbol| {
        !declarations::is_type(&symbol.kind) && !declarations::is_plain_kind(&symbol.kind)
    })
}

/// Whether a candidate is a constructor that the question does not name.
fn makes(scored: &ScoredCandidate) -> bool {
    let candidate = &scored.candidate;
    let (name, owner) = (scored.name().unwrap_or_default(), candidate.owner.as_deref());
    // A question that names a type has the name of its constructor in some languages.
    let is_named = candidate.is_named_whole() && owner != Some(name);
    is_constructor(name, owner) && !is_named && !candidate.score.is_pointed_at()
}

fn works(scored: &ScoredCandidate) -> bool {
    scored.features.get(RankingFeature::Work) >= WORKING
}

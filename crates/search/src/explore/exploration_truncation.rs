//! Cuts an answer so that none of its printed forms, JSON included, exceeds the ceiling. The least important parts go
//! first: relations, the last results, then source from the end.

use retriever_workspace::Cancellation;

use super::{
    exploration::{Exploration, PlaceContext, RelatedPlaces},
    render_exploration::{ExplorationTextFormat, context_text, text},
};

/// Results that stay as long as there is source to cut.
const MIN_RESULTS: usize = 5;

/// Cuts `exploration` until each of its forms has at most `chars` characters. A cancelled one loses its source at once.
pub(super) fn truncate(
    mut exploration: Exploration,
    chars: usize,
    cancellation: &Cancellation,
) -> Exploration {
    while longest_form(&exploration) > chars {
        if cancellation.is_cancelled() {
            exploration
                .results
                .iter_mut()
                .for_each(|found| found.place.related = RelatedPlaces::default());
            exploration.results.truncate(MIN_RESULTS);
            exploration.files.clear();
            exploration.truncated = true;
            break;
        }
        if !cut(&mut exploration) {
            break;
        }
        exploration.truncated = true;
    }
    exploration
}

fn longest_form(exploration: &Exploration) -> usize {
    let json = serde_json::to_string(exploration).map_or(0, |json| json.chars().count());
    let markdown = text(exploration, ExplorationTextFormat::Markdown).chars().count();
    json.max(markdown)
}

/// Takes the least important part away; returns whether there was one.
fn cut(exploration: &mut Exploration) -> bool {
    let related =
        exploration.results.iter_mut().rev().find(|found| !found.place.related.is_empty());
    if let Some(found) = related {
        found.place.related = RelatedPlaces::default();
        return true;
    }
    if exploration.results.len() > MIN_RESULTS {
        exploration.results.pop();
        return true;
    }
    if let Some(file) = exploration.files.last_mut() {
        file.sections.pop();
        let last = file.sections.last().map_or(0, |section| section.end);
        file.places.retain(|place| place.start <= last);
        for place in &mut file.places {
            place.cut |= place.end > last;
        }
        if file.sections.is_empty() {
            exploration.files.pop();
        }
        return true;
    }
    exploration.results.pop().is_some()
        || exploration.flow.pop().is_some()
        || exploration.notes.pop().is_some()
        || !std::mem::take(&mut exploration.query).is_empty()
}

/// Cuts `context` until each of its forms has at most `chars` characters. A cancelled one loses its source at once.
pub(super) fn truncate_context(
    mut context: PlaceContext,
    chars: usize,
    cancellation: &Cancellation,
) -> PlaceContext {
    let longest_form = |context: &PlaceContext| {
        let json = serde_json::to_string(context).map_or(0, |json| json.chars().count());
        json.max(context_text(context, ExplorationTextFormat::Markdown).chars().count())
    };
    loop {
        let length = longest_form(&context);
        if length <= chars {
            return context;
        }
        if cancellation.is_cancelled() {
            context.places.iter_mut().for_each(|place| place.sections.clear());
            context.truncated = true;
            return context;
        }
        if !cut_context(&mut context, chars as f64 / length as f64) {
            return context;
        }
        context.truncated = true;
    }
}

/// Most of the longest source that one cut leaves.
const MAX_KEPT: f64 = 0.8;

/// Takes away from the longest source what is too much, `share` being what all of it is to be cut to, and at least a fifth;
/// where there is no source, relations, then places. Returns whether there was anything.
fn cut_context(context: &mut PlaceContext, share: f64) -> bool {
    let longest = context.places.iter_mut().max_by_key(|place| {
        place.sections.iter().map(|section| section.source.len()).sum::<usize>()
    });
    let Some(sections) = longest.map(|it| &mut it.sections).filter(|all| !all.is_empty()) else {
        let related = context.places.iter().rposition(|place| !place.place.related.is_empty());
        return match related {
            Some(at) => {
                context.places[at].place.related = RelatedPlaces::default();
                true
            }
            None => context.places.pop().is_some(),
        };
    };
    let Some(section) = sections.last_mut() else { return false };
    let lines: Vec<&str> = section.source.lines().collect();
    let keep = (lines.len() as f64 * share.min(MAX_KEPT)) as usize;
    if keep == 0 {
        sections.pop();
        return true;
    }
    section.end = section.start + u32::try_from(keep).unwrap_or(u32::MAX) - 1;
    section.source = lines[..keep].join("\n");
    true
}

//! Cuts an answer so that none of its printed forms, JSON included, exceeds the ceiling, or the form that is printed. The
//! least important parts go first: relations, the last results, then source from the end.

use retriever_workspace::Cancellation;

use super::{
    exploration::{Exploration, PlaceContext, RelatedPlaces, RenderedFile, SourceExcerpt},
    explore_options::LimitedForm,
    render_exploration::{ExplorationTextFormat, context_text, text},
};

/// Results that stay as long as there is source to cut.
const MIN_RESULTS: usize = 5;
/// Steps of the flow that stay as long as there are several results.
const MIN_HOPS: usize = 3;

/// The size that an answer may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeLimit {
    /// Characters.
    pub(super) chars: usize,
    pub(super) form: LimitedForm,
}

impl SizeLimit {
    /// Returns the characters of the form that is limited.
    fn length(self, json: impl FnOnce() -> String, text: impl FnOnce() -> String) -> usize {
        let count = |text: String| text.chars().count();
        match self.form {
            LimitedForm::Json => count(json()),
            LimitedForm::Text => count(text()),
            LimitedForm::Longest => count(json()).max(count(text())),
        }
    }
}

/// Cuts `exploration` to its limit. A cancelled one loses its source at once.
pub(super) fn truncate(
    mut exploration: Exploration,
    limit: SizeLimit,
    cancellation: &Cancellation,
) -> Exploration {
    let length = |exploration: &Exploration| {
        let json = || serde_json::to_string(exploration).unwrap_or_default();
        limit.length(json, || text(exploration, ExplorationTextFormat::Markdown))
    };
    while length(&exploration) > limit.chars {
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

/// Takes one part away.
type Cut = fn(&mut Exploration);

/// Takes the least important part away; returns whether there was one.
fn cut(exploration: &mut Exploration) -> bool {
    let related =
        exploration.results.iter_mut().rev().find(|found| !found.place.related.is_empty());
    if let Some(found) = related {
        found.place.related = RelatedPlaces::default();
        return true;
    }
    let sections: usize = exploration.files.iter().map(|file| file.sections.len()).sum();
    // Of a small answer the source of the best place is worth more than a list of places without any.
    let cuts: [(bool, Cut); 7] = [
        (exploration.results.len() > MIN_RESULTS, |it| drop(it.results.pop())),
        (sections > 1, |it| it.files.last_mut().into_iter().for_each(drop_last_section)),
        (exploration.flow.len() > MIN_HOPS, |it| drop(it.flow.pop())),
        (exploration.results.len() > 1, |it| drop(it.results.pop())),
        (sections > 0, |it| it.files.last_mut().into_iter().for_each(shorten_last_section)),
        (!exploration.flow.is_empty(), |it| drop(it.flow.pop())),
        (!exploration.results.is_empty(), |it| drop(it.results.pop())),
    ];
    if let Some((_, cut)) = cuts.into_iter().find(|(is_left, _)| *is_left) {
        cut(exploration);
        exploration.files.retain(|file| !file.sections.is_empty());
        return true;
    }
    exploration.notes.pop().is_some() || !std::mem::take(&mut exploration.query).is_empty()
}

fn drop_last_section(file: &mut RenderedFile) {
    file.sections.pop();
    cut_places(file);
}

fn shorten_last_section(file: &mut RenderedFile) {
    if file.sections.last_mut().is_some_and(|section| keep_lines(section, MAX_KEPT)) {
        cut_places(file);
    } else {
        drop_last_section(file);
    }
}

/// Takes the places out of a heading of which nothing is printed any more, and marks the others that are cut.
fn cut_places(file: &mut RenderedFile) {
    let last = file.sections.last().map_or(0, |section| section.end);
    file.places.retain(|place| place.start <= last);
    for place in &mut file.places {
        place.cut |= place.end > last;
    }
}

/// Keeps the first lines of a section, this share of all; returns whether that is any.
fn keep_lines(section: &mut SourceExcerpt, share: f64) -> bool {
    let lines: Vec<&str> = section.source.lines().collect();
    let keep = (lines.len() as f64 * share.min(MAX_KEPT)) as usize;
    if keep > 0 {
        section.end = section.start + u32::try_from(keep).unwrap_or(u32::MAX) - 1;
        section.source = lines[..keep].join("\n");
    }
    keep > 0
}

/// Cuts `context` to its limit. A cancelled one loses its source at once.
pub(super) fn truncate_context(
    mut context: PlaceContext,
    limit: SizeLimit,
    cancellation: &Cancellation,
) -> PlaceContext {
    let length = |context: &PlaceContext| {
        let json = || serde_json::to_string(context).unwrap_or_default();
        limit.length(json, || context_text(context, ExplorationTextFormat::Markdown))
    };
    loop {
        let length = length(&context);
        if length <= limit.chars {
            return context;
        }
        if cancellation.is_cancelled() {
            context.places.iter_mut().for_each(|place| place.sections.clear());
            context.truncated = true;
            return context;
        }
        if !cut_context(&mut context, limit.chars as f64 / length as f64) {
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
    if !keep_lines(section, share) {
        sections.pop();
    }
    true
}

//! The ceiling: whatever form an answer is printed in, it is not longer than it may be. What matters least goes first:
//! relations, results at the end of the list, then source from the end.

use crate::explore::{
    exploration::{Context, Exploration, Related},
    render::{Form, context_text, text},
};

/// Results that stay as long as there is source to give up.
const FEW: usize = 5;

/// Cuts `exploration` until each of its forms has at most `chars` characters.
pub(super) fn fit(mut exploration: Exploration, chars: usize) -> Exploration {
    while longest(&exploration) > chars {
        if !cut(&mut exploration) {
            break;
        }
        exploration.truncated = true;
    }
    exploration
}

fn longest(exploration: &Exploration) -> usize {
    let json = serde_json::to_string(exploration).map_or(0, |json| json.chars().count());
    let markdown = text(exploration, Form::Markdown).chars().count();
    json.max(markdown)
}

/// Takes the least important thing away; returns whether there was one.
fn cut(exploration: &mut Exploration) -> bool {
    let related =
        exploration.results.iter_mut().rev().find(|found| !found.place.related.is_empty());
    if let Some(found) = related {
        found.place.related = Related::default();
        return true;
    }
    if exploration.results.len() > FEW {
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

/// Cuts `context` until each of its forms has at most `chars` characters.
pub(super) fn fit_context(mut context: Context, chars: usize) -> Context {
    let longest = |context: &Context| {
        let json = serde_json::to_string(context).map_or(0, |json| json.chars().count());
        json.max(context_text(context, Form::Markdown).chars().count())
    };
    while longest(&context) > chars {
        // The longest source gives way first, line by line in large steps.
        let place = context.places.iter_mut().max_by_key(|place| {
            place.sections.iter().map(|section| section.source.len()).sum::<usize>()
        });
        let section = place.and_then(|place| place.sections.last_mut());
        let Some(section) = section else {
            let related = context.places.iter().rposition(|place| !place.place.related.is_empty());
            match related {
                Some(at) => context.places[at].place.related = Related::default(),
                None if context.places.pop().is_some() => {}
                None => break,
            }
            context.truncated = true;
            continue;
        };
        context.truncated = true;
        let lines: Vec<&str> = section.source.lines().collect();
        let keep = lines.len() * 4 / 5;
        if keep == 0 {
            if let Some(place) =
                context.places.iter_mut().rev().find(|place| !place.sections.is_empty())
            {
                place.sections.pop();
            }
            continue;
        }
        section.end = section.start + u32::try_from(keep).unwrap_or(u32::MAX) - 1;
        section.source = lines[..keep].join("\n");
    }
    context
}

//! Evidence IDs such as `c7` are meaningless outside the run. In prose they are replaced by the name of the declaration at
//! their place, else by the file's name. An unknown ID is removed.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{draft_under_validation::DraftUnderValidation, validation_input::ValidationContext};
use crate::{
    evidence_ledger::EvidenceId,
    prose_normalization::{has_word, literal_regex, single_line},
};

pub(super) fn apply(state: &mut DraftUnderValidation, context: &ValidationContext<'_>) {
    for text in [&mut state.summary, &mut state.flow] {
        *text = without_ids(text, context);
    }
    for item in state.place_items_mut() {
        item.text = without_ids(&item.text, context);
    }
    for finding in &mut state.findings {
        finding.text = without_ids(&finding.text, context);
    }
    for gap in &mut state.missing {
        gap.what = without_ids(&gap.what, context);
    }
    state.findings.retain(|finding| !finding.text.is_empty());
}

fn without_ids(text: &str, context: &ValidationContext<'_>) -> String {
    /// One ID with optional lines, or a list of them in brackets.
    static IDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\[\s*c\d+(?::[\d–-]+)?(?:[\s,;]+c\d+(?::[\d–-]+)?)*\s*\]|\bc\d+(?::\d+(?:[–-]\d+)?)?\b",
        )
    });
    static ID: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"c\d+"));
    static EMPTY_BRACKETS: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"\(\s*[,;]*\s*\)|\[\s*\]|``"));
    let (Some(ids), Some(id), Some(empty)) = (IDS.as_ref(), ID.as_ref(), EMPTY_BRACKETS.as_ref())
    else {
        return text.to_owned();
    };
    if !ids.is_match(text) {
        return text.to_owned();
    }
    let replaced = ids.replace_all(text, |found: &Captures<'_>| {
        let found = found.get(0).map_or("", |m| m.as_str());
        let is_bare = !found.starts_with('[') && !found.contains(':');
        let mut names: Vec<String> = Vec::new();
        for id in id.find_iter(found) {
            // A name in the code may look like an ID: `c1` and `c2` of a comparison.
            if is_bare && is_in_code(id.as_str(), context) {
                return found.to_owned();
            }
            names.extend(id.as_str().parse().ok().and_then(|id| name_of(id, context)));
        }
        names.dedup();
        names.join(", ")
    });
    let text = single_line(&empty.replace_all(&replaced, " "));
    [" .", " ,", " ;", " :"].iter().fold(text, |text, gap| text.replace(gap, gap.trim_start()))
}

/// Whether `word` occurs in any delivered line.
fn is_in_code(word: &str, context: &ValidationContext<'_>) -> bool {
    context.ledger.files().any(|file| {
        let mut runs = file.delivered.runs().iter();
        runs.any(|run| file.lines_in(*run).any(|(_, line)| has_word(line, word)))
    })
}

fn name_of(id: EvidenceId, context: &ValidationContext<'_>) -> Option<String> {
    let place = context.ledger.place(id)?;
    let declared = context.ledger.file(&place.path).and_then(|file| {
        let declaration = file.declarations.iter().find(|d| Some(d.range) == place.range)?;
        Some(format!("`{}`", declaration.name))
    });
    Some(declared.unwrap_or_else(|| format!("`{}`", place.path.file_name())))
}

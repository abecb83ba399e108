//! IDs such as `c7` mean nothing outside the run. In prose they give way to the name of the declaration they stand for,
//! else to the file's name; an ID that stands for nothing is taken out.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Judgement, Work};
use crate::{
    ledger::EvidenceId,
    prose::{clean, pattern},
};

pub(super) fn apply(work: &mut Work, judgement: &Judgement<'_>) {
    for text in [&mut work.summary, &mut work.flow] {
        *text = named(text, judgement);
    }
    for item in work.primary.iter_mut().chain(&mut work.secondary).chain(&mut work.read_targets) {
        item.text = named(&item.text, judgement);
    }
    for fact in &mut work.findings {
        fact.text = named(&fact.text, judgement);
    }
    for gap in &mut work.missing {
        gap.what = named(&gap.what, judgement);
    }
    work.findings.retain(|fact| !fact.text.is_empty());
}

fn named(text: &str, judgement: &Judgement<'_>) -> String {
    static IDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"\[\s*c\d+(?::[\d–-]+)?(?:[\s,;]+c\d+(?::[\d–-]+)?)*\s*\]|\bc\d+(?::\d+(?:[–-]\d+)?)?\b",
        )
    });
    static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"c\d+"));
    static EMPTY: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"\(\s*[,;]*\s*\)|\[\s*\]|``"));
    let (Some(ids), Some(one), Some(empty)) = (IDS.as_ref(), ONE.as_ref(), EMPTY.as_ref()) else {
        return text.to_owned();
    };
    if !ids.is_match(text) {
        return text.to_owned();
    }
    let replaced = ids.replace_all(text, |found: &Captures<'_>| {
        let found = found.get(0).map_or("", |m| m.as_str());
        let mut names: Vec<String> = Vec::new();
        for id in one.find_iter(found) {
            // A name of the code itself may look like an ID: `c1` and `c2` of a comparison.
            if !found.starts_with('[') && !found.contains(':') && is_in_code(id.as_str(), judgement)
            {
                return found.to_owned();
            }
            names.extend(id.as_str().parse().ok().and_then(|id| name(id, judgement)));
        }
        names.dedup();
        names.join(", ")
    });
    let tidy = empty.replace_all(&replaced, " ");
    let tidy = clean(&tidy);
    [" .", " ,", " ;", " :"].iter().fold(tidy, |text, gap| text.replace(gap, gap.trim_start()))
}

fn is_in_code(word: &str, judgement: &Judgement<'_>) -> bool {
    judgement.ledger.files().any(|file| {
        file.delivered
            .runs()
            .iter()
            .any(|run| file.text_of(*run).any(|(_, line)| super::evidence::has_word(line, word)))
    })
}

fn name(id: EvidenceId, judgement: &Judgement<'_>) -> Option<String> {
    let place = judgement.ledger.place(id)?;
    let declared = judgement.ledger.file(&place.path).and_then(|file| {
        let declaration = file.declarations.iter().find(|d| Some(d.range) == place.range)?;
        Some(format!("`{}`", declaration.name))
    });
    Some(declared.unwrap_or_else(|| format!("`{}`", place.path.file_name())))
}

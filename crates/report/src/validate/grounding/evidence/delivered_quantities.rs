//! Finds quantities and units in delivered lines.

use std::collections::BTreeSet;

use super::{MentionEvidence, RunEvidence, folded, words_of};
use crate::{
    evidence_ledger::FileEvidence,
    quantity::{
        NumberInCode, Quantity, QuantityUnit, code_numbers, code_units, is_zero_or_one, unit_named,
    },
    validate::citation::Citation,
};
use retriever_search::words_in;
use retriever_workspace::{LineRange, RepoPath};

impl RunEvidence<'_> {
    pub(in crate::validate::grounding) fn find_quantity(
        &self,
        quantity: &Quantity,
        refs: &[Citation],
        words: &[&str],
    ) -> MentionEvidence {
        let mut names: BTreeSet<String> = words.iter().map(folded).collect();
        let mut lower = String::new();
        for citation in refs {
            let Some(file) = self.file(&citation.path) else { continue };
            for (number, line) in file.lines_in(citation.range) {
                if has_amount(quantity, line, &units_around(file, number)).is_some()
                    || is_part_of_name(quantity, line)
                {
                    return MentionEvidence::Cited;
                }
                names.extend(words_of(line).map(folded));
                lower.extend(
                    line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase),
                );
            }
            for declaration in self.overlapping(citation) {
                let units: Vec<QuantityUnit> = code_units(&declaration.name);
                if has_amount(quantity, &declaration.name, &units).is_some() {
                    return MentionEvidence::Cited;
                }
            }
        }
        if quantity.is_status_named_in(&lower) {
            return MentionEvidence::Cited;
        }
        self.find_in_functions(quantity, refs)
            .unwrap_or_else(|| self.find_constant(quantity, &names))
    }

    /// Finds an amount with its unit in the other lines of the functions that are cited.
    fn find_in_functions(&self, quantity: &Quantity, refs: &[Citation]) -> Option<MentionEvidence> {
        let unit = quantity.unit?;
        refs.iter().filter(|citation| self.is_current(&citation.path)).find_map(|citation| {
            let file = self.file(&citation.path)?;
            let functions = self.overlapping(citation).filter(|found| found.is_function());
            let mut lines = functions.flat_map(|function| file.lines_in(function.range));
            let (number, _) = lines.find(|(_, line)| {
                code_units(line).iter().any(|own| own.is_of_kind(&unit))
                    && has_amount(quantity, line, &[]).is_some()
            })?;
            self.line(&citation.path, number).map(MentionEvidence::Elsewhere)
        })
    }

    /// Finds a line that assigns the amount to one of `names`: the definition of a constant, a default, an entry of a
    /// table.
    fn find_constant(&self, quantity: &Quantity, names: &BTreeSet<String>) -> MentionEvidence {
        let is_named = |name: &str| {
            names.contains(&folded(name)) || {
                let parts = words_in(name);
                // `DEFAULT_MAX_SIZE` is what `max_size` has.
                let whole = folded(name);
                let own = whole.strip_prefix("default").or_else(|| whole.strip_suffix("default"));
                own.is_some_and(|own| parts.len() > 2 && names.contains(own))
                    || (parts.len() > 1 && parts.iter().all(|part| names.contains(part)))
            }
        };
        // A text that names a file may give any number that is defined there.
        let is_named_file = |path: &RepoPath| {
            let stem = path.file_name().split('.').next().unwrap_or_default();
            let has = |name: &str| names.contains(&folded(name));
            stem.chars().count() > 3 && has(stem) && has(path.extension())
        };
        let found = self.current_lines().find(|(path, number, line)| {
            if !line.contains(|c: char| c.is_ascii_digit()) {
                return false;
            }
            let Some(file) = self.file(path) else { return false };
            let (own, wider) = (code_units(line), units_around(file, *number));
            // Many a variable starts at 0 or 1.
            let has_unit = |unit| wider.iter().any(|own| own.is_of_kind(unit));
            let is_told = |number: &NumberInCode| {
                !is_zero_or_one(number.value) || quantity.unit.as_ref().is_none_or(has_unit)
            };
            let is_named =
                |name: Option<String>| name.is_some_and(|it| is_named_file(path) || is_named(&it));
            code_numbers(line).iter().any(|number| {
                quantity.is_amount(number, &own, &wider)
                    && is_told(number)
                    && is_named(defined_name(&line[..number.at]))
            })
        });
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere)
    }

    pub(super) fn find_unit(&self, unit: &str, refs: &[Citation]) -> MentionEvidence {
        let Some(wanted) = unit_named(unit) else { return MentionEvidence::Nowhere };
        let named = |text: &str| code_units(text).contains(&wanted);
        let is_cited = refs.iter().any(|citation| {
            self.file(&citation.path)
                .is_some_and(|file| file.lines_in(citation.range).any(|(_, line)| named(line)))
                || self.overlapping(citation).any(|declaration| named(&declaration.name))
        });
        if is_cited {
            return MentionEvidence::Cited;
        }
        let same_file = |path: &RepoPath| refs.iter().any(|citation| citation.path == *path);
        let found = self.current_lines().find(|(path, _, line)| same_file(path) && named(line));
        found
            .and_then(|(path, number, _)| self.line(path, number))
            .map_or(MentionEvidence::Nowhere, MentionEvidence::Elsewhere)
    }

    /// Whether the cited lines name another unit of the kind of `unit`.
    pub(in crate::validate::grounding) fn names_other_unit(
        &self,
        unit: &str,
        refs: &[Citation],
    ) -> bool {
        let Some(wanted) = unit_named(unit) else { return false };
        let named = |text: &str| {
            code_units(text).iter().any(|other| *other != wanted && other.is_of_kind(&wanted))
        };
        refs.iter().any(|citation| {
            let lines = self.file(&citation.path).into_iter();
            let mut lines = lines.flat_map(|file| file.lines_in(citation.range));
            lines.any(|(_, line)| named(line))
                || self.overlapping(citation).any(|declaration| named(&declaration.name))
        })
    }
}

/// Returns the offset of a number of `line` that is the amount.
pub(in crate::validate::grounding) fn has_amount(
    quantity: &Quantity,
    line: &str,
    wider: &[QuantityUnit],
) -> Option<usize> {
    let units = code_units(line);
    let mut numbers = code_numbers(line).into_iter();
    numbers.find(|number| quantity.is_amount(number, &units, wider)).map(|number| number.at)
}

/// Returns the units that the lines next to a line name.
pub(in crate::validate::grounding) fn units_around(
    file: &FileEvidence,
    line: u32,
) -> Vec<QuantityUnit> {
    let around = LineRange::new(line.saturating_sub(2).max(1), line.saturating_add(1));
    let lines = around.into_iter().flat_map(|around| file.lines_in(around));
    lines.flat_map(|(_, text)| code_units(text)).collect()
}

/// Returns the name that a line assigns a value to: that of a macro, the word before the first `=`, `=>` or `:` outside of
/// braces, else the last word.
pub(super) fn defined_name(before: &str) -> Option<String> {
    if let Some(macro_and_value) = before.trim_start().strip_prefix("#define ") {
        return words_of(macro_and_value).next().map(str::to_owned);
    }
    const COMPARISONS: [&str; 8] = ["==", "<=", ">=", "!=", "+=", "-=", "*=", "~="];
    let last = before.trim_end();
    let is_bound = last.ends_with(['<', '>']) && !last.ends_with("=>") && !last.ends_with("->");
    if is_bound || COMPARISONS.iter().any(|sign| before.contains(sign)) {
        return None;
    }
    let mut depth = 0_usize;
    let outside: String = before
        .chars()
        .filter(|c| {
            depth += usize::from(*c == '{');
            let is_outside = depth == 0;
            depth = depth.saturating_sub(usize::from(*c == '}'));
            is_outside
        })
        .collect();
    let bytes = outside.as_bytes();
    let is_single_colon = |at: usize| {
        bytes[at] == b':' && bytes.get(at + 1) != Some(&b':') && (at == 0 || bytes[at - 1] != b':')
    };
    let sign = (0..bytes.len()).find(|at| bytes[*at] == b'=' || is_single_colon(*at));
    let head = outside.get(..sign.unwrap_or(outside.len()))?;
    words_of(head).last().filter(|name| name.chars().count() >= 3).map(str::to_owned)
}

/// Whether a name of `line` has the digits of a number from ten on: `SQL_2003`, `Oracle12_1` for "12.1".
fn is_part_of_name(quantity: &Quantity, line: &str) -> bool {
    let digits = quantity.text.replace('.', "_");
    quantity.unit.is_none()
        && quantity.value >= 10.0
        && line.match_indices(&digits).any(|(at, _)| {
            let is_digit = |c: char| c.is_ascii_digit();
            line[..at].ends_with(|c: char| c.is_alphabetic() || c == '_')
                && !line[at + digits.len()..].starts_with(is_digit)
        })
}

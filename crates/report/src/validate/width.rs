//! The range is narrow enough to be read, or exactly a declaration. A wider one shrinks to the declarations in it that its own
//! item names; when it names none it is dropped, since any other cut would be a guess.

use super::{
    Judgement,
    evidence::{has_word, short},
};
use crate::{
    code::{Code, Reason},
    ledger::FileEvidence,
};
use retriever_workspace::LineRange;

pub(super) fn check(
    reference: &str,
    range: LineRange,
    file: &FileEvidence,
    hint: &str,
    judgement: &Judgement<'_>,
    notes: &mut Vec<Reason>,
) -> Result<LineRange, Reason> {
    let limit = judgement.limits.max_width;
    if range.width() <= limit {
        return Ok(range);
    }
    if file.is_declaration(range) {
        let detail = format!("{} lines, exactly a declaration", range.width());
        notes.push(Reason::new(Code::RangeBroad, short(reference), detail));
        return Ok(range);
    }
    let named: Vec<LineRange> = file
        .declarations
        .iter()
        .filter(|declaration| range.covers(declaration.range) && has_word(hint, &declaration.name))
        .map(|declaration| declaration.range)
        .filter(|inner| inner.width() <= limit && file.delivered.contains(*inner))
        .collect();
    let all = named.iter().copied().reduce(LineRange::span);
    match all.filter(|all| all.width() <= limit).or_else(|| named.first().copied()) {
        Some(tight) => {
            let detail = format!("lines {range} were cut to the declaration named, {tight}");
            notes.push(Reason::new(Code::RangeTightened, short(reference), detail));
            Ok(tight)
        }
        None => Err(Reason::new(
            Code::RangeWide,
            short(reference),
            format!("{} lines; cite at most {limit}, or one declaration", range.width()),
        )),
    }
}

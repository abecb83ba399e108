//! The range was delivered. Where only part of it was, the longest unbroken delivered run stands in when it is at least
//! half of what was claimed; lines behind the end of the file count as claimed, since who claims them has not looked. A
//! reference without lines means the file's delivered run, if there is exactly one.

use super::evidence::short;
use crate::{
    code::{Code, Reason},
    ledger::FileEvidence,
    reference::Claim,
};
use retriever_workspace::LineRange;

pub(super) fn check(
    reference: &str,
    claim: &Claim,
    file: &FileEvidence,
    notes: &mut Vec<Reason>,
) -> Result<LineRange, Reason> {
    let Some(claimed) = claim.range else {
        return match file.delivered.runs() {
            [only] => Ok(*only),
            runs => Err(Reason::new(
                Code::RangeUnobserved,
                short(reference),
                format!("say which lines: {}", shown(runs)),
            )),
        };
    };
    if file.delivered.contains(claimed) {
        return Ok(claimed);
    }
    let kept = file.delivered.longest_within(claimed);
    if let Some(kept) = kept.filter(|run| u64::from(run.width()) * 2 >= u64::from(claimed.width()))
    {
        let detail = format!("only lines {kept} of {claimed} were shown");
        notes.push(Reason::new(Code::RangeTightened, short(reference), detail));
        return Ok(kept);
    }
    let (code, detail) = if file.superseded.covered(claimed) > file.delivered.covered(claimed) {
        (Code::Stale, format!("lines {claimed} were shown before the file changed; read it again"))
    } else {
        let near = file.delivered.runs();
        (Code::RangeUnobserved, format!("lines {claimed} were not shown; shown: {}", shown(near)))
    };
    Err(Reason::new(code, short(reference), detail))
}

fn shown(runs: &[LineRange]) -> String {
    let named: Vec<String> = runs.iter().take(4).map(ToString::to_string).collect();
    let more = if runs.len() > 4 { ", …" } else { "" };
    if named.is_empty() { "none".to_owned() } else { format!("{}{more}", named.join(", ")) }
}

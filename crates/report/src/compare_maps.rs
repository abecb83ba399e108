//! Compares a repaired map with the one before the repair. Both were cut to the same token limit, so a statement that
//! the repair completes can displace a less important one. That is no loss if the displaced places are still listed.

use crate::code_map::{CodeMap, Place, Verdict};

impl CodeMap {
    /// Whether the map is worth no less to a planner than `first`, which it repairs: it is as sure, cites every primary place
    /// and required read target, has as many primary places and gaps, and a summary and a flow if the first had them. Of
    /// summary, flow and findings no fewer are whole. Other places and findings may give way to room: every place of them
    /// is cited still, or listed as left out.
    pub fn holds_no_less_than(&self, first: &Self) -> bool {
        let cites = |place: &Place| self.places().any(|own| own.covers(place));
        let is_there = |place: &Place| cites(place) || self.left_out_places.contains(place);
        let required = first.read_targets.iter().filter(|target| target.required);
        let primary = first.primary.iter().map(|item| &item.place);
        let mut needed = primary.chain(required.map(|target| &target.place));
        let has_all_findings = self.findings.len() >= first.findings.len();
        self.confidence >= first.confidence
            && needed.all(cites)
            && first.listed_places().all(is_there)
            && (has_all_findings || first.places().all(is_there))
            && self.primary.len() >= first.primary.len()
            && self.missing.len() >= first.missing.len()
            && self.summary.is_empty() <= first.summary.is_empty()
            && self.flow.is_empty() <= first.flow.is_empty()
            && self.whole_statements() >= first.whole_statements()
    }

    /// Returns how many of summary, flow and findings stand without a cut and without a doubt.
    fn whole_statements(&self) -> usize {
        let texts = [(&self.summary, self.summary_verdict), (&self.flow, self.flow_verdict)];
        let texts = texts.into_iter().filter(|(text, _)| !text.is_empty());
        let verdicts = texts.map(|(_, verdict)| verdict);
        let findings = self.findings.iter().map(|finding| finding.verdict);
        verdicts.chain(findings).filter(|verdict| *verdict < Verdict::Cut).count()
    }
}

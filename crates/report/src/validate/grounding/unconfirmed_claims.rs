//! Finds claims that the lines neither show nor contradict: the part of a name, an order, a unit, the action of another
//! function. In a finding the last two are faults. In a flow or a summary, which are about the whole run, they are
//! doubts.

use super::{
    clause_subject::{is_acting, is_body_delivered, is_named_by_body, unshown_subject},
    evidence::MentionEvidence,
    grounding_steps::{CitedSubjectRule, GroundingViolation, TextGrounding, not_of},
    misattributed_clauses::misattributed,
    order_claims::reversed_order,
    undelivered_names::named,
};
use crate::{
    code_map::ReportAuthor,
    code_mentions_in_prose::{Mention, mentions},
    prose_normalization::{has_word, sentences, truncate},
    sentence_clauses::steps,
    validate::citation::{Citation, cites_part},
    validation_reason_parts::ReasonDetail,
};

impl TextGrounding<'_, '_> {
    /// Returns the cited lines and those of the `added` ones that are of the same function as a cited one. That others name a
    /// thing does not show its part in these.
    fn joined_refs(&self, added: &[Citation]) -> Vec<Citation> {
        let is_same_function = |place: &&Citation| {
            self.evidence.overlapping(place).any(|declaration| {
                declaration.is_function() && cites_part(self.refs, &place.path, declaration.range)
            })
        };
        let joined = added.iter().filter(is_same_function);
        self.refs.iter().chain(joined).cloned().collect()
    }

    /// Returns what `text` claims that its lines neither show nor contradict, with the `added` ones.
    pub(super) fn doubt_beside(
        &self,
        added: &[Citation],
        text: &str,
    ) -> Option<GroundingViolation> {
        TextGrounding { refs: &self.joined_refs(added), ..*self }.doubt(text)
    }

    /// Returns what a finding says of a function that its lines are not of, or of an order that they have the other way round.
    /// Of a flow or a summary, which tell of the whole run, either is a doubt only.
    pub(super) fn misplaced(&self, text: &str) -> Option<GroundingViolation> {
        let is_finding = self.subject == CitedSubjectRule::Cited;
        if !is_finding || self.evidence.context.author != ReportAuthor::Model {
            return None;
        }
        let refs = self.joined_refs(&self.places_to_add(text));
        let joined = TextGrounding { refs: &refs, ..*self };
        let mut steps = steps(text).into_iter();
        let other = steps.find_map(|step| {
            // What stands in the lines of the function that is named may be told of it.
            let told = |name: &&str| {
                is_named_by_body(step.text, name, self.evidence) || self.is_project(name)
            };
            let other = || joined.subject_of_other(step.text).filter(|name| !told(name));
            joined.stray_subject(step.text).or_else(other)
        });
        other.map(|name| self.about(name, not_of(name))).or_else(|| {
            let [earlier, later] = joined.other_order(text)?;
            let detail = ReasonDetail::said("the cited lines have ").quote(&later);
            Some(GroundingViolation::new(detail.say(" before ").quote(&earlier)))
        })
    }

    /// Returns an order that the lines have the other way round.
    fn other_order(&self, sentence: &str) -> Option<[String; 2]> {
        let order = reversed_order(sentence, self.refs, self.evidence)?;
        Some(order.map(|part| truncate(part.trim(), 60)))
    }

    /// Returns what `text` claims that its lines neither show nor contradict.
    pub(super) fn doubt(&self, text: &str) -> Option<GroundingViolation> {
        if self.is_free() || self.evidence.context.author != ReportAuthor::Model {
            return None;
        }
        sentences(text).into_iter().find_map(|sentence| {
            if let Some([earlier, later]) = self.other_order(sentence) {
                let detail = ReasonDetail::said("that ").quote(&earlier).say(" comes before ");
                return Some(GroundingViolation::new(detail.quote(&later)));
            }
            steps(sentence).into_iter().find_map(|step| self.doubt_of_step(step.text))
        })
    }

    fn doubt_of_step(&self, step: &str) -> Option<GroundingViolation> {
        self.stray_name(step)
            .map(|name| self.about(name, ReasonDetail::said("the part of ").quote(name)))
            .or_else(|| self.name_of_other_comment(step))
            .or_else(|| self.unsaid_unit(step))
            .or_else(|| {
                let name = self.subject_of_other(step)?;
                Some(self.about(name, ReasonDetail::said("what ").quote(name).say(" does")))
            })
    }

    /// Returns a function that a clause is about, though its lines are of another one.
    fn subject_of_other<'s>(&self, step: &'s str) -> Option<&'s str> {
        let other = misattributed(step, self.refs, self.evidence);
        // A flow has the words of several functions.
        let is_shown = |certain| certain || self.subject == CitedSubjectRule::Cited;
        let named = other.filter(|other| is_shown(other.is_certain)).map(|other| other.named);
        named.or_else(|| {
            let unshown = unshown_subject(step, self.refs, self.evidence)?;
            // A summary or a flow tells of the whole run, not only of what its findings cite.
            let is_known = self.subject == CitedSubjectRule::Named
                && (is_body_delivered(unshown, self.evidence)
                    || is_named_by_body(step, unshown, self.evidence));
            (!is_known).then_some(unshown)
        })
    }

    /// Returns the name that a clause begins with or says the doing of, if its lines are of another function, and where it was
    /// delivered it stands beside no other name of the clause.
    fn stray_subject<'s>(&self, step: &'s str) -> Option<&'s str> {
        self.stray_name(step).filter(|name| is_acting(name, step, self.refs, self.evidence))
    }

    /// Returns a unit of a clause that the lines do not have, and no other of its kind either.
    fn unsaid_unit(&self, step: &str) -> Option<GroundingViolation> {
        let is_unsaid = |mention: &Mention| {
            self.is_unsaid_unit(mention) && self.support(mention, &[]) == MentionEvidence::Nowhere
        };
        let unit = mentions(step).into_iter().find(is_unsaid)?;
        Some(GroundingViolation::new(ReasonDetail::said("the unit ").followed_by(&named(&unit))))
    }

    /// Returns a name of a clause that its lines do not have, and that stands beside no other name of it where it was delivered.
    fn stray_name<'s>(&self, step: &'s str) -> Option<&'s str> {
        if self.subject != CitedSubjectRule::Cited {
            return None;
        }
        let mentions = mentions(step);
        let is_apart = |name: &str| {
            let around = self.evidence.lines_with(name);
            let names = mentions.iter().filter_map(Mention::name);
            let mut others = names.filter(|other| *other != name).peekable();
            others.peek().is_some()
                && !others.any(|other| has_word(&around, other))
                && !self.evidence.is_type_of_cited(name, self.refs)
                && !self.evidence.is_constant_of_cited(name, self.refs)
        };
        mentions.iter().find_map(|mention| {
            let name = mention.name()?;
            let is_elsewhere = matches!(self.support(mention, &[]), MentionEvidence::Elsewhere(_));
            let at = step.find(name).filter(|_| is_elsewhere && is_apart(name))?;
            step.get(at..at + name.len())
        })
    }

    /// Returns a name that no code has, only a comment of a file that is not cited.
    fn name_of_other_comment(&self, step: &str) -> Option<GroundingViolation> {
        mentions(step).iter().filter(|_| self.subject == CitedSubjectRule::Cited).find_map(|it| {
            let name = it.name()?;
            let is_in_comment = self.evidence.find(it, self.refs, &[]) == MentionEvidence::Shown
                && !self.is_allowed(it)
                && !self.evidence.is_in_file_of(name, self.refs);
            is_in_comment.then(|| self.about(name, ReasonDetail::said("the part of ").quote(name)))
        })
    }
}

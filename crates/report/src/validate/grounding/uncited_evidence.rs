//! Finds delivered lines that would support an item and that it does not cite.

use super::{code_names::declared_as, evidence::RunEvidence};
use crate::{
    code_map::Place, validate::citation::Citation, validation_reason_codes::UncitedEvidence,
};
use retriever_workspace::LineRange;

impl RunEvidence<'_> {
    /// Returns a reference to the declaration of a name, qualified or not, if current lines of it were delivered and none
    /// is cited. It refers to the first line of a declaration that is too wide.
    pub(super) fn remedy(&self, name: &str, refs: &[Citation]) -> Option<Box<UncitedEvidence>> {
        let limit = self.context.limits.max_width;
        let places = declared_as(name, self).into_iter().filter_map(|(path, declaration)| {
            if !self.is_current(path) {
                return None;
            }
            let run = self.file(path)?.delivered.longest_within(declaration.range)?;
            let first = LineRange::line(run.start()).filter(|_| run.width() > limit);
            Some(Citation { path: path.clone(), range: first.unwrap_or(run) })
        });
        let places: Vec<Citation> = places.collect();
        // Which of several is meant is not known: one that is cited, or one of a cited file, is the likeliest.
        if refs.iter().any(|own| places.iter().any(|place| own.overlaps(place))) {
            return None;
        }
        let is_near = |place: &&Citation| refs.iter().any(|own| own.path == place.path);
        let place = places.iter().find(is_near).or_else(|| places.first())?;
        let Citation { path, range } = place;
        let ledger = self.context.ledger;
        let identified =
            self.file(path).and_then(|file| ledger.delivered_as(&file.version, *range));
        let reference = match identified {
            Some(found) if found.range == Some(*range) => found.id.to_string(),
            Some(found) => format!("{}:{range}", found.id),
            None => format!("{path}:{range}"),
        };
        let name = name.to_owned();
        Some(Box::new(UncitedEvidence {
            name,
            place: Place::new(path.as_str(), *range),
            reference,
        }))
    }
}

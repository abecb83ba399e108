//! What the places that were found say of one another: a file in which several of them fit is more likely meant than one with a
//! single place as good, and a name that many of them bear tells little of which is meant.

use std::collections::BTreeMap;

use super::{facts::Found, survey::sort};
use crate::{ledger::LineRange, workspace::RepoPath};

/// First places among which names are counted, how many of them may bear one name, and the share of its score that a place loses
/// whose name more of them bear.
const NAMED: usize = 60;
const BEARERS: usize = 3;
const COMMON: f64 = 0.1;
/// Other places of a file that speak for it, and the share of their own points that all its places get.
const SPEAKERS: usize = 2;
const COMPANY: f64 = 0.3;
/// The parts of a score that a place has from its file.
const OF_FILE: &[&str] = &["file", "path", "mentioned", "quoted", "hint", "kind", "topic"];

/// The places of a file that don't overlap, best first, and the own points of those behind the first.
#[derive(Default)]
struct Company {
    places: Vec<LineRange>,
    points: f64,
}

/// Adds to the scores of `found`, which are in their order, and puts them in order anew. The order within a file changes only by
/// names.
pub(super) fn join(found: &mut Vec<Found>) {
    let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
    for name in found.iter().take(NAMED).filter_map(name) {
        *bearers.entry(name).or_default() += 1;
    }
    let is_common = |name: &str| bearers.get(name).is_some_and(|bearers| *bearers > BEARERS);
    let common: Vec<bool> = found.iter().map(|place| name(place).is_some_and(is_common)).collect();
    for (Found { candidate, .. }, _) in found.iter_mut().zip(common).filter(|(_, common)| *common) {
        let total = candidate.score.total();
        candidate.score.add("common name", -COMMON * total);
    }
    sort(found);
    let mut files: BTreeMap<RepoPath, Company> = BTreeMap::new();
    for Found { candidate, .. } in found.iter() {
        let Some(range) = candidate.range else { continue };
        let file = files.entry(candidate.file.path.clone()).or_default();
        // What lies in another place was counted with it.
        let is_new = !file.places.iter().any(|place| place.overlaps(range));
        if is_new && file.places.len() <= SPEAKERS {
            if !file.places.is_empty() {
                let own = candidate.score.0.iter().filter(|(part, _)| !OF_FILE.contains(part));
                file.points += own.map(|(_, points)| points).sum::<f64>().max(0.0);
            }
            file.places.push(range);
        }
    }
    for Found { candidate, .. } in found.iter_mut() {
        let points = files.get(&candidate.file.path).map_or(0.0, |file| file.points);
        candidate.score.add("company", COMPANY * points);
    }
    sort(found);
}

fn name(place: &Found) -> Option<&str> {
    place.candidate.symbols.first().map(|symbol| symbol.name.as_str())
}

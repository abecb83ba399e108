//! What the places that were found say of one another: a file in which several of them fit is more likely meant than one with a
//! single place as good, and a name that many of them bear tells little of which is meant.

use rustc_hash::FxHashMap;

use crate::{
    candidate::Candidate,
    candidates::sort,
    query::parsed::ParsedQuery,
    ranking::features::{Found, Pool},
};
use retriever_workspace::{LineRange, RepoPath};

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

/// Adds to the scores of `found`, which are in their order, and puts them in order anew. A question that points at lines, as a stack
/// trace does, says by itself which files are meant.
pub(crate) fn join(reading: &ParsedQuery, found: &mut Pool) {
    hold_common_names(found);
    if reading.mentions.iter().any(|mention| mention.line.is_some()) {
        return;
    }
    let mut files: FxHashMap<&RepoPath, Company> = FxHashMap::default();
    for place in found.iter() {
        let Candidate { file, range, score, .. } = &place.candidate;
        let Some(range) = *range else { continue };
        let file = files.entry(&file.path).or_default();
        // What lies in another place was counted with it.
        let is_new = !file.places.iter().any(|place| place.overlaps(range));
        if is_new && file.places.len() <= SPEAKERS {
            if !file.places.is_empty() {
                let own = score.0.iter().filter(|(part, _)| !OF_FILE.contains(part));
                file.points += own.map(|(_, points)| points).sum::<f64>().max(0.0);
            }
            file.places.push(range);
        }
    }
    let company = |place: &Found| {
        COMPANY * files.get(&place.candidate.file.path).map_or(0.0, |file| file.points)
    };
    let company: Vec<f64> = found.iter().map(|place| company(place)).collect();
    for (place, points) in found.iter_mut().zip(company) {
        place.candidate.score.add("company", points);
    }
    sort(found);
}

/// Takes from places whose name many of the first places bear.
fn hold_common_names(found: &mut Pool) {
    let mut bearers: FxHashMap<&str, usize> = FxHashMap::default();
    for name in found.iter().take(NAMED).filter_map(|place| name(place)) {
        *bearers.entry(name).or_default() += 1;
    }
    bearers.retain(|_, places| *places > BEARERS);
    let is_common = |place: &Found| name(place).is_some_and(|name| bearers.contains_key(name));
    let common: Vec<bool> = found.iter().map(|place| is_common(place)).collect();
    for (place, _) in found.iter_mut().zip(&common).filter(|(_, common)| **common) {
        let score = &mut place.candidate.score;
        score.add("common name", -COMMON * score.total());
    }
    if common.contains(&true) {
        sort(found);
    }
}

fn name(place: &Found) -> Option<&str> {
    place.candidate.symbols.first().map(|symbol| symbol.name.as_str())
}

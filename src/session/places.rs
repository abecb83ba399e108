//! The places that a session's maps have named: `s1`, `s2` … A later map refers to lines that the caller has by their ID and
//! doesn't repeat path and range. An ID stands for lines of one content: once the file is another, they are told anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use retriever_report::{CodeMap, Known, List, Primary, ReadTarget, Secondary, measure};
use retriever_workspace::LineRange;

/// Most places that are remembered; the oldest go first.
const MOST: usize = 512;
/// Tokens that an ID takes in a map.
const ID_TOKENS: u64 = 6;

/// What was told.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Places {
    /// IDs that were given.
    given: u32,
    told: Vec<Told>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Told {
    number: u32,
    path: String,
    start: u32,
    end: u32,
    /// The file's content.
    hash: String,
}

/// Lines of a file with a certain content.
#[derive(Clone, Copy)]
struct Spot<'a> {
    path: &'a str,
    hash: &'a str,
    range: LineRange,
}

impl Told {
    fn covers(&self, spot: Spot<'_>) -> bool {
        self.path == spot.path
            && self.hash == spot.hash
            && LineRange::new(self.start, self.end).is_some_and(|range| range.covers(spot.range))
    }
}

impl Places {
    /// Names the places of `map` and reduces those that were told before to their IDs. `hashes` has the content of each file;
    /// places of findings get no ID of their own when the map would pass `limit` tokens.
    pub(super) fn settle(
        &mut self,
        map: &mut CodeMap,
        hashes: &BTreeMap<String, String>,
        limit: u64,
    ) {
        let earlier = self.told.clone();
        let mut known = Vec::new();
        for item in std::mem::take(&mut map.primary) {
            let spot = spot(hashes, &item.path, item.start, item.end);
            match id_in(&earlier, spot) {
                Some(id) => {
                    let (role, why) = (item.role, item.why);
                    known.push(Known { id, list: List::Primary, role, why, required: false });
                }
                None => map.primary.push(Primary { id: self.name(spot), ..item }),
            }
        }
        for item in std::mem::take(&mut map.secondary) {
            let spot = spot(hashes, &item.path, item.start, item.end);
            match id_in(&earlier, spot) {
                Some(id) => {
                    let (role, why) = (item.role, item.why);
                    known.push(Known { id, list: List::Secondary, role, why, required: false });
                }
                None => map.secondary.push(Secondary { id: self.name(spot), ..item }),
            }
        }
        for item in std::mem::take(&mut map.read_targets) {
            let spot = spot(hashes, &item.path, item.start, item.end);
            match id_in(&earlier, spot) {
                Some(id) => {
                    let (why, required) = (item.purpose, item.required);
                    known.push(Known { id, list: List::ReadTargets, role: None, why, required });
                }
                None => map.read_targets.push(ReadTarget { id: self.name(spot), ..item }),
            }
        }
        map.known = known;
        for finding in &mut map.findings {
            let known = &mut finding.known;
            finding.refs.retain(|place| {
                let id = id_in(&earlier, spot(hashes, &place.path, place.start, place.end));
                let is_new = id.is_none();
                known.extend(id.filter(|id| !known.contains(id)));
                is_new
            });
        }
        measure(map);
        let mut left = limit.saturating_sub(map.meta.report_tokens);
        for place in map.findings.iter_mut().flat_map(|finding| &mut finding.refs) {
            let spot = spot(hashes, &place.path, place.start, place.end);
            // Lines inside a place of this very map go by that place's ID.
            if id_in(&self.told, spot).is_none() && left >= ID_TOKENS {
                left -= ID_TOKENS;
                place.id = self.name(spot);
            }
        }
        let more = self.told.len().saturating_sub(MOST);
        self.told.drain(..more);
    }

    /// The ID of a place: a new one, unless the very place has one.
    fn name(&mut self, spot: Option<Spot<'_>>) -> Option<String> {
        let spot = spot?;
        let same = self.told.iter().find(|told| {
            told.covers(spot) && told.start == spot.range.start() && told.end == spot.range.end()
        });
        if let Some(told) = same {
            return Some(id(told.number));
        }
        self.given = self.given.saturating_add(1);
        self.told.push(Told {
            number: self.given,
            path: spot.path.to_owned(),
            start: spot.range.start(),
            end: spot.range.end(),
            hash: spot.hash.to_owned(),
        });
        Some(id(self.given))
    }
}

fn spot<'a>(
    hashes: &'a BTreeMap<String, String>,
    path: &str,
    start: u32,
    end: u32,
) -> Option<Spot<'a>> {
    let (path, hash) = hashes.get_key_value(path)?;
    Some(Spot { path, hash, range: LineRange::new(start, end)? })
}

/// The ID of the first place that holds all these lines.
fn id_in(told: &[Told], spot: Option<Spot<'_>>) -> Option<String> {
    let spot = spot?;
    told.iter().find(|told| told.covers(spot)).map(|told| id(told.number))
}

fn id(number: u32) -> String {
    format!("s{number}")
}

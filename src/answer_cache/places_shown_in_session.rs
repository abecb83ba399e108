//! The places that the maps of a session contain, as `s1`, `s2` … A later map lists places whose lines the caller
//! already has separately, with their earlier ID. An ID stands for lines of one file content: when the file has
//! changed, its places get new IDs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use retriever_report::{CodeMap, KnownPlace, Place, PlaceList};
use retriever_workspace::LineRange;

/// Most places of a session; the oldest are dropped first.
const MAX_PLACES: usize = 512;
/// Tokens of an ID in a map.
const ID_TOKENS: u64 = 6;

/// The places of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SessionPlaces {
    /// The highest number that was assigned.
    last: u32,
    places: Vec<SessionPlace>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SessionPlace {
    number: u32,
    path: String,
    start: u32,
    end: u32,
    /// Hash of the file's content.
    content: String,
}

impl SessionPlace {
    fn range(&self) -> Option<LineRange> {
        LineRange::new(self.start, self.end)
    }

    fn id(&self) -> String {
        format!("s{}", self.number)
    }
}

impl SessionPlaces {
    /// Returns the file and the lines of a place by its ID: `src/main.rs:3-9`.
    pub(super) fn place(&self, id: &str) -> Option<String> {
        let place = self.places.iter().find(|place| place.id() == id)?;
        Some(format!("{}:{}-{}", place.path, place.start, place.end))
    }

    /// Assigns IDs to the places of `map` and moves those that an earlier map contains to its known places. `contents` has the
    /// content hash of each file. References of findings get IDs of their own only while the map has at most `limit`
    /// tokens.
    pub(super) fn assign_ids(
        &mut self,
        map: &mut CodeMap,
        contents: &BTreeMap<String, String>,
        limit: u64,
    ) {
        let last_earlier = self.last;
        let mut ids = Assignment { places: self, contents, last_earlier };
        let mut known = Vec::new();
        let mut keep = |list, place: &Place, role, why: &mut String, required| {
            let (place, why) = (place.clone(), std::mem::take(why));
            known.push(KnownPlace { place, list, role, why, required });
        };
        ids.keep_new(
            &mut map.primary,
            |item| &mut item.place,
            |item| keep(PlaceList::Primary, &item.place, item.role, &mut item.why, false),
        );
        ids.keep_new(
            &mut map.secondary,
            |item| &mut item.place,
            |item| keep(PlaceList::Secondary, &item.place, item.role, &mut item.why, false),
        );
        ids.keep_new(
            &mut map.read_targets,
            |item| &mut item.place,
            |item| {
                keep(PlaceList::ReadTargets, &item.place, None, &mut item.purpose, item.required);
            },
        );
        map.known = known;
        ids.assign_to_references(map, limit);
        let surplus = self.places.len().saturating_sub(MAX_PLACES);
        self.places.drain(..surplus);
    }
}

/// The assignment of IDs to the places of one map.
struct Assignment<'a> {
    places: &'a mut SessionPlaces,
    contents: &'a BTreeMap<String, String>,
    /// The highest number in an earlier map.
    last_earlier: u32,
}

impl<'a> Assignment<'a> {
    /// Assigns IDs to the items whose lines no earlier map contains; removes the others and passes them to `known`.
    fn keep_new<T>(
        &mut self,
        items: &mut Vec<T>,
        place: fn(&mut T) -> &mut Place,
        mut known: impl FnMut(&mut T),
    ) {
        items.retain_mut(|item| {
            if let Some(id) = self.id_covering(place(item), self.last_earlier) {
                place(item).id = Some(id);
                known(item);
                return false;
            }
            self.assign(place(item));
            true
        });
    }

    fn assign_to_references(&mut self, map: &mut CodeMap, limit: u64) {
        map.set_report_tokens();
        let mut tokens_left = limit.saturating_sub(map.meta.report_tokens);
        for place in map.findings.iter_mut().flat_map(|finding| &mut finding.refs) {
            // Lines inside a place of this map are named by that place's ID.
            if self.id_covering(place, u32::MAX).is_none() && tokens_left >= ID_TOKENS {
                tokens_left -= ID_TOKENS;
                self.assign(place);
            }
        }
    }

    /// Returns the ID of the first place with a number up to `last` that contains all lines of `place`.
    fn id_covering(&self, place: &Place, last: u32) -> Option<String> {
        let (content, range) = self.lines_of(place)?;
        let covers = |known: &&SessionPlace| {
            known.number <= last
                && known.path == place.path
                && known.content == *content
                && known.range().is_some_and(|known| known.covers(range))
        };
        self.places.places.iter().find(covers).map(SessionPlace::id)
    }

    /// Sets the ID of `place`: that of a place with exactly these lines, else a new one.
    fn assign(&mut self, place: &mut Place) {
        let Some((content, range)) = self.lines_of(place) else { return };
        let same = self.places.places.iter().find(|known| {
            known.path == place.path && known.content == *content && known.range() == Some(range)
        });
        if let Some(same) = same {
            place.id = Some(same.id());
            return;
        }
        self.places.last = self.places.last.saturating_add(1);
        let new = SessionPlace {
            number: self.places.last,
            path: place.path.clone(),
            start: place.start,
            end: place.end,
            content: content.clone(),
        };
        place.id = Some(new.id());
        self.places.places.push(new);
    }

    /// Returns the content hash and the lines of a place whose file's content is known.
    fn lines_of(&self, place: &Place) -> Option<(&'a String, LineRange)> {
        Some((self.contents.get(&place.path)?, place.range()?))
    }
}

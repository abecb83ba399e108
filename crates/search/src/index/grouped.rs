//! Items by the number of their group, in one allocation.

use std::ops::Range;

/// Items by group; those of one group keep their order.
#[derive(Debug, Default)]
pub(super) struct Grouped<T> {
    /// By group: where its items end.
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Groups items, each with the number of its group.
    pub(super) fn of(items: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        // First how many items each group has, then where they begin, then, as each item is put behind the one before, where
        // they end.
        let mut ends: Vec<u32> = Vec::new();
        for (group, _) in items.clone() {
            let at = group as usize;
            if ends.len() <= at {
                ends.resize(at + 1, 0);
            }
            ends[at] += 1;
        }
        let mut all = 0;
        for end in &mut ends {
            all += std::mem::replace(end, all);
        }
        let mut grouped = vec![T::default(); all as usize];
        for (group, item) in items {
            let end = &mut ends[group as usize];
            grouped[*end as usize] = item;
            *end += 1;
        }
        Self { ends, items: grouped }
    }

    /// Returns the items of a group; none for an unknown one.
    pub(super) fn of_group(&self, group: u32) -> &[T] {
        let range = range_of(&self.ends, group);
        range.and_then(|range| self.items.get(range)).unwrap_or_default()
    }
}

/// Returns the range with a number, of ranges that begin where the one before ends.
pub(super) fn range_of(ends: &[u32], number: u32) -> Option<Range<usize>> {
    let at = number as usize;
    let start = at.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied())?;
    Some(start as usize..*ends.get(at)? as usize)
}

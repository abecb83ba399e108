//! Ranges and sets of lines, compared with sets of single numbers.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever_workspace::{LineRange, LineSet};

fn range(start: u32, end: u32) -> LineRange {
    LineRange::new(start, end).unwrap()
}

fn numbers(range: LineRange) -> BTreeSet<u32> {
    (range.start()..=range.end()).collect()
}

#[test]
fn a_range_has_a_line_and_counts_from_one() {
    for (start, end, text) in [(1, 1, "1"), (3, 9, "3-9"), (7, 7, "7"), (7, 8, "7-8")] {
        assert_eq!(range(start, end).to_string(), text);
    }
    assert_eq!(
        (LineRange::new(0, 3), LineRange::new(4, 3), LineRange::line(0)),
        (None, None, None)
    );
    assert_eq!(LineRange::line(4), LineRange::new(4, 4));
    assert_eq!(range(1, u32::MAX).width(), u32::MAX);
}

#[test]
fn an_inserted_range_joins_those_that_it_touches() {
    for (inserted, new, runs) in [
        (range(12, 14), 3, "1-3 7-9 12-14 20"),
        (range(4, 4), 1, "1-4 7-9 20"),
        (range(5, 5), 1, "1-3 5 7-9 20"),
        (range(6, 6), 1, "1-3 6-9 20"),
        (range(4, 6), 3, "1-9 20"),
        (range(2, 8), 3, "1-9 20"),
        (range(7, 9), 0, "1-3 7-9 20"),
        (range(1, 30), 23, "1-30"),
        (range(21, 21), 1, "1-3 7-9 20-21"),
    ] {
        let mut set: LineSet = [range(7, 9), range(20, 20), range(1, 3)].into_iter().collect();
        assert_eq!((set.len(), set.is_empty()), (7, false));
        assert_eq!(set.insert(inserted), new, "{inserted}");
        let shown: Vec<String> = set.runs().iter().map(LineRange::to_string).collect();
        assert_eq!(shown.join(" "), runs, "{inserted}");
    }
    assert!(LineSet::new().is_empty() && LineSet::new().runs().is_empty());
}

#[test]
fn the_longest_part_inside_of_a_range_is_found_the_first_of_two() {
    let set: LineSet = [range(1, 3), range(7, 9), range(20, 26)].into_iter().collect();
    for (within, longest) in [
        (range(1, 30), Some(range(20, 26))),
        (range(1, 12), Some(range(1, 3))),
        (range(2, 12), Some(range(7, 9))),
        (range(8, 21), Some(range(8, 9))),
        (range(10, 12), None),
    ] {
        assert_eq!(set.longest_within(within), longest, "{within}");
    }
}

proptest! {
    #[test]
    fn a_set_of_lines_is_a_set_of_numbers(
        ranges in prop::collection::vec((1_u32..40, 0_u32..6), 0..8),
        (start, width) in (1_u32..40, 0_u32..12),
        (other, other_width) in (1_u32..40, 0_u32..12),
    ) {
        let mut set = LineSet::new();
        let mut known = BTreeSet::new();
        for (start, width) in ranges {
            let before = known.len();
            known.extend(start..=start + width);
            let new = set.insert(range(start, start + width));
            prop_assert_eq!(new as usize, known.len() - before);
        }
        let (asked, other) = (range(start, start + width), range(other, other + other_width));
        let inside: BTreeSet<u32> = numbers(asked).intersection(&known).copied().collect();
        prop_assert_eq!(set.len() as usize, known.len());
        prop_assert_eq!(set.covered(asked) as usize, inside.len());
        prop_assert_eq!(set.contains(asked), inside == numbers(asked));
        prop_assert_eq!(set.within(asked).flat_map(numbers).collect::<BTreeSet<_>>(), inside);
        for pair in set.runs().windows(2) {
            prop_assert!(pair[0].end() + 1 < pair[1].start());
        }
        let both: BTreeSet<u32> = numbers(asked).intersection(&numbers(other)).copied().collect();
        prop_assert_eq!(&asked.intersect(other).map(numbers).unwrap_or_default(), &both);
        prop_assert_eq!(asked.overlaps(other), !both.is_empty());
        prop_assert_eq!(asked.covers(other), both == numbers(other));
        prop_assert_eq!(asked.contains(other.start()), both.contains(&other.start()));
        prop_assert_eq!(asked.span(other).width() as usize, numbers(asked.span(other)).len());
    }
}

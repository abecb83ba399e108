//! The declarations around lines of a file: for the notes of `grep`, the ends of its blocks, and the lines that `read`
//! shows for a line.

use std::collections::{BTreeMap, BTreeSet};

use super::{LineAnnotation, ToolContext};
use retriever_search::{NestedDeclaration, declarations};
use retriever_workspace::{LineRange, TextFile, truncate};

/// Most lines of a declaration whose extent is shown. The end of a longer one was probably not found, since its text is
/// read without a parser.
const MAX_EXTENT: u32 = 1_000;
/// Most characters of the name of a declaration.
const MAX_NAME: usize = 60;

/// The declarations of a file, by first line.
pub(super) struct EnclosingDeclarations {
    declared: Vec<NestedDeclaration>,
}

impl EnclosingDeclarations {
    pub(super) fn of(file: &TextFile, context: &ToolContext) -> Self {
        let extension = file.extension();
        Self { declared: declarations(extension, file.text(), &context.cancellation) }
    }

    pub(super) fn range(&self, index: usize) -> LineRange {
        self.declared[index].declaration.range
    }

    fn name(&self, index: usize) -> String {
        truncate(&self.declared[index].declaration.name, MAX_NAME)
    }

    /// Returns the innermost declaration of several lines around a line.
    pub(super) fn around(&self, line: u32) -> Option<usize> {
        let behind = self.declared.partition_point(|found| found.declaration.range.start() <= line);
        let mut at = behind.checked_sub(1);
        while let Some(index) = at {
            let range = self.range(index);
            if range.contains(line) && (2..=MAX_EXTENT).contains(&range.width()) {
                return Some(index);
            }
            at = self.declared[index].parent;
        }
        None
    }

    /// Returns the first line after the declaration before this one, or of the declaration around it.
    pub(super) fn first_above(&self, index: usize) -> u32 {
        let (own, parent) = (self.range(index), self.declared[index].parent);
        let ends = self.declared[..index].iter().map(|found| found.declaration.range.end());
        let before = ends.filter(|end| *end < own.start()).max().map(|end| end + 1);
        let parent = parent.map(|parent| self.range(parent).start());
        before.max(parent).unwrap_or(1)
    }

    /// Assigns all lines of a declaration to it if every line is shown, so that they form one block.
    pub(super) fn join_complete(&self, shown: &mut BTreeMap<u32, Option<usize>>) {
        let is_complete = |range: &LineRange| {
            let lines = shown.range(range.start()..=range.end()).count();
            u32::try_from(lines) == Ok(range.width())
        };
        let mut innermost: Vec<usize> = shown.values().copied().flatten().collect();
        innermost.sort_unstable();
        innermost.dedup();
        let mut complete: BTreeSet<usize> = BTreeSet::new();
        for index in innermost {
            let ways = std::iter::successors(Some(index), |at| self.declared[*at].parent);
            complete.extend(ways.take_while(|at| is_complete(&self.range(*at))).last());
        }
        for index in complete {
            let range = self.range(index);
            for (_, around) in shown.range_mut(range.start()..=range.end()) {
                *around = Some(index);
            }
        }
    }

    /// Returns the note for the first line of each block of `lines`, which come with the declaration of their match. A
    /// block ends where the declaration changes. The extent and the callers of each are given once; `called_by` has the
    /// callers by the first line of the declaration.
    pub(super) fn labels<'a>(
        &self,
        lines: &BTreeMap<u32, Option<usize>>,
        called_by: impl Fn(u32) -> Option<&'a String>,
    ) -> BTreeMap<u32, LineAnnotation> {
        let (mut labels, mut told) = (BTreeMap::new(), BTreeSet::new());
        let mut last: Option<(u32, Option<usize>)> = None;
        for (line, around) in lines {
            let same = last.is_some_and(|(before, last)| before + 1 == *line && last == *around);
            last = Some((*line, *around));
            let context = match around.filter(|_| !same) {
                Some(index) => {
                    let is_first = told.insert(index);
                    let called = called_by(self.range(index).start()).filter(|_| is_first);
                    let called = called.map(|called| format!(", {called}")).unwrap_or_default();
                    let extent = is_first.then(|| self.range(index));
                    self.context(index, *line, extent) + &called
                }
                // A separate block below one that has a label.
                None if !same && line.checked_sub(1).is_some_and(|it| lines.contains_key(&it)) => {
                    String::new()
                }
                None => continue,
            };
            let declared = around.map(|index| self.range(index));
            let declares = declared.filter(|range| range.start() == *line);
            let around = around.map(|index| self.declared[index].declaration.clone());
            labels.insert(*line, LineAnnotation { context, declares, around, definition: None });
        }
        labels
    }

    /// Returns the note for a line: the declaration around it, with its extent if `extent` is given.
    fn context(&self, index: usize, line: u32, extent: Option<LineRange>) -> String {
        let (range, declared) = (self.range(index), &self.declared[index]);
        let owner = declared.owner(declared.parent.map(|parent| &self.declared[parent]));
        let owner = owner.map(|owner| truncate(owner, MAX_NAME));
        match (range.start() == line, owner) {
            (true, None) => format!("declares {range}"),
            (true, Some(owner)) => format!("declares {range}, in {owner}"),
            (false, owner) => {
                let owner = owner.map(|owner| format!("{owner}.")).unwrap_or_default();
                let extent = extent.map(|extent| format!(" {extent}")).unwrap_or_default();
                format!("in {owner}{}{extent}", self.name(index))
            }
        }
    }
}

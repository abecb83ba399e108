//! Positions of the boxes of a picture: a column for each number of steps from the first nodes, top to bottom in the order
//! of the nodes.

use std::cmp::Reverse;

/// Width of a box, in pixels.
pub(crate) const BOX_WIDTH: u32 = 236;
/// Height of a box.
pub(crate) const BOX_HEIGHT: u32 = 46;
const COLUMN: u32 = BOX_WIDTH + 70;
const ROW: u32 = BOX_HEIGHT + 22;
const MARGIN: u32 = 12;
/// Room above the boxes for arrows that lead back.
const TOP: u32 = 34;

/// Where the boxes are.
pub(crate) struct PictureLayout {
    /// Column and row of each node.
    cells: Vec<(u32, u32)>,
}

impl PictureLayout {
    /// Places so many nodes; an edge is the positions of its ends.
    pub(crate) fn of(nodes: usize, edges: &[(usize, usize)]) -> Self {
        let columns = columns(nodes, edges);
        let mut filled: Vec<u32> = Vec::new();
        let cells = columns.iter().map(|&column| {
            let at = column as usize;
            if filled.len() <= at {
                filled.resize(at + 1, 0);
            }
            let row = filled[at];
            filled[at] += 1;
            (column, row)
        });
        Self { cells: cells.collect() }
    }

    /// Width and height of the picture.
    pub(crate) fn size(&self) -> (u32, u32) {
        let most = |of: fn(&(u32, u32)) -> u32| self.cells.iter().map(of).max().unwrap_or(0);
        let width = most(|cell| cell.0) * COLUMN + BOX_WIDTH + 2 * MARGIN;
        (width, most(|cell| cell.1) * ROW + BOX_HEIGHT + MARGIN + TOP)
    }

    /// Returns the upper left corner of a box.
    pub(crate) fn corner(&self, node: usize) -> (u32, u32) {
        let (column, row) = self.cells.get(node).copied().unwrap_or_default();
        (MARGIN + column * COLUMN, TOP + row * ROW)
    }

    /// Returns the path of an arrow: to the right between columns, around the boxes otherwise.
    pub(crate) fn curve(&self, from: usize, to: usize) -> String {
        let (x, y) = self.corner(from);
        let (to_x, to_y) = self.corner(to);
        let middle = BOX_HEIGHT / 2;
        if to_x > x {
            let (start, end) = (x + BOX_WIDTH, to_x.saturating_sub(2));
            let bend = 34;
            return format!(
                "M{start} {} C{} {} {} {} {end} {}",
                y + middle,
                start + bend,
                y + middle,
                end.saturating_sub(bend),
                to_y + middle,
                to_y + middle
            );
        }
        if to_x == x {
            let side = x + BOX_WIDTH;
            let (from_y, end_y) = (y + middle, to_y + middle);
            return format!(
                "M{side} {from_y} C{} {from_y} {} {end_y} {} {end_y}",
                side + 48,
                side + 48,
                side + 2
            );
        }
        // Back over the tops of the boxes.
        let (start, end) = (x + BOX_WIDTH / 2, to_x + BOX_WIDTH / 2);
        let over = y.min(to_y).saturating_sub(26);
        format!("M{start} {y} C{start} {over} {end} {over} {end} {}", to_y.saturating_sub(2))
    }
}

/// Returns the column of each node: steps from a node that no edge leads to; in a cycle, from the one that the longest ways leave.
fn columns(count: usize, edges: &[(usize, usize)]) -> Vec<u32> {
    let mut columns: Vec<Option<u32>> = vec![None; count];
    let has_caller = |node: usize| edges.iter().any(|(from, to)| *to == node && *from != node);
    let first: Vec<usize> = (0..count).filter(|node| !has_caller(*node)).collect();
    spread(edges, &first, &mut columns);
    while columns.contains(&None) {
        let left = (0..count).filter(|node| columns[*node].is_none());
        let ways = |node: &usize| {
            let mut tried = columns.clone();
            spread(edges, &[*node], &mut tried);
            (tried.into_iter().flatten().sum::<u32>(), Reverse(*node))
        };
        let Some(next) = left.max_by_key(ways) else { break };
        spread(edges, &[next], &mut columns);
    }
    columns.into_iter().map(Option::unwrap_or_default).collect()
}

fn spread(edges: &[(usize, usize)], from: &[usize], columns: &mut [Option<u32>]) {
    let mut frontier = from.to_vec();
    let mut column = 0;
    while !frontier.is_empty() {
        frontier.retain(|node| columns.get(*node).is_some_and(Option::is_none));
        for node in &frontier {
            columns[*node] = Some(column);
        }
        let reached = edges.iter().filter(|(from, _)| frontier.contains(from));
        frontier = reached.map(|(_, to)| *to).collect();
        column += 1;
    }
}

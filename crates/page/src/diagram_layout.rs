//! Positions of the boxes of a diagram: a column for each number of steps from the first nodes, top to bottom in the
//! order of the nodes.

use std::cmp::Reverse;

/// Width of a box, in pixels.
pub(crate) const BOX_WIDTH: u32 = 236;
/// Height of a box, in pixels.
pub(crate) const BOX_HEIGHT: u32 = 46;
/// Distance of two columns, in pixels.
const COLUMN: u32 = BOX_WIDTH + 70;
/// Distance of two rows, in pixels.
const ROW: u32 = BOX_HEIGHT + 22;
/// Space around the boxes, in pixels.
const MARGIN: u32 = 12;
/// Space above the boxes for arrows that lead back, in pixels.
const TOP: u32 = 34;

/// Positions of the boxes.
pub(crate) struct DiagramLayout {
    /// Column and row of each node.
    cells: Vec<(u32, u32)>,
}

impl DiagramLayout {
    /// Lays out `nodes` nodes; an edge is the indexes of its ends.
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

    /// Width and height of the diagram, in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        let most = |of: fn(&(u32, u32)) -> u32| self.cells.iter().map(of).max().unwrap_or(0);
        let width = most(|cell| cell.0) * COLUMN + BOX_WIDTH + 2 * MARGIN;
        (width, most(|cell| cell.1) * ROW + BOX_HEIGHT + MARGIN + TOP)
    }

    /// Returns the upper left corner of a box, in pixels.
    pub(crate) fn corner(&self, node: usize) -> (u32, u32) {
        let (column, row) = self.cells.get(node).copied().unwrap_or_default();
        (MARGIN + column * COLUMN, TOP + row * ROW)
    }

    /// Returns the path of an arrow: to the right between columns, otherwise back over the tops of the boxes.
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
        let (start, end) = (x + BOX_WIDTH / 4 * 3, to_x + BOX_WIDTH / 4);
        let over = y.min(to_y).saturating_sub(26);
        format!("M{start} {y} C{start} {over} {end} {over} {end} {}", to_y.saturating_sub(2))
    }
}

/// Returns the column of each node: the most steps that lead to it. A cycle starts at the node that [`starts`] chooses,
/// and edges that lead back to a node on the path are ignored.
fn columns(count: usize, edges: &[(usize, usize)]) -> Vec<u32> {
    let known: Vec<(usize, usize)> =
        edges.iter().copied().filter(|(from, to)| *from.max(to) < count).collect();
    let forward = forward_edges(count, &known);
    let mut columns = vec![0; count];
    // No path has more steps than there are nodes.
    for _ in 0..count {
        let mut is_settled = true;
        for &(from, to) in &forward {
            if columns[to] <= columns[from] {
                columns[to] = columns[from] + 1;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
    columns
}

/// Returns the edges without those that lead back to a node on the path to them.
fn forward_edges(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut forward = Vec::new();
    let mut states = vec![Visit::Unseen; count];
    for start in starts(count, edges) {
        // The nodes of the current path, each with the number of its edges that were followed.
        let mut way = vec![(start, 0)];
        while let Some((node, followed)) = way.last_mut() {
            let node = *node;
            states[node] = Visit::OnTheWay;
            let Some(at) = edges.iter().skip(*followed).position(|(from, _)| *from == node) else {
                states[node] = Visit::Done;
                way.pop();
                continue;
            };
            let (_, to) = edges[*followed + at];
            *followed += at + 1;
            if states[to] != Visit::OnTheWay {
                forward.push((node, to));
            }
            if states[to] == Visit::Unseen {
                way.push((to, 0));
            }
        }
    }
    forward
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Unseen,
    OnTheWay,
    Done,
}

/// Returns nodes from which all others are reached: nodes without incoming edges, and of each cycle the one with the
/// longest paths.
fn starts(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut steps: Vec<Option<u32>> = vec![None; count];
    let has_caller = |node: usize| edges.iter().any(|(from, to)| *to == node && *from != node);
    let mut starts: Vec<usize> = (0..count).filter(|node| !has_caller(*node)).collect();
    spread(edges, &starts, &mut steps);
    while steps.contains(&None) {
        let left = (0..count).filter(|node| steps[*node].is_none());
        let ways = |node: &usize| {
            let mut tried = steps.clone();
            spread(edges, &[*node], &mut tried);
            (tried.into_iter().flatten().sum::<u32>(), Reverse(*node))
        };
        let Some(next) = left.max_by_key(ways) else { break };
        spread(edges, &[next], &mut steps);
        starts.push(next);
    }
    starts
}

/// Sets the least number of steps from the nodes `from`, for each node that has none.
fn spread(edges: &[(usize, usize)], from: &[usize], steps: &mut [Option<u32>]) {
    let mut frontier = from.to_vec();
    let mut step = 0;
    while !frontier.is_empty() {
        frontier.retain(|node| steps.get(*node).is_some_and(Option::is_none));
        for node in &frontier {
            steps[*node] = Some(step);
        }
        let reached = edges.iter().filter(|(from, _)| frontier.contains(from));
        frontier = reached.map(|(_, to)| *to).collect();
        step += 1;
    }
}

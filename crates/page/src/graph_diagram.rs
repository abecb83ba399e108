//! A directed graph of a few places as SVG, Graphviz or Mermaid text.

use std::fmt::Write as _;

use maud::{Markup, html};
use retriever_workspace::escape_control;

use crate::diagram_layout::{BOX_HEIGHT, BOX_WIDTH, DiagramLayout};

/// Most characters of a label in a box.
const LABEL_CHARS: usize = 28;

/// A graph to draw.
#[derive(Clone, Debug, Default)]
pub struct GraphDiagram {
    /// The nodes.
    pub nodes: Vec<DiagramNode>,
    /// The edges, in the order in which they are numbered.
    pub edges: Vec<DiagramEdge>,
}

/// A box.
#[derive(Clone, Debug)]
pub struct DiagramNode {
    /// The name.
    pub label: String,
    /// The place of the node: `path:line`.
    pub place: String,
    /// The address that a click opens.
    pub link: Option<String>,
}

/// An arrow.
#[derive(Clone, Debug)]
pub struct DiagramEdge {
    /// Index of the node that it starts from.
    pub from: usize,
    /// Index of the node that it leads to.
    pub to: usize,
    /// The label of the arrow.
    pub label: String,
    /// Whether it represents more than one step.
    pub is_indirect: bool,
}

impl GraphDiagram {
    /// Returns a diagram in the colours of the page.
    pub fn svg(&self, title: &str) -> Markup {
        let ends: Vec<(usize, usize)> =
            self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let layout = DiagramLayout::of(self.nodes.len(), &ends);
        let (width, height) = layout.size();
        // Links inside an element with the role of an image are not accessible.
        let has_links = self.nodes.iter().any(|node| node.link.is_some());
        let role = if has_links { "group" } else { "img" };
        html! {
            svg.picture xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) }
                width=(width) height=(height) role=(role) aria-label=(title) {
                title { (title) }
                defs {
                    marker #arrow viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto" {
                        path d="M0 0 8 4 0 8z" fill="currentColor" {}
                    }
                }
                @for edge in &self.edges {
                    path.edge.indirect[edge.is_indirect] d=(layout.curve(edge.from, edge.to)) fill="none" stroke="currentColor"
                        stroke-dasharray=[edge.is_indirect.then_some("5 4")] marker-end="url(#arrow)" {
                        title { (edge.label) }
                    }
                }
                @for (at, node) in self.nodes.iter().enumerate() {
                    @let (x, y) = layout.corner(at);
                    @if let Some(link) = &node.link {
                        a href=(link) { (draw(node, x, y)) }
                    } @else {
                        (draw(node, x, y))
                    }
                }
            }
        }
    }

    /// Returns a complete SVG file.
    pub fn svg_file(&self, title: &str) -> String {
        let svg = self.svg(title).into_string();
        let style = "<style>svg{color:#57606a;background:#fff;font:13px sans-serif}rect{fill:#f6f8fa;stroke:#8c959f}text{fill:#1f2328}text.place{fill:#57606a;font-size:11px}</style><defs>";
        escape_control(&svg.replacen("<defs>", style, 1))
    }

    /// Returns the graph for Graphviz.
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph {\n  rankdir=LR;\n  node [shape=box];\n");
        // Writing to a string cannot fail.
        for (at, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(
                text,
                "  n{at} [label=\"{}\\n{}\"];",
                dot_text(&node.label),
                dot_text(&node.place)
            );
        }
        for edge in &self.edges {
            let style = if edge.is_indirect { ", style=dashed" } else { "" };
            let _ = writeln!(
                text,
                "  n{} -> n{} [label=\"{}\"{style}];",
                edge.from,
                edge.to,
                dot_text(&edge.label)
            );
        }
        text.push_str("}\n");
        text
    }

    /// Returns the graph for Mermaid.
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        for (at, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(
                text,
                "  n{at}[\"{}<br/>{}\"]",
                mermaid_text(&node.label),
                mermaid_text(&node.place)
            );
        }
        for edge in &self.edges {
            let arrow = if edge.is_indirect { "-.->" } else { "-->" };
            let _ = writeln!(
                text,
                "  n{} {arrow}|\"{}\"| n{}",
                edge.from,
                mermaid_text(&edge.label),
                edge.to
            );
        }
        text
    }
}

fn draw(node: &DiagramNode, x: u32, y: u32) -> Markup {
    html! {
        g.node {
            title { (node.label) " – " (node.place) }
            rect x=(x) y=(y) width=(BOX_WIDTH) height=(BOX_HEIGHT) rx="6" {}
            text x=(x + 10) y=(y + 19) { (clip_end(&node.label)) }
            text.place x=(x + 10) y=(y + 36) { (clip_start(&node.place)) }
        }
    }
}

fn clip_end(text: &str) -> String {
    if text.chars().count() <= LABEL_CHARS {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LABEL_CHARS - 1).collect::<String>())
}

/// Returns the end of a long text, which says more of a path than its start.
fn clip_start(text: &str) -> String {
    let most = LABEL_CHARS + 4;
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    format!("…{}", text.chars().skip(length - most + 1).collect::<String>())
}

fn dot_text(text: &str) -> String {
    escape_control(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns `text` with every character that Mermaid could read as syntax written as a numbered entity.
fn mermaid_text(text: &str) -> String {
    let mut shown = String::new();
    for letter in escape_control(text).chars() {
        if matches!(letter, '"' | '<' | '>' | '&' | '#' | ';' | '`' | '|') {
            let _ = write!(shown, "#{};", u32::from(letter));
        } else {
            shown.push(letter);
        }
    }
    shown
}

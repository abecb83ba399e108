//! The graph as JSON lines, for scoring and for other programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    facts::FileOmission,
    graph_model::{Node, NodeId, NodeKind},
    store::Graph,
};

#[derive(Serialize)]
struct End<'a> {
    qname: &'a str,
    name: &'a str,
    path: &'a str,
    start: u32,
    end: u32,
}

#[derive(Serialize)]
struct EdgeLine<'a> {
    kind: &'a str,
    from: End<'a>,
    to: End<'a>,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    resolution: &'a str,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    kind: &'a str,
    node: &'a Node,
}

#[derive(Serialize)]
struct OmissionLine<'a> {
    kind: &'a str,
    path: &'a str,
    omission: FileOmission,
}

fn end(node: &Node) -> End<'_> {
    // A file as caller stands for the code outside all definitions.
    let name = if node.kind == NodeKind::File { "" } else { &node.name };
    End { qname: &node.qname, name, path: &node.path, start: node.start, end: node.end }
}

impl Graph {
    /// Writes lines of JSON, in a fixed order:
    ///
    /// - every node: `{"kind":"node", "node":{…}}`;
    /// - every edge: `{"kind":"calls", "from":{…}, "to":{…}, "line":N, "resolution":"exact"}`, with the `file` of the line
    ///   where that is not the file of `from`;
    /// - what is left out of files that take more work than a file may: `{"kind":"omission", "path":…, "omission":"edges"}`.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn export(&self, mut out: impl Write) -> io::Result<()> {
        for node in self.nodes() {
            serde_json::to_writer(&mut out, &NodeLine { kind: "node", node })?;
            out.write_all(b"\n")?;
        }
        for edge in self.edges() {
            let end = |id: NodeId| self.node(id).map(end);
            let (Some(from), Some(to)) = (end(edge.from), end(edge.to)) else { continue };
            let line = EdgeLine {
                kind: edge.kind.as_ref(),
                from,
                to,
                line: edge.line,
                file: self.made_elsewhere(edge).next().and_then(|file| self.path_of(file)),
                resolution: edge.resolution.as_ref(),
            };
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        for (path, omission) in self.omissions() {
            serde_json::to_writer(&mut out, &OmissionLine { kind: "omission", path, omission })?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

//! `graph --format dot|mermaid|svg`: prints the graph's answer as a diagram.

use retriever::tools::graph::{Definition, GraphAnswer, GraphOperation, GraphOutput};
use retriever_page::{DiagramEdge, DiagramNode, GraphDiagram};

use super::{
    command_error::{CommandError, CommandErrorKind},
    console_output::DiagramFormat,
};

/// Returns the picture of a result.
pub(super) fn draw(
    found: &GraphOutput,
    operation: GraphOperation,
    format: DiagramFormat,
) -> Result<String, CommandError> {
    if found.answers.is_empty() {
        return Err(CommandError::new(CommandErrorKind::Usage, &found.headline)
            .hint("--format text prints what the graph knows of the target"));
    }
    let picture = if operation == GraphOperation::Trace {
        trace(&found.answers)
    } else {
        neighbourhood(found, operation)
    };
    Ok(match format {
        DiagramFormat::Dot => picture.dot(),
        DiagramFormat::Mermaid => picture.mermaid(),
        DiagramFormat::Svg => picture.svg_file(&found.headline),
    })
}

/// Returns a trace as a chain of its steps.
fn trace(answers: &[GraphAnswer]) -> GraphDiagram {
    let edges = answers.iter().enumerate().skip(1).map(|(at, answer)| DiagramEdge {
        from: at - 1,
        to: at,
        label: label(answer),
        is_indirect: false,
    });
    GraphDiagram {
        nodes: answers.iter().map(|answer| node(&answer.definition)).collect(),
        edges: edges.collect(),
    }
}

/// Returns the target with its answers around it. An answer that is more than one step away gets a dashed arrow, since
/// the result does not have the steps between.
fn neighbourhood(found: &GraphOutput, operation: GraphOperation) -> GraphDiagram {
    let mut picture = GraphDiagram::default();
    picture.nodes.extend(found.target.iter().map(node));
    let leads_away = matches!(
        operation,
        GraphOperation::Callees | GraphOperation::Methods | GraphOperation::Symbols
    );
    for answer in &found.answers {
        let at = picture.nodes.len();
        picture.nodes.push(node(&answer.definition));
        if found.target.is_some() {
            let (from, to) = if leads_away { (0, at) } else { (at, 0) };
            let is_indirect = answer.depth.is_some_and(|depth| depth > 1);
            picture.edges.push(DiagramEdge { from, to, label: label(answer), is_indirect });
        }
    }
    picture
}

fn node(definition: &Definition) -> DiagramNode {
    DiagramNode {
        label: definition.qname.clone(),
        place: format!("{}:{}", definition.path, definition.line),
        link: None,
    }
}

fn label(answer: &GraphAnswer) -> String {
    let relation = answer.relation.map(|relation| relation.to_string()).unwrap_or_default();
    let file = answer.site.as_deref().unwrap_or(&answer.definition.path);
    match answer.lines.first() {
        Some(line) => format!("{relation} {file}:{line}"),
        None => relation,
    }
}

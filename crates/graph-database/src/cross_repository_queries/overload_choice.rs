//! Which of several functions of one name a call can mean: by the labels of its arguments, or by how many it has, as far as
//! signatures tell.

use retriever_graph::NodeKind;

use crate::{
    graph_database::{StoredExternalUse, StoredNode},
    packages::Ecosystem,
};

/// The label of a closure that stands behind a call's parentheses.
const TRAILING: &str = "{";
/// The label of an argument that has none.
const UNLABELLED: &str = "_";

/// A parameter as a signature writes it.
struct Parameter<'s> {
    label: &'s str,
    is_optional: bool,
    is_repeated: bool,
    is_function: bool,
}

/// Leaves out the functions among `nodes` that can't take the arguments of a call.
pub(super) fn narrowed<'n>(
    nodes: Vec<&'n StoredNode>,
    site: &StoredExternalUse,
) -> Vec<&'n StoredNode> {
    let Some(given) = &site.arguments else { return nodes };
    let takes = |node: &&&StoredNode| {
        let parameters = parameters(node).filter(|_| node.kind == NodeKind::Function);
        parameters.is_none_or(|parameters| match site.ecosystem {
            Ecosystem::Swift => takes_labels(&parameters, given),
            _ => takes_count(&parameters, given.len()),
        })
    };
    match site.ecosystem {
        // Without its labels a function is another one, as of a type that the package extends.
        Ecosystem::Swift => nodes.iter().filter(takes).copied().collect(),
        Ecosystem::Maven | Ecosystem::Nuget => {
            let fitting: Vec<&StoredNode> = nodes.iter().filter(takes).copied().collect();
            if fitting.is_empty() { nodes } else { fitting }
        }
        _ => nodes,
    }
}

fn takes_count(parameters: &[Parameter<'_>], given: usize) -> bool {
    let required = parameters.iter().filter(|it| !it.is_optional && !it.is_repeated).count();
    let takes_more = parameters.iter().any(|it| it.is_repeated);
    required <= given && (given <= parameters.len() || takes_more)
}

fn takes_labels(parameters: &[Parameter<'_>], given: &[String]) -> bool {
    let (mut rest, mut is_repeating) = (parameters.iter(), false);
    for label in given {
        if is_repeating && label == UNLABELLED {
            continue;
        }
        let taken = rest.find(|parameter| {
            let fits = if label == TRAILING {
                parameter.is_function || !parameter.is_optional
            } else {
                parameter.label == label
            };
            fits || !(parameter.is_optional || parameter.is_repeated)
        });
        let Some(taken) = taken.filter(|it| label == TRAILING || it.label == label) else {
            return false;
        };
        is_repeating = taken.is_repeated;
    }
    rest.all(|parameter| parameter.is_optional || parameter.is_repeated)
}

/// Reads the parameters of a function; `None` when its signature does not hold all of them.
fn parameters(node: &StoredNode) -> Option<Vec<Parameter<'_>>> {
    let signature = node.signature.as_str();
    let list = signature.match_indices(node.name.as_str()).find_map(|(at, name)| {
        let rest =
            signature.get(at + name.len()..)?.trim_start_matches(['?', '!', '`']).trim_start();
        let rest = if rest.starts_with(['<', '[']) { behind_brackets(rest)? } else { rest };
        rest.trim_start().strip_prefix('(')
    })?;
    let (mut found, mut begin, mut depth, mut before) = (Vec::new(), 0, 0_usize, ' ');
    for (at, letter) in list.char_indices() {
        let is_end = depth == 0 && letter == ')';
        if is_end || (depth == 0 && letter == ',') {
            let text = list.get(begin..at)?.trim();
            found.extend((!text.is_empty()).then(|| parameter(text)));
            begin = at + 1;
        }
        if is_end {
            return Some(found);
        }
        depth = depth_after(depth, before, letter);
        before = letter;
    }
    None
}

fn parameter(text: &str) -> Parameter<'_> {
    let name = text.split(':').next().unwrap_or_default();
    let label = name.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    let has_default = text.match_indices('=').any(|(at, _)| !text[at + 1..].starts_with('>'));
    Parameter {
        label: label.trim_matches('`'),
        // An extension is called on its first parameter.
        is_optional: has_default || text.starts_with("this "),
        is_repeated: text.contains("...")
            || text.ends_with('*')
            || text.split_whitespace().any(|word| matches!(word, "params" | "vararg")),
        is_function: text.contains("->"),
    }
}

/// Returns what stands behind the brackets that `text` begins with.
fn behind_brackets(text: &str) -> Option<&str> {
    let (mut depth, mut before) = (0_usize, ' ');
    for (at, letter) in text.char_indices() {
        depth = depth_after(depth, before, letter);
        if depth == 0 {
            return text.get(at + letter.len_utf8()..);
        }
        before = letter;
    }
    None
}

/// Counts open brackets; an arrow closes none.
fn depth_after(depth: usize, before: char, letter: char) -> usize {
    match letter {
        '(' | '[' | '{' | '<' => depth + 1,
        '>' if matches!(before, '-' | '=') => depth,
        ')' | ']' | '}' | '>' => depth.saturating_sub(1),
        _ => depth,
    }
}

//! Which of several functions of one name a call can mean: by the labels of its arguments, or by how many it has, as far as
//! signatures tell.

use retriever_graph::{NodeKind, ParameterList, behind_brackets, indexing::ImportedNameUse};

use crate::{
    graph_database::{StoredExternalUse, StoredNode},
    packages::Ecosystem,
};

/// Swift's types that no closure has, besides collections and tuples.
const PLAIN_TYPES: &[&str] = &[
    "Bool",
    "Character",
    "Data",
    "Date",
    "Double",
    "Float",
    "Int",
    "String",
    "UInt",
    "URL",
    "UUID",
];

/// A parameter as a signature writes it.
struct Parameter<'s> {
    label: &'s str,
    is_optional: bool,
    is_repeated: bool,
    is_function: bool,
    /// Whether its type may be a function by another name.
    may_be_function: bool,
}

impl Parameter<'_> {
    fn is_required(&self) -> bool {
        !(self.is_optional || self.is_repeated)
    }
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
    let required = parameters.iter().filter(|it| it.is_required()).count();
    let takes_more = parameters.iter().any(|it| it.is_repeated);
    required <= given && (given <= parameters.len() || takes_more)
}

fn takes_labels(parameters: &[Parameter<'_>], given: &[String]) -> bool {
    let (mut rest, mut is_repeating) = (parameters, false);
    for label in given {
        if is_repeating && label == ImportedNameUse::UNLABELLED {
            continue;
        }
        let first = |fits: fn(&Parameter<'_>) -> bool| rest.iter().position(fits);
        let place = if label == ImportedNameUse::TRAILING {
            let takes_closure = first(|it| it.is_function || it.is_required());
            takes_closure.or_else(|| first(|it| it.may_be_function))
        } else {
            let place = rest.iter().position(|it| it.label == label || it.is_required());
            place.filter(|at| rest[*at].label == label)
        };
        let Some(place) = place else { return false };
        is_repeating = rest[place].is_repeated;
        rest = &rest[place + 1..];
    }
    !rest.iter().any(Parameter::is_required)
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
    let list = ParameterList::behind_parenthesis(list);
    list.is_whole.then(|| list.parameters.into_iter().map(parameter).collect())
}

fn parameter(text: &str) -> Parameter<'_> {
    let name = text.split(':').next().unwrap_or_default();
    let label = name.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    let has_default = text.match_indices('=').any(|(at, _)| !text[at + 1..].starts_with('>'));
    let is_repeated = text.contains("...")
        || text.ends_with('*')
        || text.split_whitespace().any(|word| matches!(word, "params" | "vararg"));
    let ty = text.split_once(':').map_or("", |(_, ty)| ty.split('=').next().unwrap_or_default());
    let ty = ty.trim().trim_end_matches(['?', '!']);
    Parameter {
        label: label.trim_matches('`'),
        // An extension is called on its first parameter.
        is_optional: has_default || text.starts_with("this "),
        is_repeated,
        is_function: text.contains("->"),
        may_be_function: !is_repeated && !ty.starts_with(['[', '(']) && !PLAIN_TYPES.contains(&ty),
    }
}

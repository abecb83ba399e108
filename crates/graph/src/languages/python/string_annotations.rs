//! Types that are written as strings.

use crate::{facts::TypeId, lowering::LoweringContext, syntax::SyntaxNode};

/// A type written as a string: `"pkg.Name"`, `"Name[Arg]"`.
pub(crate) fn forward<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let text = lower.text(node).trim_matches(['"', '\'']);
    text_type(lower, text, node, 0)
}

pub(crate) fn text_type(
    lower: &mut LoweringContext<'_>,
    text: &str,
    node: SyntaxNode<'_>,
    depth: u32,
) -> TypeId {
    let text = text.trim();
    if depth > 8 || text.is_empty() || text == "None" {
        return TypeId::UNKNOWN;
    }
    if let Some(parts) = split_outside(text, '|') {
        let types = parts.into_iter().map(|part| text_type(lower, part, node, depth + 1)).collect();
        return lower.push_type(crate::facts::TypeExpr::Union(types));
    }
    let (name, args) = match text.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']').unwrap_or(rest)),
        None => (text, ""),
    };
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') {
        return TypeId::UNKNOWN;
    }
    let path = name.split('.').map(|part| lower.sym(part.trim())).collect();
    let args = if args.is_empty() {
        Vec::new()
    } else {
        split_outside(args, ',').unwrap_or_else(|| vec![args])
    };
    let args = args.into_iter().map(|arg| text_type(lower, arg, node, depth + 1)).collect();
    lower.named(path, args, node)
}

/// Splits at `at` where no bracket is open; `None` when it isn't there.
pub(crate) fn split_outside(text: &str, at: char) -> Option<Vec<&str>> {
    let (mut open, mut start, mut parts) = (0i32, 0, Vec::new());
    for (place, c) in text.char_indices() {
        match c {
            '[' | '(' => open += 1,
            ']' | ')' => open -= 1,
            c if c == at && open == 0 => {
                parts.push(&text[start..place]);
                start = place + c.len_utf8();
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(&text[start..]);
    Some(parts)
}

//! Rewrites source that the grammar misreads: lines of a type's body that begin with type parameters, `<T>(of: T): void`. The
//! grammar takes them for the rest of the line before, where that ends without a semicolon, and loses the body.

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

/// Puts a semicolon before such lines, in place of a blank. Between elements of JSX it is text.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn separated(
    source: &str,
    budget: &WorkBudget,
) -> Result<Option<String>, WorkBudgetExhausted> {
    let mut plain = String::with_capacity(source.len());
    let mut may_end = false;
    for line in source.split_inclusive('\n') {
        budget.spend(1)?;
        let text = line.trim_start_matches([' ', '\t']);
        let blank = line.len() - text.len();
        if may_end && blank > 0 && begins_with_parameters(text) {
            plain.push_str(&line[..blank - 1]);
            plain.push(';');
            plain.push_str(text);
        } else {
            plain.push_str(line);
        }
        let text = text.trim_end();
        if !(text.is_empty() || ["//", "/*", "*"].iter().any(|mark| text.starts_with(mark))) {
            may_end = ends_type(text);
        }
    }
    Ok((plain != source).then_some(plain))
}

fn begins_with_parameters(text: &str) -> bool {
    text.strip_prefix('<')
        .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(char::is_alphabetic))
}

/// Whether a line may end with a type.
fn ends_type(text: &str) -> bool {
    let is_part =
        |char: char| char.is_alphanumeric() || matches!(char, '_' | ']' | ')' | '}' | '>');
    text.ends_with(is_part) && !text.ends_with("=>")
}

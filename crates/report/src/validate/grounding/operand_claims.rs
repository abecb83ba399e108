//! Numbers that a text says of an operation: "total + 1", "while `alive` is 0".

use std::sync::LazyLock;

use regex::Regex;

use super::{
    code_names::{NAME, own_name},
    evidence::{RunEvidence, folded, words_of},
};
use crate::prose::literal_regex;

/// Finds an operand of a name, or a number that it is compared with, where the delivered lines have that operator
/// behind the name with other numbers only.
pub(super) fn wrong_operand(text: &str, evidence: &RunEvidence<'_>) -> Option<String> {
    static OPERATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"(?:\b(?P<if>if|when|while|unless|until|once|as\s+long\s+as)\s+)?{NAME}\s*(?P<op>\+|−|-|\*|/|%|==|===|!=|\bis\b)\s*`?(?P<number>\d+(?:\.\d+)?)\b"
        ))
    });
    OPERATION.as_ref()?.captures_iter(text).find_map(|found| {
        let name = own_name(found.get(1)?.as_str());
        let (sign, number) = (found.name("op")?.as_str(), found.name("number")?.as_str());
        let is_condition = sign == "is";
        if is_condition && found.name("if").is_none()
            || text[found.get(0)?.end()..].starts_with('.')
        {
            return None;
        }
        let sign = match sign {
            "is" | "==" | "===" | "!=" => "=",
            "−" => "-",
            sign => sign,
        };
        let operands: Vec<&str> = evidence
            .current_lines()
            .flat_map(|(_, _, line)| operands_in(line, name, sign))
            .collect();
        let is_wrong = !operands.is_empty() && !operands.contains(&number);
        is_wrong.then(|| format!("{number} is not what \"{name}\" is taken with"))
    })
}

/// Returns the numbers behind `name` and an operator in a line. Comparisons of any kind with a number are `=`.
fn operands_in<'l>(line: &'l str, name: &str, sign: &str) -> Vec<&'l str> {
    static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"^[)\]\s]*(===?|!==?|~=|[<>]=?|\+|-|\*|/|%)\s*(\d+(?:\.\d+)?)\b")
    });
    let Some(behind) = BEHIND.as_ref() else { return Vec::new() };
    let wanted = folded(name);
    let mut end = 0;
    let mut all = Vec::new();
    for word in words_of(line) {
        end += line[end..].find(word).unwrap_or_default() + word.len();
        if folded(word) != wanted {
            continue;
        }
        let Some(found) = behind.captures(&line[end..]) else { continue };
        let (Some(operator), Some(number)) = (found.get(1), found.get(2)) else { continue };
        let operator = operator.as_str();
        let is_comparison = operator.contains(['=', '<', '>']);
        if operator == sign || (is_comparison && sign == "=") {
            all.push(number.as_str());
        }
    }
    all
}

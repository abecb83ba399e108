//! The typed results of tools, for clients that read data instead of text, within the same limit as the text.

use serde_json::Value;

use retriever_workspace::estimate_tokens;

/// Returns `typed` with at most about `max_tokens` tokens: its longest lists lose their last items, and its outcome says
/// `truncated`. Every schema that `typed` conforms to still holds.
pub(super) fn bounded(mut typed: Value, max_tokens: u64) -> Value {
    let mut tokens = tokens_of(&typed);
    while tokens > max_tokens {
        let surplus = tokens - max_tokens;
        let Some(list) = longest_list(&mut typed) else { break };
        let mut removed = 0;
        while removed < surplus {
            let Some(item) = list.pop() else { break };
            removed += tokens_of(&item) + 1;
        }
        if let Some(outcome) = typed.get_mut("outcome") {
            *outcome = "truncated".into();
        }
        tokens = tokens_of(&typed);
    }
    typed
}

/// Returns the field that is the longest list with items.
fn longest_list(typed: &mut Value) -> Option<&mut Vec<Value>> {
    let lists = typed.as_object_mut()?.values_mut().filter_map(Value::as_array_mut);
    let size = |list: &Vec<Value>| list.iter().map(tokens_of).sum::<u64>();
    lists.filter(|list| !list.is_empty()).max_by_key(|list| size(list))
}

fn tokens_of(value: &Value) -> u64 {
    estimate_tokens(&value.to_string())
}

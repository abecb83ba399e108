//! The typed results of tools, for clients that read data instead of text, within the same limit as the text.

use serde_json::Value;

use retriever_workspace::estimate_tokens;

/// The lists that a call pages through with `offset`. A result has one of them.
const PAGED_LISTS: &[&str] = &["matches", "files", "answers"];

/// Returns `typed` with at most about `max_tokens` tokens: its longest lists lose their last items, and its outcome says
/// `truncated`. The page, which begins at `offset`, then ends where its list does. Every schema that `typed` conforms to still
/// holds.
pub(super) fn bounded(mut typed: Value, max_tokens: u64, offset: u64) -> Value {
    let listed = paged_list(&typed).map(|(_, list)| list.len());
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
    let kept = paged_list(&typed).map(|(name, list)| (name, list.len()));
    if let Some((name, kept)) = kept
        && listed.is_some_and(|listed| listed > kept)
    {
        end_page(&mut typed, name, offset + kept as u64);
    }
    typed
}

/// Sets where the next page begins.
fn end_page(typed: &mut Value, list: &str, end: u64) {
    let Some(fields) = typed.as_object_mut() else { return };
    let note = format!("these {list} end here for want of room: call again with offset {end}");
    let notes = fields.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
    if let Some(notes) = notes.as_array_mut() {
        notes.insert(0, note.into());
    }
    // `graph` names the call that continues in its notes only.
    if list != "answers" {
        fields.insert("next_offset".to_owned(), end.into());
    }
}

fn paged_list(typed: &Value) -> Option<(&'static str, &Vec<Value>)> {
    PAGED_LISTS.iter().find_map(|name| Some((*name, typed.get(name)?.as_array()?)))
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

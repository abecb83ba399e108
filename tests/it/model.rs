//! Models as they really answer: shapes, failures, refusals, recordings. Everything goes over a real socket.

mod actions;
mod answers;
mod cassettes;
mod failures;
mod providers;
mod requests;

use retriever::model::{ChatResponse, ModelFinishReason};

/// What an answer says, short enough for a table: text, calls, how it ended.
fn gist(response: &ChatResponse) -> String {
    let calls = response.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    let text = response.content.clone().map(|text| format!("{text:?}"));
    let end = match response.finish {
        ModelFinishReason::Done => None,
        ModelFinishReason::Length => Some("<length>".to_owned()),
        ModelFinishReason::Filtered => Some("<filtered>".to_owned()),
    };
    text.into_iter().chain(calls).chain(end).collect::<Vec<_>>().join(" ")
}

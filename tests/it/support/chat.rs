//! A conversation to put to a model without an agent around it.

use std::time::{Duration, Instant};

use retriever::{
    model::{ChatModel, ChatRequest, ChatResponse, Message, ModelError, ToolCall, ToolChoice},
    tools::ToolSpec,
};
use serde_json::json;

/// A conversation with two tools, `grep` and `submit_report`.
pub(crate) struct Chat {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<ToolSpec>,
    pub(crate) time: Duration,
    forced: Option<&'static str>,
}

impl Chat {
    /// The opening: rules and a question.
    pub(crate) fn new() -> Self {
        let parameters = json!({"type": "object", "properties": {"pattern": {"type": "string"}}});
        let tool = |name, description: &str| ToolSpec {
            name,
            description: description.to_owned(),
            parameters: parameters.clone(),
        };
        Self {
            messages: vec![
                Message::System { content: "rules".to_owned() },
                Message::User { content: "where is it?".to_owned() },
            ],
            tools: vec![tool("grep", "Search."), tool("submit_report", "Finish.")],
            time: Duration::from_secs(10),
            forced: None,
        }
    }

    /// Asks for a call of this tool.
    pub(crate) fn force(mut self, tool: &'static str) -> Self {
        self.forced = Some(tool);
        self
    }

    /// Limits the time of one answer.
    pub(crate) fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Adds a call and its answer.
    pub(crate) fn called(mut self, id: &str, arguments: &str) -> Self {
        let (id, name) = (id.to_owned(), "grep".to_owned());
        let call = ToolCall { id: id.clone(), name: name.clone(), arguments: arguments.to_owned() };
        self.messages.push(Message::Assistant { content: None, calls: vec![call] });
        self.messages.push(Message::Tool { call_id: id, name, content: "no match".to_owned() });
        self
    }

    /// Adds what the model answered, and an answer to each of its calls.
    pub(crate) fn answered(&mut self, response: &ChatResponse) {
        self.messages.push(Message::Assistant {
            content: response.content.clone(),
            calls: response.calls.clone(),
        });
        for call in &response.calls {
            self.messages.push(Message::Tool {
                call_id: call.id.clone(),
                name: call.name.clone(),
                content: "no match".to_owned(),
            });
        }
    }

    /// Puts the conversation to `model`.
    pub(crate) async fn ask(&self, model: &dyn ChatModel) -> Result<ChatResponse, ModelError> {
        let request = ChatRequest {
            messages: &self.messages,
            tools: &self.tools,
            tool_choice: self.forced.map_or(ToolChoice::Auto, ToolChoice::Named),
            deadline: Instant::now() + self.time,
        };
        model.complete(&request).await
    }
}

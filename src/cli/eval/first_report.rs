//! Wraps a model and keeps the first report that it submits, unvalidated. This measures the effect of the validator without
//! a way to switch it off.

use std::sync::{Arc, OnceLock};

use futures::future::{BoxFuture, FutureExt};
use retriever::{
    ledger::Ledger,
    model::{ChatModel, ChatRequest, ChatResponse, ModelError},
    report::{self, Author, Draft, ParsedReport, SUBMIT},
};
use retriever_eval::CitedPlace;

/// Records the first report of a run.
pub(super) struct FirstReport {
    model: Arc<dyn ChatModel>,
    draft: OnceLock<Draft>,
}

impl FirstReport {
    pub(super) fn new(model: Arc<dyn ChatModel>) -> Self {
        Self { model, draft: OnceLock::new() }
    }

    /// Returns the places of the first report, none when there was no report. `ledger` is the run's, `root` the absolute path
    /// of the checkout.
    pub(super) fn places(&self, ledger: &Ledger, root: &str) -> Vec<CitedPlace> {
        let Some(draft) = self.draft.get() else { return Vec::new() };
        let places = report::claimed_places(draft, ledger, root).into_iter();
        places.map(|(path, range)| CitedPlace { path, range }).collect()
    }

    fn record(&self, response: &ChatResponse) {
        let parsed = match response.calls.iter().find(|call| call.name == SUBMIT) {
            Some(call) => match serde_json::from_str(&call.arguments) {
                Ok(arguments) => Some(report::parse(&arguments)),
                Err(_) => report::parse_text(&call.arguments),
            },
            None if response.calls.is_empty() => {
                response.content.as_deref().and_then(report::parse_text)
            }
            None => None,
        };
        if let Some(ParsedReport { draft: Some(draft), .. }) = parsed {
            self.draft.get_or_init(|| draft);
        }
    }
}

impl ChatModel for FirstReport {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn author(&self) -> Author {
        self.model.author()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        async move {
            let response = self.model.complete(request).await?;
            self.record(&response);
            Ok(response)
        }
        .boxed()
    }
}

//! A model that is watched: it answers as the model inside does, and keeps the places of the first report that was
//! submitted, as written. So what the validator changes can be measured without a way around it in the program.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt};

use crate::{
    eval::score::Cited,
    model::{ChatModel, ChatRequest, ChatResponse, ModelError},
};
use retriever_report::{Author, ParsedReport, SUBMIT, ledger::Ledger};

/// The watched model.
pub(super) struct Witness {
    inner: Arc<dyn ChatModel>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Absolute path of the checkout, only to read spellings.
    root: String,
    places: Option<Vec<Cited>>,
}

impl Witness {
    pub(super) fn new(inner: Arc<dyn ChatModel>) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    /// Starts to watch a run over the checkout at `root`.
    pub(super) fn watch(&self, root: &str) {
        *self.seen() = Seen { root: root.to_owned(), places: None };
    }

    /// The places of the first report; none when there was no report.
    pub(super) fn places(&self) -> Vec<Cited> {
        self.seen().places.clone().unwrap_or_default()
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, response: &ChatResponse, ledger: &Ledger) {
        let mut seen = self.seen();
        if seen.places.is_some() {
            return;
        }
        let call = response.calls.iter().find(|call| call.name == SUBMIT);
        let parsed = match call {
            Some(call) => match serde_json::from_str(&call.arguments) {
                Ok(arguments) => Some(retriever_report::parse(&arguments)),
                Err(_) => retriever_report::parse_text(&call.arguments),
            },
            None if response.calls.is_empty() => {
                response.content.as_deref().and_then(retriever_report::parse_text)
            }
            None => None,
        };
        let Some(ParsedReport { draft: Some(draft), .. }) = parsed else { return };
        let places = retriever_report::claimed_places(&draft, ledger, &seen.root);
        seen.places = Some(places.into_iter().map(|(path, range)| Cited { path, range }).collect());
    }
}

impl ChatModel for Witness {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn author(&self) -> Author {
        self.inner.author()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        async move {
            let response = self.inner.complete(request).await?;
            self.look(&response, request.situation.ledger);
            Ok(response)
        }
        .boxed()
    }
}

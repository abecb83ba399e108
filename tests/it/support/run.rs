//! A question put to a fixture through the library, with a scripted endpoint for a model, and what came of it.

use std::sync::{Arc, Mutex};

use retriever::{
    AskAnswer, AskError, ModelFailurePolicy, Observer, Question, Retriever, RunEvent, RunOptions,
    config::BudgetConfig,
    report::{CodeMap, Place},
};
use tokio_util::sync::CancellationToken;

use super::{fixture::Fixture, model_server::ModelServer};

/// Keeps every event.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<RunEvent>>);

impl Observer for Events {
    fn on_event(&self, event: &RunEvent) {
        self.0.lock().unwrap().push(event.clone());
    }
}

impl Events {
    /// The events so far.
    pub(crate) fn all(&self) -> Vec<RunEvent> {
        self.0.lock().unwrap().clone()
    }
}

/// One question, ready to be put.
pub(crate) struct Asking<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) question: Question,
    pub(crate) budget: BudgetConfig,
    pub(crate) fallback: ModelFailurePolicy,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Arc<Events>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(fixture: &'a Fixture, question: &str) -> Self {
        Self {
            fixture,
            question: Question::new(question),
            budget: BudgetConfig::default(),
            fallback: ModelFailurePolicy::Allow,
            cancel: CancellationToken::new(),
            events: Arc::default(),
        }
    }

    /// Puts the question to the scripted endpoint.
    pub(crate) async fn ask(&self, server: &ModelServer) -> Result<AskAnswer, AskError> {
        let retriever = Retriever::builder(self.fixture.root())
            .model(Arc::new(server.model()))
            .build()
            .unwrap();
        retriever.ask(self.question.clone(), self.options()).await
    }

    /// Puts the question to the offline driver.
    pub(crate) async fn ask_offline(&self) -> AskAnswer {
        let retriever = Retriever::builder(self.fixture.root()).build().unwrap();
        retriever.ask(self.question.clone(), self.options()).await.unwrap()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            budget: self.budget.clone(),
            cancel: self.cancel.clone(),
            observer: Some(Arc::clone(&self.events) as Arc<dyn Observer>),
            fallback: self.fallback,
            ..RunOptions::default()
        }
    }
}

/// Every place that a map cites, without its session ID.
pub(crate) fn places(map: &CodeMap) -> Vec<Place> {
    map.places().map(|place| Place { id: None, ..place.clone() }).collect()
}

//! A question put to a fixture through the library, with a scripted endpoint for a model, and what came of it.

use std::sync::{Arc, Mutex};

use retriever::{
    Answer, AskError, Event, FallbackPolicy, Observer, Question, Retriever, RunOptions,
    config::BudgetConfig,
    report::{CodeMap, Place},
};
use tokio_util::sync::CancellationToken;

use super::{fixture::Fixture, model_server::ModelServer};

/// Keeps every event.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<Event>>);

impl Observer for Events {
    fn on_event(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

impl Events {
    /// The events so far.
    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

/// One question, ready to be put.
pub(crate) struct Asking<'a> {
    pub(crate) fixture: &'a Fixture,
    pub(crate) question: Question,
    pub(crate) budget: BudgetConfig,
    pub(crate) fallback: FallbackPolicy,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Arc<Events>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(fixture: &'a Fixture, question: &str) -> Self {
        Self {
            fixture,
            question: Question::new(question),
            budget: BudgetConfig::default(),
            fallback: FallbackPolicy::Allow,
            cancel: CancellationToken::new(),
            events: Arc::default(),
        }
    }

    /// Puts the question to the scripted endpoint.
    pub(crate) async fn ask(&self, server: &ModelServer) -> Result<Answer, AskError> {
        let retriever = Retriever::builder(self.fixture.root())
            .model(Arc::new(server.model()))
            .build()
            .unwrap();
        retriever.ask(self.question.clone(), self.options()).await
    }

    /// Puts the question to the offline driver.
    pub(crate) async fn ask_offline(&self) -> Answer {
        let retriever = Retriever::builder(self.fixture.root()).build().unwrap();
        retriever.ask(self.question.clone(), self.options()).await.unwrap()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            budget: self.budget.clone(),
            cancel: self.cancel.clone(),
            observer: Some(Arc::clone(&self.events) as Arc<dyn Observer>),
            fallback: self.fallback,
        }
    }
}

/// Every place that a map cites.
pub(crate) fn places(map: &CodeMap) -> Vec<Place> {
    let place = |path: &str, start, end| Place { path: path.to_owned(), start, end, id: None };
    let mut places: Vec<Place> =
        map.primary.iter().map(|p| place(&p.path, p.start, p.end)).collect();
    places.extend(map.secondary.iter().map(|p| place(&p.path, p.start, p.end)));
    places.extend(map.read_targets.iter().map(|p| place(&p.path, p.start, p.end)));
    places.extend(map.findings.iter().flat_map(|finding| finding.refs.clone()));
    places
}

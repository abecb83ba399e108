//! The embedding model of a root with its vectors: computes the vector of a question, computes missing vectors in the
//! background, and pauses after a failure of the model.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use retriever_search::{Embedder, EmbeddingError, FullTextSnapshot, SimilarPlaces, VectorIndex};
use retriever_workspace::{Cancellation, Workspace};

/// How long a model is not used after a failure.
const PAUSE: Duration = Duration::from_secs(60);
const NO_VECTORS: &str = "the question was answered without the embedding model: \
    there are no vectors yet; retriever index makes them";

/// The configured embedding model and the vectors that it made of a root.
pub struct ConfiguredEmbedding {
    vectors: VectorIndex,
    /// Ends the work in the background.
    ended: Cancellation,
    is_refreshing: AtomicBool,
    failure: Mutex<Failure>,
}

#[derive(Default)]
struct Failure {
    at: Option<Instant>,
    warnings: Vec<String>,
    /// The last warning, which is not repeated.
    told: String,
}

impl ConfiguredEmbedding {
    /// Returns the vectors of `embedder`, stored in `folder`, which belongs to the workspace. Nothing is read or sent
    /// yet.
    pub fn new(folder: Option<&Path>, embedder: Arc<dyn Embedder>) -> Self {
        Self {
            vectors: VectorIndex::new(folder, embedder),
            ended: Cancellation::new(),
            is_refreshing: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    /// The vectors.
    pub fn vectors(&self) -> &VectorIndex {
        &self.vectors
    }

    /// Returns the vector of a question; `None` when there are no vectors to compare it with, or when the model fails,
    /// which adds a warning. Blocks for the configured time at most.
    pub fn question_vector(&self, question: &str, cancellation: &Cancellation) -> Option<Vec<f32>> {
        if self.is_paused() {
            return None;
        }
        if self.vectors.snapshot().is_empty() {
            self.warn(NO_VECTORS.to_owned());
            return None;
        }
        match self.vectors.embedder().embed_question(question, cancellation) {
            Ok(vector) => Some(vector),
            Err(error) => {
                self.failed(&error, "the question was answered without the embedding model");
                None
            }
        }
    }

    /// Computes the missing vectors of the files of `words` on a separate thread, unless one is running.
    pub fn refresh_in_background(
        self: &Arc<Self>,
        workspace: &Arc<Workspace>,
        words: &Arc<FullTextSnapshot>,
    ) {
        if self.is_paused() || self.is_refreshing.swap(true, Ordering::AcqRel) {
            return;
        }
        let (embedding, workspace, words) =
            (Arc::clone(self), Arc::clone(workspace), Arc::clone(words));
        let refresh = move || {
            // Also reset after a panic, so that the next question can try again.
            let _ended = EndOfRefresh(&embedding.is_refreshing);
            let done = embedding.vectors.refresh(&workspace, &words, &|_, _| (), &embedding.ended);
            if let Err(error) = done {
                embedding.failed(&error, "some files have no vectors yet");
            }
        };
        // Without a thread no vectors are computed.
        if std::thread::Builder::new().name("vectors".to_owned()).spawn(refresh).is_err() {
            self.is_refreshing.store(false, Ordering::Release);
        }
    }

    /// Whether the model is paused after a failure.
    pub fn is_paused(&self) -> bool {
        self.lock().at.is_some_and(|at| at.elapsed() < PAUSE)
    }

    /// Returns the problems so far, one sentence each. Each is returned once.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().warnings)
    }

    fn failed(&self, error: &EmbeddingError, consequence: &str) {
        if *error == EmbeddingError::Cancelled {
            return;
        }
        self.lock().at = Some(Instant::now());
        self.warn(format!("{consequence}: {error}"));
    }

    fn warn(&self, warning: String) {
        let mut failure = self.lock();
        if failure.told != warning {
            failure.told.clone_from(&warning);
            failure.warnings.push(warning);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The embedding of a root that answers questions. Dropping it ends its background work.
pub(crate) struct EmbeddingHandle(pub(crate) Arc<ConfiguredEmbedding>);

impl Drop for EmbeddingHandle {
    fn drop(&mut self) {
        self.0.ended.cancel();
    }
}

/// Records that no refresh is running when it is dropped.
struct EndOfRefresh<'a>(&'a AtomicBool);

impl Drop for EndOfRefresh<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The vector of one question, which is requested while the index is prepared.
pub(crate) struct QuestionVector<'a> {
    embedding: Option<&'a EmbeddingHandle>,
    question: &'a str,
    cancellation: &'a Cancellation,
    vector: OnceLock<Option<Vec<f32>>>,
}

impl<'a> QuestionVector<'a> {
    pub(crate) fn new(
        embedding: Option<&'a EmbeddingHandle>,
        question: &'a str,
        cancellation: &'a Cancellation,
    ) -> Self {
        Self { embedding, question, cancellation, vector: OnceLock::new() }
    }

    /// Returns the vector; requests it, or waits for the thread that does.
    pub(crate) fn fetch(&self) -> Option<&[f32]> {
        let EmbeddingHandle(embedding) = self.embedding?;
        let ask = || embedding.question_vector(self.question, self.cancellation);
        self.vector.get_or_init(ask).as_deref()
    }

    /// Returns the places among the files of `words` that are similar to the question.
    pub(crate) fn similar_places(&self, words: &FullTextSnapshot) -> Option<SimilarPlaces> {
        let vectors = self.embedding?.0.vectors();
        vectors.similar_places(self.fetch()?, words, self.cancellation)
    }

    /// Starts to compute the missing vectors of the files of `words`.
    pub(crate) fn refresh(&self, workspace: &Arc<Workspace>, words: &Arc<FullTextSnapshot>) {
        if let Some(EmbeddingHandle(embedding)) = self.embedding {
            embedding.refresh_in_background(workspace, words);
        }
    }
}

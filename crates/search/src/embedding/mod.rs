//! Vectors of declarations and of file heads by an embedding model of the user's, and the places whose vectors are closest to a
//! question's.
//!
//! Design notes.
//!
//! *What makes vectors is not here.* An [`Embedder`] turns texts into vectors; the program brings one that asks an endpoint
//! and one that reads a table from a file, of which [`reduced_static_model`] takes what a short text needs. Without one nothing
//! of this module runs.
//!
//! *Vectors are content-keyed.* A text ([`embedded_texts`]) has the hash of its bytes as its key, a file that of its content. Of a
//! file that changed, only texts that are new are embedded. What depends on another model, or on another way to make texts,
//! is of another store.
//!
//! *The store is a log* ([`vector_log_format`]): a checksummed record for each file, appended once all its vectors are there. A process that
//! is killed loses the batch that it was at. What is damaged is left out and made anew; the log is written anew when much of
//! it is of no use, and when a file in it has become a secret.
//!
//! *Search is exact.* Vectors are bytes with one scale each ([`quantised_vector`]), and every one is multiplied with the
//! question's.
//!
//! *Similarity is relative.* What a cosine means differs from model to model, so a place counts by how many standard deviations
//! it stands above the mean of all places ([`similar_places`]).

mod embedded_texts;
mod embedder;
mod quantised_vector;
mod similar_places;
mod static_model_reduction;
mod tokenizer_pieces;
mod vector_index;
mod vector_log_format;
mod vector_log_writer;
mod vector_snapshot;

pub use self::{
    embedder::{Embedder, EmbeddingError},
    quantised_vector::QuantisedVector,
    similar_places::SimilarPlaces,
    static_model_reduction::{
        ReducedStaticModel, StaticModelError, check_static_model, reduced_static_model,
    },
    vector_index::{VectorCount, VectorIndex},
    vector_snapshot::VectorSnapshot,
};

//! Chunk vectors: what the parts of a file are about. A chunk is a declared name with the comment above it and the
//! first words below it.

use super::{file_words::WordOccurrence, source_tokenizer::TermField};
use crate::words::{MeasuredVector, TextVector, WordVectorId};

/// Weights of the parts of a chunk, and words of one part that are read.
const NAME: f32 = 1.0;
const COMMENT: f32 = 0.7;
const BODY: f32 = 0.5;
const MAX_WORDS: u32 = 60;
/// Lines between a comment and the name that it belongs to, at most: attributes and types stand there.
const MAX_GAP: u32 = 4;

/// A part of a chunk.
#[derive(Default)]
struct Part {
    vector: TextVector,
    words: u32,
}

impl Part {
    fn add(&mut self, word: WordVectorId) {
        if self.words < MAX_WORDS && word.is_content() {
            self.vector.add(word, 1.0);
            self.words += 1;
        }
    }

    fn append(&mut self, other: &Self) {
        self.vector.add_vector(&other.vector, 1.0);
        self.words += other.words;
    }

    fn clear(&mut self) {
        self.vector.clear();
        self.words = 0;
    }
}

/// Makes the vectors of the chunks of a file, word by word.
#[derive(Default)]
pub(super) struct ChunkVectors {
    name: Part,
    comment: Part,
    body: Part,
    /// A comment of which the name is not yet known, and its last line.
    open_comment: Part,
    open_comment_line: u32,
    ended: Vec<MeasuredVector>,
}

impl ChunkVectors {
    /// Returns the vectors of all chunks, in order.
    pub(super) fn finish(mut self) -> Vec<MeasuredVector> {
        self.end_chunk();
        self.ended
    }

    /// Takes the next word.
    pub(super) fn add(&mut self, word: &WordOccurrence) {
        match word.field {
            TermField::Declared if !word.continues => {
                let is_near = word.line <= self.open_comment_line + MAX_GAP;
                if !is_near {
                    self.close_comment();
                }
                self.end_chunk();
                std::mem::swap(&mut self.comment, &mut self.open_comment);
                self.open_comment.clear();
                self.name.add(word.vector);
            }
            TermField::Declared => self.name.add(word.vector),
            TermField::Comment if !word.in_doc_string => {
                if word.line > self.open_comment_line + 1 {
                    self.close_comment();
                }
                self.open_comment_line = word.line;
                self.open_comment.add(word.vector);
            }
            TermField::Comment => self.comment.add(word.vector),
            TermField::Body => self.body.add(word.vector),
        }
    }

    /// Gives the open comment to the chunk that it stands in.
    fn close_comment(&mut self) {
        self.comment.append(&self.open_comment);
        self.open_comment.clear();
    }

    fn end_chunk(&mut self) {
        if self.name.words + self.comment.words > 0 {
            let mut chunk = TextVector::default();
            let parts = [(&self.name, NAME), (&self.comment, COMMENT), (&self.body, BODY)];
            for (part, weight) in parts {
                let weight = weight / (part.words.max(1) as f32).sqrt();
                chunk.add_vector(&part.vector, weight);
            }
            self.ended.push(chunk.measured());
        }
        self.name.clear();
        self.comment.clear();
        self.body.clear();
    }
}

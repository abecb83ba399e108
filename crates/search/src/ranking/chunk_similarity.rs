//! What a file is about: its text falls into topics, each a name that a line declares with the comment above it and the first words
//! below it, and those that mean most like the question speak for the file, also where they share no word with it. What the likeness
//! is worth is [`crate::ranking::passages`]'s to say.

use crate::{
    index::{decoded_text::WordOccurrence, term_matcher::Field},
    words::vectors::{TextVector, VectorId},
};

/// What a topic's parts count, and words of one part that are looked at.
const NAME: f32 = 1.0;
const ABOVE: f32 = 0.7;
const BELOW: f32 = 0.5;
const MAX_WORDS: u32 = 60;
/// Lines between a comment and the name that it is about, at most: attributes and types stand there.
const BETWEEN: u32 = 4;
/// ChunkSimilarity that speak for their file.
const SPEAKERS: usize = 3;

/// IndexSnapshot, and how many of them there are.
#[derive(Default)]
struct Part {
    meaning: TextVector,
    words: u32,
}

impl Part {
    fn add(&mut self, word: VectorId) {
        if self.words < MAX_WORDS && word.says_something() {
            self.meaning.add(word, 1.0);
            self.words += 1;
        }
    }

    fn join(&mut self, other: &Self) {
        self.meaning.join(&other.meaning, 1.0);
        self.words += other.words;
    }

    fn clear(&mut self) {
        self.meaning.clear();
        self.words = 0;
    }
}

/// The topic of a text that is being read, and those before it.
pub(crate) struct ChunkSimilarity<'a> {
    asked: &'a TextVector,
    name: Part,
    above: Part,
    below: Part,
    /// A comment of which it is not known yet what it is about, and its last line.
    comment: Part,
    comment_line: u32,
    whole: TextVector,
    /// How alike the topics are that are most alike, most first.
    best: [f64; SPEAKERS],
    count: usize,
}

impl<'a> ChunkSimilarity<'a> {
    /// Returns those of a text of which nothing was read, to be compared with a question.
    pub(crate) fn new(asked: &'a TextVector) -> Self {
        Self {
            asked,
            name: Part::default(),
            above: Part::default(),
            below: Part::default(),
            comment: Part::default(),
            comment_line: 0,
            whole: TextVector::default(),
            best: [0.0; SPEAKERS],
            count: 0,
        }
    }

    /// Returns how alike the most alike topics and the question are in meaning: their mean; 0 of a text without any.
    pub(crate) fn likeness(mut self) -> f64 {
        self.close();
        let speakers = self.count.min(SPEAKERS);
        self.best[..speakers].iter().sum::<f64>() / speakers.max(1) as f64
    }

    /// Reads the next word.
    pub(crate) fn read(&mut self, word: &WordOccurrence) {
        match word.field {
            Field::Declared if !word.goes_on => {
                let is_near = word.line <= self.comment_line + BETWEEN;
                if !is_near {
                    self.settle();
                }
                self.close();
                std::mem::swap(&mut self.above, &mut self.comment);
                self.comment.clear();
                self.name.add(word.sense);
            }
            Field::Declared => self.name.add(word.sense),
            Field::Comment if !word.in_doc => {
                if word.line > self.comment_line + 1 {
                    self.settle();
                }
                self.comment_line = word.line;
                self.comment.add(word.sense);
            }
            Field::Comment => self.above.add(word.sense),
            Field::Body => self.below.add(word.sense),
        }
    }

    /// Gives a comment to the topic that it stands in.
    fn settle(&mut self) {
        self.above.join(&self.comment);
        self.comment.clear();
    }

    /// Ends the topic.
    fn close(&mut self) {
        if self.name.words + self.above.words > 0 {
            self.whole.clear();
            for (part, worth) in [(&self.name, NAME), (&self.above, ABOVE), (&self.below, BELOW)] {
                self.whole.join(&part.meaning, worth / (part.words.max(1) as f32).sqrt());
            }
            let mut likeness = self.whole.likeness(self.asked);
            self.count += 1;
            for best in &mut self.best {
                if likeness > *best {
                    std::mem::swap(best, &mut likeness);
                }
            }
        }
        self.name.clear();
        self.above.clear();
        self.below.clear();
    }
}

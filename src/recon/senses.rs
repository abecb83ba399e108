//! What words mean: vectors of stems, learnt from how comments and the code below them are worded, and how alike two texts are
//! by them. The table is made by `evals/senses/` and read in place; what a likeness is worth is the ranking's to say.

use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::words::{self, Weight};

/// The table: its magic, how many stems and dimensions there are, where each stem begins, the stems, their weights and their
/// vectors; numbers are of 32 bits, little end first.
const TABLE: &[u8] = include_bytes!("senses.bin");
/// How it begins; the number counts its forms.
const MAGIC: &[u8] = b"senses 1";
const HEADER: usize = 16;
/// Length of a vector as it is kept, where each part is a signed byte.
const UNIT: f32 = 127.0;
/// Words of a text that are looked at.
const MAX_WORDS: usize = 60;

/// Stems with what they mean; sorted, so that a stem is found by halving.
struct Senses {
    /// Where each stem begins in `stems`, and where the last ends.
    starts: &'static [u8],
    stems: &'static [u8],
    /// By stem: how much it says, in 255ths.
    weights: &'static [u8],
    vectors: &'static [u8],
    dimensions: usize,
}

impl Senses {
    /// Returns the table; one that can't be read has no words.
    fn table() -> &'static Self {
        static SENSES: LazyLock<Senses> = LazyLock::new(|| Senses::read(TABLE).unwrap_or(EMPTY));
        &SENSES
    }

    fn read(table: &'static [u8]) -> Option<Self> {
        let (header, rest) = table.split_at_checked(HEADER)?;
        let count = number(header, 8)?;
        let dimensions = number(header, 12)?;
        let (starts, rest) = rest.split_at_checked(4 * (count + 1))?;
        let (stems, rest) = rest.split_at_checked(number(starts, 4 * count)?)?;
        let (weights, vectors) = rest.split_at_checked(count)?;
        let whole = header.starts_with(MAGIC) && vectors.len() == count * dimensions;
        whole.then_some(Self { starts, stems, weights, vectors, dimensions })
    }

    fn stem(&self, index: usize) -> &'static [u8] {
        let range = number(self.starts, 4 * index).zip(number(self.starts, 4 * index + 4));
        range.and_then(|(start, end)| self.stems.get(start..end)).unwrap_or_default()
    }

    fn find(&self, stem: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.weights.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.stem(middle).cmp(stem.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn vector(&self, index: usize) -> &'static [u8] {
        self.vectors.get(index * self.dimensions..(index + 1) * self.dimensions).unwrap_or_default()
    }
}

const EMPTY: Senses = Senses { starts: &[], stems: &[], weights: &[], vectors: &[], dimensions: 0 };

/// Reads the number at a place of the table.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// What a text means: the sum of what its words mean, those that say little counting little.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning(Vec<f32>);

impl Meaning {
    /// Adds the word of a stem; one that isn't known adds nothing.
    pub(super) fn add(&mut self, stem: &str, worth: f64) {
        if let Some(index) = Senses::table().find(stem) {
            self.add_at(index, worth as f32);
        }
    }

    fn add_at(&mut self, index: usize, worth: f32) {
        let senses = Senses::table();
        self.0.resize(senses.dimensions, 0.0);
        let scale = worth * f32::from(senses.weights[index]) / 255.0 / UNIT;
        for (part, byte) in self.0.iter_mut().zip(senses.vector(index)) {
            *part += scale * f32::from(byte.cast_signed());
        }
    }

    /// Adds what another text means.
    pub(super) fn join(&mut self, other: &Self, worth: f32) {
        self.0.resize(self.0.len().max(other.0.len()), 0.0);
        for (part, more) in self.0.iter_mut().zip(&other.0) {
            *part += worth * more;
        }
    }

    /// Makes it mean nothing again.
    pub(super) fn clear(&mut self) {
        self.0.fill(0.0);
    }

    /// Returns the cosine; 0 when either means nothing.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let product = |a: &Self, b: &Self| a.0.iter().zip(&b.0).map(|(a, b)| a * b).sum::<f32>();
        let lengths = (product(self, self) * product(other, other)).sqrt();
        if lengths > 0.0 { f64::from(product(self, other) / lengths) } else { 0.0 }
    }
}

/// Returns how alike two stems are in meaning; 0 when either isn't known.
pub(super) fn alike(one: &str, other: &str) -> f64 {
    let meaning = |stem: &str| {
        let mut meaning = Meaning::default();
        meaning.add(stem, 1.0);
        meaning
    };
    meaning(one).likeness(&meaning(other))
}

/// Words that are remembered at most.
const MOST_KNOWN: usize = 1 << 16;

/// What is known of words.
type Known = FxHashMap<Box<[u8]>, Word>;

/// What others have remembered, for who comes next.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Adds texts to meanings; remembers words, of which files have the same ones again and again.
pub(super) struct Words {
    known: Known,
}

impl Default for Words {
    fn default() -> Self {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { known: known.unwrap_or_default() }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.known.len() <= MOST_KNOWN {
            let known = std::mem::take(&mut self.known);
            KNOWN.lock().unwrap_or_else(PoisonError::into_inner).push(known);
        }
    }
}

#[derive(Clone, Copy)]
enum Word {
    Grammar,
    Unknown,
    At(usize),
}

impl Words {
    /// Adds the first words of `lines`; a longer text weighs more, but less than in proportion.
    pub(super) fn add<'t>(
        &mut self,
        lines: impl IntoIterator<Item = &'t str>,
        worth: f32,
        meaning: &mut Meaning,
    ) {
        let mut found: Vec<Word> = Vec::with_capacity(MAX_WORDS);
        let mut lower = Vec::new();
        for line in lines {
            if found.len() == MAX_WORDS {
                break;
            }
            words::split_identifier(line.as_bytes(), |word| {
                if found.len() == MAX_WORDS {
                    return;
                }
                lower.clear();
                lower.extend(word.iter().map(u8::to_ascii_lowercase));
                let word = self.word(&lower);
                if !matches!(word, Word::Grammar) {
                    found.push(word);
                }
            });
        }
        let share = worth / (found.len().max(1) as f32).sqrt();
        for word in found {
            if let Word::At(index) = word {
                meaning.add_at(index, share);
            }
        }
    }

    /// Adds a word in small letters; returns whether it is one that says something.
    pub(super) fn add_word(&mut self, lower: &[u8], meaning: &mut Meaning) -> bool {
        let word = self.word(lower);
        if let Word::At(index) = word {
            meaning.add_at(index, 1.0);
        }
        !matches!(word, Word::Grammar)
    }

    fn word(&mut self, lower: &[u8]) -> Word {
        self.known.get(lower).copied().unwrap_or_else(|| {
            let word = look_up(lower);
            self.known.insert(lower.into(), word);
            word
        })
    }
}

fn look_up(lower: &[u8]) -> Word {
    let Ok(word) = std::str::from_utf8(lower) else { return Word::Unknown };
    if words::weight_of(word) == Weight::Stop {
        return Word::Grammar;
    }
    Senses::table().find(&words::stem(word)).map_or(Word::Unknown, Word::At)
}

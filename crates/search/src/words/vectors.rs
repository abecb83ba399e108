//! What words mean: vectors of stems, learnt from how comments and the code below them are worded, and how alike two texts are
//! by them. The table is made by `evals/word_vectors/` and read in place; what a likeness is worth is the ranking's to say.

use std::sync::{LazyLock, OnceLock};

use crate::words::{self, Weight};

/// The table: its magic, how many stems and dimensions there are, where each stem begins, the stems, their weights and their
/// vectors; numbers are of 32 bits, little end first.
const TABLE: &[u8] = include_bytes!("vectors.bin");
/// How it begins; the number counts its forms.
const MAGIC: &[u8] = b"senses 1";
const HEADER: usize = 16;
/// Length of a vector as it is kept, where each part is a signed byte.
const UNIT: f32 = 127.0;
/// IndexSnapshot of a text that are looked at.
const MAX_WORDS: usize = 60;

/// Stems with what they mean; sorted, so that a stem is found by halving.
struct VectorTable {
    /// Where each stem begins in `stems`, and where the last ends.
    starts: &'static [u8],
    stems: &'static [u8],
    /// By stem: how much it says, in 255ths.
    weights: &'static [u8],
    vectors: &'static [u8],
    dimensions: usize,
}

impl VectorTable {
    /// Returns the table; one that can't be read has no words.
    fn table() -> &'static Self {
        static SENSES: LazyLock<VectorTable> =
            LazyLock::new(|| VectorTable::read(TABLE).unwrap_or(EMPTY));
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

    /// The vector of an entry; a text has the same words again and again, and bytes take longer to add up than to read.
    fn vector(&self, entry: usize) -> &'static [f32] {
        static READ: LazyLock<Vec<OnceLock<Vector>>> = LazyLock::new(|| {
            let entries = VectorTable::table().weights.len();
            std::iter::repeat_with(OnceLock::new).take(entries).collect()
        });
        let read = || {
            let range = entry * self.dimensions..(entry + 1) * self.dimensions;
            let bytes = self.vectors.get(range).unwrap_or_default();
            bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect()
        };
        READ.get(entry).map_or(&[], |vector| vector.get_or_init(read))
    }
}

/// A vector in the form that is reckoned with.
type Vector = Box<[f32]>;

const EMPTY: VectorTable =
    VectorTable { starts: &[], stems: &[], weights: &[], vectors: &[], dimensions: 0 };

/// Reads the number at a place of the table.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// What a word means: an entry of the table, or why there is none. As a number it can be kept, as long as the table is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VectorId(u32);

impl VectorId {
    /// Of a word that says nothing by itself.
    const GRAMMAR: Self = Self(0);
    pub(crate) const UNKNOWN: Self = Self(1);
    const FIRST: u32 = 2;

    /// Returns that of a word in small letters.
    pub(crate) fn of(lower: &[u8]) -> Self {
        let Ok(word) = std::str::from_utf8(lower) else { return Self::UNKNOWN };
        if words::weight_of(word) == Weight::Stop {
            return Self::GRAMMAR;
        }
        Self::of_stem(&words::stem(word))
    }

    fn of_stem(stem: &str) -> Self {
        let entry = VectorTable::table().find(stem).and_then(|entry| u32::try_from(entry).ok());
        entry.map_or(Self::UNKNOWN, |entry| Self(entry.saturating_add(Self::FIRST)))
    }

    /// Whether it is one of a word that says something, be it known or not.
    pub(crate) fn says_something(self) -> bool {
        self != Self::GRAMMAR
    }

    fn entry(self) -> Option<usize> {
        self.0.checked_sub(Self::FIRST).map(|entry| entry as usize)
    }

    /// Its number.
    pub(crate) fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// The sense of a number.
    pub(crate) fn from_bytes(number: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(number))
    }
}

/// What a text means: the sum of what its words mean, those that say little counting little.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextVector(Vec<f32>);

impl TextVector {
    /// Adds the word of a stem; one that isn't known adds nothing.
    pub(crate) fn add_stem(&mut self, stem: &str, worth: f64) {
        self.add(VectorId::of_stem(stem), worth as f32);
    }

    /// Adds a word; one that isn't known adds nothing.
    pub(crate) fn add(&mut self, sense: VectorId, worth: f32) {
        let senses = VectorTable::table();
        let Some(entry) = sense.entry() else { return };
        let Some(weight) = senses.weights.get(entry) else { return };
        if self.0.is_empty() {
            self.0.resize(senses.dimensions, 0.0);
        }
        let scale = worth * f32::from(*weight) / 255.0 / UNIT;
        for (part, more) in self.0.iter_mut().zip(senses.vector(entry)) {
            *part += scale * more;
        }
    }

    /// Adds the first words of a text that say something; a longer text weighs more, but less than in proportion.
    pub(crate) fn add_text(&mut self, words: impl Iterator<Item = VectorId>, worth: f32) {
        let mut found = [VectorId::UNKNOWN; MAX_WORDS];
        let mut count = 0;
        for (place, sense) in found.iter_mut().zip(words.filter(|sense| sense.says_something())) {
            *place = sense;
            count += 1;
        }
        let share = worth / (count.max(1) as f32).sqrt();
        for sense in &found[..count] {
            self.add(*sense, share);
        }
    }

    /// Adds what another text means.
    pub(crate) fn join(&mut self, other: &Self, worth: f32) {
        self.0.resize(self.0.len().max(other.0.len()), 0.0);
        for (part, more) in self.0.iter_mut().zip(&other.0) {
            *part += worth * more;
        }
    }

    /// Makes it mean nothing again.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0.0);
    }

    /// Returns the cosine; 0 when either means nothing.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        // Side by side: each sum waits for itself.
        let (mut product, mut own, mut others) = (0.0_f32, 0.0_f32, 0.0_f32);
        for (a, b) in self.0.iter().zip(&other.0) {
            product += a * b;
            own += a * a;
            others += b * b;
        }
        let lengths = (own * others).sqrt();
        if lengths > 0.0 { f64::from(product / lengths) } else { 0.0 }
    }
}

/// Returns how alike two stems are in meaning; 0 when either isn't known.
pub(crate) fn alike(one: &str, other: &str) -> f64 {
    let meaning = |stem: &str| {
        let mut meaning = TextVector::default();
        meaning.add_stem(stem, 1.0);
        meaning
    };
    meaning(one).likeness(&meaning(other))
}

//! Word vectors: one vector for each of some thousand stems, learnt from how comments and the code below them are worded.
//! A text's vector is the weighted sum of those of its words, and two texts are compared by cosine.
//!
//! The table is `vectors.bin`, made by `evals/word_vectors/` and read in place: a magic number, the number of stems and of
//! dimensions, the offset of each stem, the stems in order, their weights, and their vectors of signed bytes. Integers have
//! 32 bits and are little-endian.

use std::sync::{LazyLock, OnceLock};

use super::{WordSpecificity, stem, word_class};

const TABLE: &[u8] = include_bytes!("vectors.bin");
/// The digit is the version of the format.
const MAGIC: &[u8] = b"vectors1";
const HEADER_BYTES: usize = 16;
/// Euclidean length of a stored vector.
const STORED_LENGTH: f32 = 127.0;
/// Words of a text that count at most.
const MAX_WORDS: usize = 60;

/// The parts of the table.
struct VectorTable {
    /// Offset of each stem in `stems`, and the end of the last one.
    offsets: &'static [u8],
    /// Sorted.
    stems: &'static [u8],
    /// By stem, in 255ths: how much the word says.
    weights: &'static [u8],
    vectors: &'static [u8],
    dimensions: usize,
}

const EMPTY: VectorTable =
    VectorTable { offsets: &[], stems: &[], weights: &[], vectors: &[], dimensions: 0 };

impl VectorTable {
    /// Returns the table; it has no stems if the file is damaged.
    fn get() -> &'static Self {
        static VECTORS: LazyLock<VectorTable> =
            LazyLock::new(|| VectorTable::parse(TABLE).unwrap_or(EMPTY));
        &VECTORS
    }

    fn parse(table: &'static [u8]) -> Option<Self> {
        let (header, rest) = table.split_at_checked(HEADER_BYTES)?;
        let count = read_u32(header, 8)?;
        let dimensions = read_u32(header, 12)?;
        let (offsets, rest) = rest.split_at_checked(4 * (count + 1))?;
        let (stems, rest) = rest.split_at_checked(read_u32(offsets, 4 * count)?)?;
        let (weights, vectors) = rest.split_at_checked(count)?;
        let is_whole = header.starts_with(MAGIC) && vectors.len() == count * dimensions;
        is_whole.then_some(Self { offsets, stems, weights, vectors, dimensions })
    }

    fn stem(&self, index: usize) -> &'static [u8] {
        let range = read_u32(self.offsets, 4 * index).zip(read_u32(self.offsets, 4 * index + 4));
        range.and_then(|(start, end)| self.stems.get(start..end)).unwrap_or_default()
    }

    /// Finds a stem by binary search.
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

    /// Returns the vector of a stem as floats. They are converted once: texts repeat their words, and the conversion takes
    /// longer than the addition.
    fn vector(&self, index: usize) -> &'static [f32] {
        static CONVERTED: LazyLock<Vec<OnceLock<Box<[f32]>>>> = LazyLock::new(|| {
            let count = VectorTable::get().weights.len();
            std::iter::repeat_with(OnceLock::new).take(count).collect()
        });
        let convert = || {
            let range = index * self.dimensions..(index + 1) * self.dimensions;
            let bytes = self.vectors.get(range).unwrap_or_default();
            bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect()
        };
        CONVERTED.get(index).map_or(&[], |vector| vector.get_or_init(convert))
    }
}

fn read_u32(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// The entry of a word in the table, or why it has none. The number can be stored as long as the table is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordVectorId(u32);

impl WordVectorId {
    const STOP_WORD: Self = Self(0);
    pub(crate) const UNKNOWN: Self = Self(1);
    const FIRST: u32 = 2;

    /// Returns the ID of a lower-case word.
    pub(crate) fn of(word: &[u8]) -> Self {
        let Ok(word) = std::str::from_utf8(word) else { return Self::UNKNOWN };
        if word_class(word) == WordSpecificity::Stop {
            return Self::STOP_WORD;
        }
        Self::of_stem(&stem(word))
    }

    fn of_stem(stem: &str) -> Self {
        let index = VectorTable::get().find(stem).and_then(|index| u32::try_from(index).ok());
        index.map_or(Self::UNKNOWN, |index| Self(index.saturating_add(Self::FIRST)))
    }

    /// Whether the word is no stop word; it need not be in the table.
    pub(crate) fn is_content(self) -> bool {
        self != Self::STOP_WORD
    }

    fn index(self) -> Option<usize> {
        self.0.checked_sub(Self::FIRST).map(|index| index as usize)
    }

    /// Returns the stored form.
    pub(crate) fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Returns the ID of a stored form.
    pub(crate) fn from_bytes(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }
}

/// The weighted sum of word vectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextVector(Vec<f32>);

impl TextVector {
    /// Adds the vector of a stem, if it has one.
    pub(crate) fn add_stem(&mut self, stem: &str, weight: f64) {
        self.add(WordVectorId::of_stem(stem), weight as f32);
    }

    /// Adds the vector of a word, if it has one.
    pub(crate) fn add(&mut self, word: WordVectorId, weight: f32) {
        let table = VectorTable::get();
        let Some(index) = word.index() else { return };
        let Some(own_weight) = table.weights.get(index) else { return };
        if self.0.is_empty() {
            self.0.resize(table.dimensions, 0.0);
        }
        let scale = weight * f32::from(*own_weight) / 255.0 / STORED_LENGTH;
        for (sum, part) in self.0.iter_mut().zip(table.vector(index)) {
            *sum += scale * part;
        }
    }

    /// Adds the first content words of a text. Its weight grows with the square root of their number.
    pub(crate) fn add_words(&mut self, words: impl Iterator<Item = WordVectorId>, weight: f32) {
        let mut content = [WordVectorId::UNKNOWN; MAX_WORDS];
        let mut count = 0;
        for (slot, word) in content.iter_mut().zip(words.filter(|word| word.is_content())) {
            *slot = word;
            count += 1;
        }
        let share = weight / (count.max(1) as f32).sqrt();
        for word in &content[..count] {
            self.add(*word, share);
        }
    }

    /// Adds another vector.
    pub(crate) fn add_vector(&mut self, other: &Self, weight: f32) {
        self.0.resize(self.0.len().max(other.0.len()), 0.0);
        for (sum, part) in self.0.iter_mut().zip(&other.0) {
            *sum += weight * part;
        }
    }

    /// Makes it zero.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0.0);
    }

    /// Returns it for comparisons.
    pub(crate) fn measured(self) -> MeasuredVector {
        let parts = self.0.into_boxed_slice();
        MeasuredVector { square: sum_of_products(&parts, &parts), parts }
    }
}

/// A vector that others are compared with again and again, and the square of its length.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeasuredVector {
    parts: Box<[f32]>,
    square: f32,
}

impl MeasuredVector {
    /// Returns the cosine; 0 when either vector is zero.
    pub(crate) fn cosine(&self, other: &Self) -> f64 {
        let lengths = (self.square * other.square).sqrt();
        if lengths > 0.0 {
            f64::from(sum_of_products(&self.parts, &other.parts) / lengths)
        } else {
            0.0
        }
    }
}

fn sum_of_products(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// Returns the cosine of two stems; 0 when either is not in the table.
pub(crate) fn similarity(one: &str, other: &str) -> f64 {
    let vector = |stem: &str| {
        let mut vector = TextVector::default();
        vector.add_stem(stem, 1.0);
        vector.measured()
    };
    vector(one).cosine(&vector(other))
}

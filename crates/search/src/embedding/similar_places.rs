//! The places whose vectors are closest to a question's.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{QuantisedVector, VectorSnapshot, vector_snapshot::FileVectors};
use crate::index::FullTextSnapshot;
use retriever_workspace::{Cancellation, RepoPath};

/// Standard deviations above the mean of all places from which on a place is similar, and at which it is as similar as can be.
const LEAST: f32 = 1.5;
const MOST: f32 = 5.0;
/// Places that are similar, and those of them that are proposed without a word of the question.
const MAX_PLACES: usize = 2_000;
const MAX_PROPOSED: usize = 40;
/// Files for a task.
const FILES_AT_ONCE: usize = 64;
/// With fewer vectors their deviation is meaningless.
const MIN_VECTORS: usize = 8;

/// How similar the places of a tree are to a question. What is not among the first is not similar.
#[derive(Debug)]
pub struct SimilarPlaces {
    /// By path.
    files: FxHashMap<String, Vec<SimilarPlace>>,
}

#[derive(Debug)]
struct SimilarPlace {
    /// First line of the declaration; none for the file as a whole.
    line: Option<u32>,
    /// From 0 to 1.
    similarity: f64,
    is_proposed: bool,
}

impl SimilarPlaces {
    /// Compares the question's vector with those of the files of `words` whose content is the same.
    pub(super) fn of(
        question: &QuantisedVector,
        vectors: &VectorSnapshot,
        words: &FullTextSnapshot,
        cancellation: &Cancellation,
    ) -> Option<Self> {
        if question.dimensions() != vectors.dimensions() || question.scale == 0.0 {
            return None;
        }
        let contents = words.contents_of(vectors.files().iter().map(|file| vectors.path(file)));
        let files = vectors.files().iter().zip(contents);
        let current = files.filter(|(file, content)| *content == Some(&file.content));
        let current: Vec<&FileVectors> = current.map(|(file, _)| file).collect();
        let tasks = current.par_chunks(FILES_AT_ONCE).filter(|_| !cancellation.is_cancelled());
        let cosines: Vec<Cosines<'_>> =
            tasks.map(|files| cosines(question, vectors, files)).collect();
        let spread = Spread::of(&cosines)?;
        let floor = spread.mean + LEAST * spread.deviation;
        let similar = cosines.iter().flatten().filter(|(cosine, ..)| *cosine > floor);
        let mut best: Vec<&(f32, &FileVectors, usize)> = similar.collect();
        best.sort_unstable_by(|(one, one_file, one_row), (other, other_file, other_row)| {
            let rows = (one_file.first_row + one_row).cmp(&(other_file.first_row + other_row));
            other.total_cmp(one).then(rows)
        });
        best.truncate(MAX_PLACES);
        let mut files: FxHashMap<String, Vec<SimilarPlace>> = FxHashMap::default();
        for (at, (cosine, file, row)) in best.into_iter().enumerate() {
            // The first row is that of the file.
            let range = vectors.range(file, *row).filter(|_| *row > 0);
            let above = (cosine - spread.mean) / spread.deviation;
            files.entry(vectors.path(file).to_owned()).or_default().push(SimilarPlace {
                line: range.map(|range| range.start()),
                similarity: f64::from(((above - LEAST) / (MOST - LEAST)).clamp(0.0, 1.0)),
                is_proposed: at < MAX_PROPOSED,
            });
        }
        Some(Self { files })
    }

    /// Returns how similar the declaration that begins on a line is, from 0 to 1.
    pub(crate) fn of_declaration(&self, path: &RepoPath, line: u32) -> f64 {
        let at_line = self.places(path).iter().filter(|place| place.line == Some(line));
        at_line.map(|place| place.similarity).fold(0.0, f64::max)
    }

    /// Returns how similar the most similar place of a file is, from 0 to 1.
    pub(crate) fn of_file(&self, path: &RepoPath) -> f64 {
        // The most similar place of a file was added first.
        self.places(path).first().map_or(0.0, |place| place.similarity)
    }

    /// Returns the first lines of declarations of a file that are candidates even without a word of the question.
    pub(crate) fn proposed_lines(&self, path: &RepoPath) -> impl Iterator<Item = u32> {
        let proposed = self.places(path).iter().filter(|place| place.is_proposed);
        proposed.map(|place| place.line.unwrap_or(1))
    }

    fn places(&self, path: &RepoPath) -> &[SimilarPlace] {
        self.files.get(path.as_str()).map_or(&[], Vec::as_slice)
    }
}

/// A cosine with the file and the row that it is of.
type Cosines<'a> = Vec<(f32, &'a FileVectors, usize)>;

/// Returns the cosines of all rows of some files.
fn cosines<'a>(
    question: &QuantisedVector,
    vectors: &VectorSnapshot,
    files: &[&'a FileVectors],
) -> Cosines<'a> {
    let rows = files.iter().flat_map(|file| (0..file.count).map(|row| (*file, row)));
    rows.filter_map(|(file, row)| {
        let (scale, bytes) = vectors.stored_vector(file, row)?;
        Some((question.cosine_with_stored(bytes, scale), file, row))
    })
    .collect()
}

/// Mean and standard deviation of the cosines of a tree.
struct Spread {
    mean: f32,
    deviation: f32,
}

impl Spread {
    /// None when there are too few cosines, or all are equal.
    fn of(cosines: &[Cosines<'_>]) -> Option<Self> {
        let (mut count, mut sum, mut squares) = (0_usize, 0.0, 0.0);
        for (cosine, ..) in cosines.iter().flatten() {
            let cosine = f64::from(*cosine);
            count += 1;
            sum += cosine;
            squares += cosine * cosine;
        }
        (count >= MIN_VECTORS).then_some(())?;
        let mean = sum / count as f64;
        let deviation = (squares / count as f64 - mean * mean).max(0.0).sqrt();
        let spread = Self { mean: mean as f32, deviation: deviation as f32 };
        (spread.deviation > 0.0).then_some(spread)
    }
}

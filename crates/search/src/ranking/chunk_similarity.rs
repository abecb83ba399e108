//! Chunk similarity: a file gains if the vectors of some of its chunks are similar to the query's, even if the two
//! share no word.

use crate::words::MeasuredVector;

/// Chunks that count for their file.
const BEST_CHUNKS: usize = 3;

/// Returns the mean cosine of the most similar chunks; 0 for a text without chunks.
pub(super) fn chunk_similarity(query: &MeasuredVector, chunks: &[MeasuredVector]) -> f64 {
    // Greatest first.
    let mut best = [0.0; BEST_CHUNKS];
    for chunk in chunks {
        let mut cosine = chunk.cosine(query);
        for best in &mut best {
            if cosine > *best {
                std::mem::swap(best, &mut cosine);
            }
        }
    }
    let count = chunks.len().min(BEST_CHUNKS);
    best[..count].iter().sum::<f64>() / count.max(1) as f64
}

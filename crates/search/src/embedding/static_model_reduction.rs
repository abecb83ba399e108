//! Reads only the part of a static model, in Model2Vec's layout, that one short text needs: the tokens that may occur
//! in it, and their rows of the table. Loading a whole model takes longer than a question may.
//!
//! Only texts of ASCII letters, digits and spaces are accepted, of which a normaliser changes at most the case. All
//! tokens of such a text are substrings of it, so a tokenizer that knows only these gives the same result.

use std::io::{self, Read, Seek, SeekFrom};

use safetensors::{
    Dtype, SafeTensors, serialize,
    tensor::{Metadata, TensorInfo, TensorView},
};
use serde_json::{Value, json};
use thiserror::Error;

use super::tokenizer_pieces::{TokenizerPieces, tokenizer_pieces};

/// Longest text; a longer one may have more tokens than are taken.
const MAX_TEXT: usize = 400;
/// Largest head of a table.
const MAX_HEAD: u64 = 1 << 20;
/// Names of the tensor that holds the vectors.
const VECTORS: [&str; 3] = ["embeddings", "0", "embedding.weight"];
/// Steps before a tokenizer's model that leave letters, digits and spaces as they are, but for case and marks of words.
const PLAIN_STEPS: &[&str] = &[
    "Sequence",
    "Lowercase",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Nmt",
    "StripAccents",
    "Strip",
    "Prepend",
    "BertNormalizer",
    "Precompiled",
    "ByteLevel",
];

/// A model of few tokens, in the same layout.
pub struct ReducedStaticModel {
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `model.safetensors`.
    pub table: Vec<u8>,
}

/// Returns the model of the tokens that `text` may hold; none when the text or the model is not of a kind that can be taken
/// apart. `tokenizer` and `table` are the model's files.
pub fn reduced_static_model(
    text: &str,
    tokenizer: &[u8],
    table: &mut (impl Read + Seek),
) -> Option<ReducedStaticModel> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b' ';
    if text.len() > MAX_TEXT || !text.bytes().all(is_plain) {
        return None;
    }
    let pieces = tokenizer_pieces(tokenizer, text)?;
    if !is_plain_normalizer(&pieces.normalizer) {
        return None;
    }
    let ids: Vec<u64> = pieces.tokens.iter().map(|token| token.id).collect();
    Some(ReducedStaticModel {
        table: TableReader::new(table).ok()?.rows(&ids)?,
        tokenizer: serde_json::to_vec(&tokenizer_of(pieces)?).ok()?,
    })
}

/// Why a static model can't be used.
#[derive(Debug, Error)]
pub enum StaticModelError {
    /// The table is no safetensors file.
    #[error("no table of vectors in safetensors: {0}")]
    Table(#[from] safetensors::SafeTensorError),
    /// The tokenizer's file is no JSON.
    #[error("the tokenizer is no JSON: {0}")]
    Tokenizer(#[from] serde_json::Error),
    /// Some tokens would have no vector.
    #[error(
        "the tokens need {needed} rows, the table has {rows}: its files are of different models"
    )]
    Rows {
        /// Rows of the table.
        rows: usize,
        /// Rows that the tokens lead to.
        needed: usize,
    },
}

/// Checks that the table has a row for every token of the tokenizer's vocabulary.
///
/// # Errors
///
/// [`StaticModelError`] where files cannot be read, or rows are missing. A table without vectors is left to who loads it.
pub fn check_static_model(tokenizer: &[u8], table: &[u8]) -> Result<(), StaticModelError> {
    let tokenizer: Value = serde_json::from_slice(tokenizer)?;
    let vocabulary = &tokenizer["model"]["vocab"];
    let ids = vocabulary.as_object().into_iter().flat_map(|all| all.values());
    let added =
        tokenizer["added_tokens"].as_array().into_iter().flatten().map(|token| &token["id"]);
    let last = ids.chain(added).filter_map(Value::as_u64).max();
    let last = last.map_or(0, |id| usize::try_from(id).unwrap_or(usize::MAX).saturating_add(1));
    let tokens = vocabulary.as_array().map_or(0, Vec::len).max(last);
    let tensors = SafeTensors::deserialize(table)?;
    let Some(vectors) = VECTORS.iter().find_map(|name| tensors.tensor(name).ok()) else {
        return Ok(());
    };
    let rows = vectors.shape().first().copied().unwrap_or(0);
    let mapped: Vec<usize> = tensors.tensor("mapping").map_or_else(
        |_| Vec::new(),
        |mapping| mapping.data().chunks(mapping.dtype().size()).filter_map(row_number).collect(),
    );
    // A token behind the end of the mapping has the row of its own number.
    let unmapped = if mapped.len() < tokens { tokens } else { 0 };
    let needed = mapped
        .iter()
        .take(tokens)
        .map(|row| row.saturating_add(1))
        .chain([unmapped])
        .max()
        .unwrap_or(0);
    if needed > rows { Err(StaticModelError::Rows { rows, needed }) } else { Ok(()) }
}

/// Returns the number of a row from its little-endian bytes.
fn row_number(bytes: &[u8]) -> Option<usize> {
    let mut number = [0; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    usize::try_from(u64::from_le_bytes(number)).ok()
}

/// Whether the steps of a normaliser are plain.
fn is_plain_normalizer(step: &Value) -> bool {
    if step.is_null() {
        return true;
    }
    if step["type"] == "Replace" {
        return step["pattern"]["String"] == " ";
    }
    let is_known = step["type"].as_str().is_some_and(|kind| PLAIN_STEPS.contains(&kind));
    let mut steps = step["normalizers"].as_array().into_iter().flatten();
    is_known && steps.all(is_plain_normalizer)
}

/// Returns a tokenizer whose tokens are numbered anew, in their order.
fn tokenizer_of(pieces: TokenizerPieces<'_>) -> Option<Value> {
    let TokenizerPieces { normalizer, pre_tokenizer, mut model, tokens, merges } = pieces;
    if let Some(unknown) = model.unk_id {
        let place = tokens.iter().position(|token| token.id == unknown)?;
        model.unk_id = u64::try_from(place).ok();
    }
    let vocabulary: Value = if tokens.iter().any(|token| token.score.is_some()) {
        tokens.iter().map(|token| json!([token.text, token.score])).collect()
    } else {
        let ids = tokens.iter().zip(0_u32..).map(|(token, id)| (token.text.clone(), json!(id)));
        Value::Object(ids.collect())
    };
    let mut model = serde_json::to_value(model).ok()?;
    model["vocab"] = vocabulary;
    if let Some(merges) = merges {
        model["merges"] = json!(merges);
    }
    Some(json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
        "post_processor": null, "decoder": null, "model": model,
    }))
}

/// Reads rows of the tensors of a table.
struct TableReader<'t, T> {
    table: &'t mut T,
    tensors: Metadata,
    /// Where the data begin.
    data: u64,
}

impl<'t, T: Read + Seek> TableReader<'t, T> {
    fn new(table: &'t mut T) -> io::Result<Self> {
        let mut length = [0; 8];
        table.seek(SeekFrom::Start(0))?;
        table.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut head = Vec::new();
        table.by_ref().take(length.min(MAX_HEAD)).read_to_end(&mut head)?;
        Ok(Self { table, tensors: serde_json::from_slice(&head)?, data: length.saturating_add(8) })
    }

    /// Returns a table with the rows of `tokens` alone, in their order.
    fn rows(&mut self, tokens: &[u64]) -> Option<Vec<u8>> {
        let tokens =
            tokens.iter().map(|id| usize::try_from(*id).ok()).collect::<Option<Vec<_>>>()?;
        let mut rows = tokens.clone();
        if let Some(mapping) = self.tensors.info("mapping").cloned() {
            for row in &mut rows {
                *row = row_number(&self.row(&mapping, *row)?)?;
            }
        }
        let vectors = VECTORS.iter().find_map(|name| self.tensors.info(name)).cloned()?;
        let mut parts = Vec::from([("embeddings", vectors, rows)]);
        if let Some(weights) = self.tensors.info("weights").cloned() {
            parts.push(("weights", weights, tokens));
        }
        let mut read: Vec<(&str, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
        for (name, tensor, rows) in parts {
            let mut data = Vec::new();
            for row in &rows {
                data.extend(self.row(&tensor, *row)?);
            }
            let shape = [&[rows.len()], tensor.shape.get(1..)?].concat();
            read.push((name, tensor.dtype, shape, data));
        }
        let views = read.iter().map(|(name, dtype, shape, data)| {
            Some((*name, TensorView::new(*dtype, shape.clone(), data).ok()?))
        });
        serialize(views.collect::<Option<Vec<_>>>()?, &None).ok()
    }

    fn row(&mut self, tensor: &TensorInfo, row: usize) -> Option<Vec<u8>> {
        let (rows, columns) = tensor.shape.split_first()?;
        let columns = columns.iter().try_fold(1_usize, |all, one| all.checked_mul(*one))?;
        let width = columns.checked_mul(tensor.dtype.size())?;
        let offset = row.checked_mul(width)?.checked_add(tensor.data_offsets.0)?;
        // A row ends with its tensor, so a false shape takes no more memory than the file has.
        if row >= *rows || offset.checked_add(width)? > tensor.data_offsets.1 {
            return None;
        }
        let start = self.data.checked_add(u64::try_from(offset).ok()?)?;
        self.table.seek(SeekFrom::Start(start)).ok()?;
        let mut bytes = Vec::new();
        self.table.by_ref().take(u64::try_from(width).ok()?).read_to_end(&mut bytes).ok()?;
        (bytes.len() == width).then_some(bytes)
    }
}

//! The part of a static model, in Model2Vec's layout, that one short text needs: the tokens that the text may hold, and their
//! rows of the table. All of a model takes longer to load than a question may.
//!
//! Only texts of ASCII letters, digits and spaces are taken, of which a normaliser changes at most the case. A tokenizer finds
//! in such a text only tokens that are pieces of it, so that one that knows no others gives the same.

use std::{
    collections::BTreeMap,
    io::{self, Read, Seek, SeekFrom},
};

use serde_json::{Map, Value, json};

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
        table: TableHead::read(table).ok()?.rows(table, &ids)?,
        tokenizer: serde_json::to_vec(&tokenizer_of(pieces)?).ok()?,
    })
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

/// The tensors of a table in the layout of safetensors.
struct TableHead {
    tensors: Map<String, Value>,
    /// Where the data begin.
    data: u64,
}

/// A tensor of one or two dimensions, by rows.
struct Tensor {
    dtype: String,
    start: u64,
    rows: u64,
    columns: u64,
    /// Bytes of a row.
    width: usize,
}

impl TableHead {
    fn read(table: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut length = [0; 8];
        table.seek(SeekFrom::Start(0))?;
        table.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut head = Vec::new();
        table.take(length.min(MAX_HEAD)).read_to_end(&mut head)?;
        Ok(Self { tensors: serde_json::from_slice(&head)?, data: 8 + length })
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        let known = self.tensors.get(name)?;
        let dtype = known["dtype"].as_str()?.to_owned();
        let rows = known["shape"][0].as_u64()?;
        let columns = known["shape"].get(1).map_or(Some(1), Value::as_u64)?;
        let size: u64 = match dtype.as_str() {
            "I8" => 1,
            "F16" => 2,
            "F32" | "I32" => 4,
            "F64" | "I64" => 8,
            _ => return None,
        };
        let start = self.data.checked_add(known["data_offsets"][0].as_u64()?)?;
        let width = usize::try_from(columns.checked_mul(size)?).ok()?;
        Some(Tensor { dtype, start, rows, columns, width })
    }

    /// Returns a table with the rows of `tokens` alone, in their order.
    fn rows(&self, table: &mut (impl Read + Seek), tokens: &[u64]) -> Option<Vec<u8>> {
        let vectors = VECTORS.iter().find_map(|name| self.tensor(name))?;
        let mut rows = tokens.to_vec();
        if self.tensors.contains_key("mapping") {
            let mapping = self.tensor("mapping")?;
            for row in &mut rows {
                let bytes = mapping.row(table, *row)?;
                let mut number = [0; 8];
                number.get_mut(..bytes.len())?.copy_from_slice(&bytes);
                *row = u64::from_le_bytes(number);
            }
        }
        let mut parts = BTreeMap::from([("embeddings", (vectors, rows))]);
        if self.tensors.contains_key("weights") {
            parts.insert("weights", (self.tensor("weights")?, tokens.to_vec()));
        }
        let (mut head, mut data) = (Map::new(), Vec::new());
        for (name, (tensor, rows)) in parts {
            let start = data.len();
            for row in &rows {
                data.extend(tensor.row(table, *row)?);
            }
            let shape = match name {
                "weights" => json!([rows.len()]),
                _ => json!([rows.len(), tensor.columns]),
            };
            let entry =
                json!({"dtype": tensor.dtype, "shape": shape, "data_offsets": [start, data.len()]});
            head.insert(name.to_owned(), entry);
        }
        let head = serde_json::to_vec(&head).ok()?;
        Some([&u64::try_from(head.len()).ok()?.to_le_bytes()[..], &head, &data].concat())
    }
}

impl Tensor {
    fn row(&self, table: &mut (impl Read + Seek), row: u64) -> Option<Vec<u8>> {
        let start = self.start.checked_add(row.checked_mul(u64::try_from(self.width).ok()?)?)?;
        let mut bytes = vec![0; self.width];
        table.seek(SeekFrom::Start(start)).ok().filter(|_| row < self.rows)?;
        table.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

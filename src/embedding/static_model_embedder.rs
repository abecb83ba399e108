//! A static model on this machine, in Model2Vec's layout: a table of token vectors; the vector of a text is their mean.
//! The whole table is read to compute vectors of files; a first question reads only the rows that it needs.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use model2vec_rs::model::StaticModel;

use super::embedding_setup_error::EmbeddingSetupError;
use crate::config::EmbeddingConfig;
use retriever_search::{Embedder, EmbeddingError, check_static_model, reduced_static_model};
use retriever_workspace::Cancellation;

const TABLE: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
/// Pieces of a file that identify it, with its length, and the bytes of one. They are spread evenly, so that a change of more than
/// this part of a table is seen without reading a table of hundreds of megabytes for each question.
const PIECES: u64 = 512;
const PIECE: u64 = 4 * 1024;
/// Size limit of a file of a model, in bytes.
const MAX_BYTES: u64 = 2 << 30;
/// Version of the preparation of texts.
const PREPARATION: u32 = 1;
/// Texts per batch; they are embedded in parallel.
const BATCH: usize = 512;
/// Most tokens of a text.
const MAX_TOKENS: usize = 512;

/// A static model in a folder.
pub(super) struct StaticModelEmbedder {
    folder: PathBuf,
    identity: String,
    text_prefix: String,
    question_prefix: String,
    model: OnceLock<Result<StaticModel, String>>,
    /// Whether there was a question before. A process with more than one question reads the whole model.
    has_answered: AtomicBool,
}

impl StaticModelEmbedder {
    /// Returns the model in the configured folder. Only the parts that identify it are read.
    pub(super) fn new(config: &EmbeddingConfig) -> Result<Self, EmbeddingSetupError> {
        let folder = PathBuf::from(&config.folder);
        let sample = |name: &str| {
            sample(&folder.join(name))
                .map_err(|error| EmbeddingSetupError::Folder { detail: format!("{name}: {error}") })
        };
        let mut hasher = blake3::Hasher::new();
        for name in [CONFIG, TOKENIZER, TABLE] {
            hasher.update(&sample(name)?);
        }
        let hash = hasher.finalize().to_hex();
        Ok(Self {
            identity: format!("static {PREPARATION} {hash} {:?}", config.text_prefix),
            folder,
            text_prefix: config.text_prefix.clone(),
            question_prefix: config.question_prefix.clone(),
            model: OnceLock::new(),
            has_answered: AtomicBool::new(false),
        })
    }

    /// Returns the part of the model that `text` needs; `None` if that cannot be determined.
    fn reduced_model(&self, text: &str) -> Option<StaticModel> {
        let file = |name: &str| read(&self.folder.join(name)).ok();
        let mut table = open(&self.folder.join(TABLE)).ok()?;
        let reduced = reduced_static_model(text, &file(TOKENIZER)?, &mut table)?;
        let config = file(CONFIG)?;
        StaticModel::from_bytes(reduced.tokenizer, reduced.table, config, Some(true)).ok()
    }

    fn model(&self) -> Result<&StaticModel, EmbeddingError> {
        let load = || {
            let file = |name: &str| {
                read(&self.folder.join(name)).map_err(|error| format!("{name}: {error}"))
            };
            let (tokenizer, table, config) = (file(TOKENIZER)?, file(TABLE)?, file(CONFIG)?);
            check_static_model(&tokenizer, &table).map_err(|error| error.to_string())?;
            StaticModel::from_bytes(tokenizer, table, config, Some(true))
                .map_err(|error| format!("{error:#}"))
        };
        let failed = |error: &String| {
            EmbeddingError::Failed(format!("the model in embedding.folder can't be used: {error}"))
        };
        self.model.get_or_init(load).as_ref().map_err(failed)
    }
}

impl Embedder for StaticModelEmbedder {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(
        &self,
        texts: &[String],
        cancellation: &Cancellation,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let model = self.model()?;
        if cancellation.is_cancelled() {
            return Err(EmbeddingError::Cancelled);
        }
        let prepared = texts.iter().map(|text| prepared(&self.text_prefix, text));
        let prepared: Vec<String> = prepared.collect();
        Ok(model.encode_with_args(&prepared, Some(MAX_TOKENS), BATCH))
    }

    fn embed_question(&self, question: &str, _: &Cancellation) -> Result<Vec<f32>, EmbeddingError> {
        let question = prepared(&self.question_prefix, question);
        if !self.has_answered.swap(true, Ordering::Relaxed)
            && self.model.get().is_none()
            && let Some(reduced) = self.reduced_model(&question)
        {
            return Ok(reduced.encode_single(&question));
        }
        Ok(self.model()?.encode_single(&question))
    }
}

/// Returns a text of code as plain words: identifiers are split at changes of case, and punctuation is left out, since
/// the tokens of punctuation would only blur the mean.
fn prepared(prefix: &str, text: &str) -> String {
    let mut words = String::with_capacity(prefix.len() + text.len() + text.len() / 4);
    words.push_str(prefix);
    let mut before = ' ';
    for letter in text.chars() {
        if letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            words.push(' ');
        }
        words.push(if letter.is_alphanumeric() { letter } else { ' ' });
        before = letter;
    }
    words
}

/// Returns the length of a file and pieces of it; of a small one, all.
fn sample(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = length.to_le_bytes().to_vec();
    if length <= PIECES * PIECE {
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    for place in 0..PIECES {
        file.seek(SeekFrom::Start((length - PIECE) * place / (PIECES - 1)))?;
        file.by_ref().take(PIECE).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file of the model. Errors if it is too large.
#[expect(clippy::disallowed_methods, reason = "a model that the user's configuration names")]
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::Error::other("it is no file, or larger than 2 GiB"));
    }
    Ok(file)
}

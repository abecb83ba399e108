//! The data of a file that a search needs and that depends on no query: its tokens, its outline, and the vectors of its
//! parts. A server keeps it for later questions.

use std::sync::OnceLock;

use retriever_workspace::{TextFile, WorkBudget};

use super::{
    byte_strings::ByteStrings,
    chunk_vectors::ChunkVectors,
    declaration_vectors::DeclarationVectors,
    file_words::FileWords,
    segment::{FileTokens, Segment},
    token_stream_codec::TokenStreamEncoder,
};
use crate::{
    declarations::{DeclaredNames, FileOutline},
    words::{TextVector, WordVectorId},
};

/// Bytes of a vector, and of a declaration beside its vectors.
const VECTOR_BYTES: usize = 280;
const DECLARATION_BYTES: usize = 168;

/// What is known of a file.
pub(crate) struct FileAnalysis {
    /// What it declares.
    pub(crate) outline: FileOutline,
    /// The vectors of its chunks, in order.
    pub(crate) chunks: Vec<TextVector>,
    tokens: Vec<u8>,
    /// Where the words of each line begin in the tokens, from line 0 to the last that has words.
    line_starts: Vec<u32>,
    /// The words of a file that is not indexed, and their vectors.
    own_words: Option<(ByteStrings, Vec<WordVectorId>)>,
    /// Those of each declaration, once they were asked for.
    declarations: Vec<OnceLock<Box<DeclarationVectors>>>,
}

impl FileAnalysis {
    /// Analyses the tokens of a file of a segment; none when they can't be understood.
    pub(super) fn of_tokens(tokens: FileTokens<'_>, segment: &Segment) -> Option<Self> {
        let outline = tokens.outline()?;
        let tokens = tokens.into_stream().into_owned();
        Some(Self::new(outline, tokens, segment.known_vectors()))
    }

    /// Analyses a text that is not indexed; none if that is cancelled.
    pub(crate) fn of_text(file: &TextFile, budget: &WorkBudget) -> Option<Self> {
        let outline = FileOutline::of(file, budget).ok()?.0;
        let extension = file.path.extension();
        let (mut encoder, mut tokens) = (TokenStreamEncoder::default(), Vec::new());
        encoder.encode(file.text(), extension, &DeclaredNames::unknown(extension), &mut tokens);
        let vectors: Vec<_> = encoder.dictionary.iter().map(WordVectorId::of).collect();
        let analysis = Self::new(outline, tokens, &vectors);
        Some(Self { own_words: Some((encoder.dictionary, vectors)), ..analysis })
    }

    fn new(outline: FileOutline, tokens: Vec<u8>, vectors: &[WordVectorId]) -> Self {
        let mut chunks = ChunkVectors::default();
        let line_starts = FileWords::line_starts(&tokens, vectors, |word| chunks.add(word));
        let declarations = outline.declared.iter().map(|_| OnceLock::new()).collect();
        let (chunks, own_words) = (chunks.finish(), None);
        Self { outline, chunks, tokens, line_starts, own_words, declarations }
    }

    /// Whether its tokens are those of a segment.
    pub(crate) fn is_indexed(&self) -> bool {
        self.own_words.is_none()
    }

    /// Returns the tokens.
    pub(crate) fn tokens(&self) -> &[u8] {
        &self.tokens
    }

    /// Returns the words; those of an indexed file are in `segment`.
    pub(super) fn words<'a>(&'a self, segment: Option<&'a Segment>) -> Option<FileWords<'a>> {
        let (dictionary, vectors) = match &self.own_words {
            Some((dictionary, vectors)) => (dictionary, vectors.as_slice()),
            None => segment.map(|segment| (&segment.dictionary, segment.known_vectors()))?,
        };
        let (stream, line_starts) = (self.tokens.as_slice(), self.line_starts.as_slice());
        Some(FileWords { dictionary, vectors, stream, line_starts })
    }

    /// Returns the vectors of a declaration by its number in the outline; `words` are those of the file.
    pub(crate) fn declaration(
        &self,
        words: &FileWords<'_>,
        number: usize,
    ) -> Option<&DeclarationVectors> {
        let of = || Box::new(DeclarationVectors::of(words, &self.outline, number));
        Some(self.declarations.get(number)?.get_or_init(of))
    }

    /// Returns about how many bytes it takes, with the vectors of all declarations.
    pub(super) fn bytes(&self) -> usize {
        let vectors = self.chunks.len() + 4 * self.declarations.len();
        self.tokens.len()
            + self.line_starts.len() * size_of::<u32>()
            + vectors * VECTOR_BYTES
            + self.declarations.len() * DECLARATION_BYTES
    }
}

impl std::fmt::Debug for FileAnalysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileAnalysis").finish_non_exhaustive()
    }
}

//! The data of a file that a search needs and that depends on no query: its words, its outline, and the vectors of its
//! parts. A server keeps it for later questions.

use std::sync::OnceLock;

use retriever_workspace::{TextFile, WorkBudget};

use super::{
    byte_strings::ByteStrings,
    chunk_vectors::ChunkVectors,
    declaration_vectors::DeclarationVectors,
    file_words::{FileWords, KeptWord},
    segment::{FileTokens, Segment},
    token_stream_codec::TokenStreamEncoder,
};
use crate::{
    declarations::{DeclaredNames, FileOutline},
    words::{MeasuredVector, WordVectorId},
};

/// Bytes of a vector, and of a declaration beside its vectors.
const VECTOR_BYTES: usize = 280;
const DECLARATION_BYTES: usize = 168;

/// What is known of a file.
pub(crate) struct FileAnalysis {
    /// What it declares.
    pub(crate) outline: FileOutline,
    /// The vectors of its chunks, in order.
    pub(crate) chunks: Vec<MeasuredVector>,
    words: Vec<KeptWord>,
    /// Where the words of each line begin, see [`FileWords::read`].
    line_starts: Vec<u32>,
    /// The dictionary of a file that is not indexed, and the vectors of its words.
    own_dictionary: Option<(ByteStrings, Vec<WordVectorId>)>,
    /// Those of each declaration, once they were asked for.
    declarations: Vec<OnceLock<Box<DeclarationVectors>>>,
}

impl FileAnalysis {
    /// Analyses the tokens of a file of a segment; none when they can't be understood.
    pub(super) fn of_tokens(tokens: &FileTokens<'_>, segment: &Segment) -> Option<Self> {
        Some(Self::new(tokens.outline()?, tokens.stream(), segment.known_vectors()))
    }

    /// Analyses a text that is not indexed; none if that is cancelled.
    pub(crate) fn of_text(file: &TextFile, budget: &WorkBudget) -> Option<Self> {
        let outline = FileOutline::of(file, budget).ok()?.0;
        let extension = file.extension();
        let (mut encoder, mut tokens) = (TokenStreamEncoder::default(), Vec::new());
        encoder.encode(file.text(), extension, &DeclaredNames::unknown(extension), &mut tokens);
        let vectors: Vec<_> = encoder.dictionary.iter().map(WordVectorId::of).collect();
        let analysis = Self::new(outline, &tokens, &vectors);
        Some(Self { own_dictionary: Some((encoder.dictionary, vectors)), ..analysis })
    }

    fn new(outline: FileOutline, tokens: &[u8], vectors: &[WordVectorId]) -> Self {
        let mut chunks = ChunkVectors::default();
        let (words, line_starts) = FileWords::read(tokens, vectors, |word| chunks.add(word));
        let declarations = outline.declared.iter().map(|_| OnceLock::new()).collect();
        let (chunks, own_dictionary) = (chunks.finish(), None);
        Self { outline, chunks, words, line_starts, own_dictionary, declarations }
    }

    /// Whether its words are in the dictionary of a segment.
    pub(crate) fn is_indexed(&self) -> bool {
        self.own_dictionary.is_none()
    }

    /// Returns the words; those of an indexed file are in `segment`.
    pub(super) fn words<'a>(&'a self, segment: Option<&'a Segment>) -> Option<FileWords<'a>> {
        let (dictionary, vectors) = match &self.own_dictionary {
            Some((dictionary, vectors)) => (dictionary, vectors.as_slice()),
            None => segment.map(|segment| (&segment.dictionary, segment.known_vectors()))?,
        };
        let (all, line_starts) = (self.words.as_slice(), self.line_starts.as_slice());
        Some(FileWords { dictionary, vectors, all, line_starts })
    }

    /// Returns the vectors of a declaration by its number in the outline; `words` are those of the file.
    pub(crate) fn declaration(
        &self,
        file: &TextFile,
        words: &FileWords<'_>,
        number: usize,
    ) -> Option<&DeclarationVectors> {
        let of = || Box::new(DeclarationVectors::of(file, words, &self.outline, number));
        Some(self.declarations.get(number)?.get_or_init(of))
    }

    /// Returns about how many bytes it takes, with the vectors of all declarations.
    pub(super) fn bytes(&self) -> usize {
        let vectors = self.chunks.len() + 4 * self.declarations.len();
        size_of_val(self.words.as_slice())
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

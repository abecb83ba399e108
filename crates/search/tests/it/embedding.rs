//! Vectors of declarations: what is embedded and how often, what is stored and survives damage, and what they do to a search.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use proptest::prelude::*;
use retriever_graph::indexing::GraphIndex;
use retriever_search::{
    CandidateSet, Embedder, EmbeddingError, FullTextSnapshot, QuantisedVector, Question, RoleCues,
    SearchCorpus, VectorCount, VectorIndex, find_candidates,
};
use retriever_test_support::Fixture;
use retriever_workspace::{
    Cancellation, FileTraitsConfig, RepoPath, Workspace, WorkspaceConfig, cache_file_io::lock_file,
};

/// Words of one meaning; a text's vector counts those of each.
const MEANINGS: &[&[&str]] = &[
    &["letter", "post", "envelope", "dispatch", "mail"],
    &["money", "invoice", "charge", "payment", "bill"],
    &["tree", "leaf", "branch", "prune", "forest"],
    &["sound", "tone", "volume", "loud", "noise"],
    &["paint", "colour", "brush", "canvas", "tint"],
];

/// Counts words by meaning, and keeps every text that it was given.
#[derive(Default)]
struct CountingEmbedder {
    texts: Mutex<Vec<String>>,
    /// Cancels after so many texts.
    cancels_after: Option<usize>,
    name: &'static str,
}

impl CountingEmbedder {
    fn vector(text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        let count =
            |words: &&[&str]| words.iter().map(|word| text.matches(word).count()).sum::<usize>();
        let counts = MEANINGS.iter().map(|words| count(words) as f32);
        // A text without any such word has a direction of its own.
        counts.chain([0.5, (text.len() % 7) as f32 / 20.0]).collect()
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }
}

impl Embedder for CountingEmbedder {
    fn identity(&self) -> String {
        format!("counting {}", self.name)
    }

    fn batch(&self) -> usize {
        4
    }

    fn embed(
        &self,
        texts: &[String],
        cancellation: &Cancellation,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut all = self.texts.lock().unwrap();
        all.extend_from_slice(texts);
        if self.cancels_after.is_some_and(|after| all.len() >= after) {
            cancellation.cancel();
        }
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }

    fn embed_question(&self, question: &str, _: &Cancellation) -> Result<Vec<f32>, EmbeddingError> {
        Ok(Self::vector(question))
    }
}

const PROJECT: &str = "\
//- /src/office.rs
/// Puts an envelope into the bag.
pub fn stamp_and_seal(envelope: &str) -> String {
    format!(\"dispatch {envelope}\")
}

pub fn weigh(parcel: u32) -> u32 {
    parcel * 2
}
//- /src/till.rs
/// Sums up an invoice.
pub fn total(invoice: &[u32]) -> u32 {
    invoice.iter().sum()
}
//- /src/garden.rs
/// Cuts a branch.
pub fn cut(branch: u32) -> u32 {
    branch - 1
}
pub fn grow(leaf: u32) -> u32 {
    leaf + 1
}
//- /src/radio.rs
pub fn louder(volume: u32) -> u32 {
    volume + 1
}
pub fn quieter(volume: u32) -> u32 {
    volume - 1
}
//- /src/studio.rs
pub fn mix(colour: u32) -> u32 {
    colour + 1
}
pub fn stroke(brush: u32) -> u32 {
    brush * 2
}
";

fn open(root: &Path, secrets: &[&str]) -> Workspace {
    let secrets = secrets.iter().map(|glob| (*glob).to_owned()).collect();
    let files = WorkspaceConfig { secrets, ..WorkspaceConfig::default() };
    Workspace::open(root, &files, &FileTraitsConfig::default()).unwrap()
}

fn words(workspace: &Workspace) -> FullTextSnapshot {
    FullTextSnapshot::read(workspace, &workspace.walk(&RepoPath::root()), &Cancellation::new())
}

/// Makes what is missing, and returns how many there are then.
fn refresh(index: &VectorIndex, root: &Path) -> Result<VectorCount, EmbeddingError> {
    let workspace = open(root, &[]);
    let words = words(&workspace);
    index.refresh(&workspace, &words, &|_, _| (), &Cancellation::new())?;
    Ok(index.count(&words))
}

/// Searches with what the vectors find similar.
fn search(index: Option<&VectorIndex>, root: &Path, question: &str) -> CandidateSet {
    let graph = GraphIndex::new(Arc::new(open(root, &[])), None);
    let (never, role_cues) = (Cancellation::new(), RoleCues::default());
    let asked = graph.ask_on_walk(&never, |walk, view| {
        let workspace = graph.workspace();
        let words = FullTextSnapshot::read(workspace, walk, &never);
        let similar = index.and_then(|index| {
            let vector = index.embedder().embed_question(question, &never).unwrap();
            index.similar_places(&vector, &words, &never)
        });
        let corpus = SearchCorpus {
            workspace,
            walk,
            index: &words,
            graph: Some(view),
            role_cues: &role_cues,
            similar: similar.as_ref(),
        };
        find_candidates(&corpus, &Question::new(question), &never)
    });
    asked.unwrap()
}

fn paths(found: &CandidateSet) -> Vec<&str> {
    found.files().into_iter().map(RepoPath::as_str).collect()
}

#[test]
fn a_file_without_a_word_of_the_question_is_found_by_its_meaning() {
    let fixture = Fixture::new(PROJECT);
    let question = "where does the mail get ready to post";
    let without = search(None, fixture.root(), question);
    assert!(!paths(&without).contains(&"src/office.rs"), "{:?}", paths(&without));
    let index = VectorIndex::new(None, Arc::new(CountingEmbedder::default()));
    refresh(&index, fixture.root()).unwrap();
    let found = search(Some(&index), fixture.root(), question);
    let best = &found.candidates[0];
    assert_eq!(best.symbols[0].name, "stamp_and_seal");
    assert!(best.score.iter().any(|(part, points)| part.as_ref() == "embedding" && points > 0.0));
}

#[test]
fn a_text_is_embedded_once_and_again_only_when_it_changes() {
    let fixture = Fixture::new(PROJECT);
    let cache = Fixture::new("//- /a\n");
    let embedder = Arc::new(CountingEmbedder::default());
    let index = VectorIndex::new(Some(cache.root()), Arc::clone(&embedder) as Arc<dyn Embedder>);
    let count = refresh(&index, fixture.root()).unwrap();
    // A file each, and nine functions.
    assert_eq!(count, VectorCount { vectors: 14, files: 5, missing: 0 });
    assert_eq!(embedder.taken().len(), 14);
    let till = fs::read_to_string(fixture.root().join("src/till.rs")).unwrap();
    fixture.write("src/till.rs", till + "\npub fn change(coin: u32) -> u32 {\n    coin\n}\n");
    assert_eq!(refresh(&index, fixture.root()).unwrap().vectors, 15);
    let texts = embedder.taken();
    assert_eq!(texts.len(), 2, "the file's text names the new function: {texts:?}");
    // Another process finds what was stored; another model does not.
    let again = VectorIndex::new(Some(cache.root()), Arc::clone(&embedder) as Arc<dyn Embedder>);
    assert_eq!(refresh(&again, fixture.root()).unwrap().vectors, 15);
    assert!(embedder.taken().is_empty());
    let other = CountingEmbedder { name: "other", ..CountingEmbedder::default() };
    let other = VectorIndex::new(Some(cache.root()), Arc::new(other));
    assert!(other.snapshot().is_empty());
}

#[test]
fn work_that_was_cancelled_goes_on_where_it_was() {
    let part = |number: i32| {
        format!("//- /src/more/part{number}.rs\npub fn part_{number}(noise: u32) {{\n}}\n")
    };
    let project = PROJECT.to_owned() + &(0..40).map(part).collect::<String>();
    let fixture = Fixture::new(&project);
    let cache = Fixture::new("//- /a\n");
    let stopped = CountingEmbedder { cancels_after: Some(40), ..CountingEmbedder::default() };
    let stopped = Arc::new(stopped);
    let index = VectorIndex::new(Some(cache.root()), Arc::clone(&stopped) as Arc<dyn Embedder>);
    assert_eq!(refresh(&index, fixture.root()), Err(EmbeddingError::Cancelled));
    let embedder = Arc::new(CountingEmbedder::default());
    let index = VectorIndex::new(Some(cache.root()), Arc::clone(&embedder) as Arc<dyn Embedder>);
    let stored = index.snapshot().len();
    assert!(stored > 0);
    let count = refresh(&index, fixture.root()).unwrap();
    assert_eq!(count, VectorCount { vectors: 94, files: 45, missing: 0 });
    assert_eq!(embedder.taken().len() + stored, 94);
}

#[test]
fn what_is_damaged_or_cut_is_made_again() {
    let fixture = Fixture::new(PROJECT);
    let cache = Fixture::new("//- /a\n");
    let log = cache.root().join("vectors/log");
    let index = || VectorIndex::new(Some(cache.root()), Arc::new(CountingEmbedder::default()));
    let whole = refresh(&index(), fixture.root()).unwrap();
    let question = "who sends the letter";
    let expected = search(Some(&index()), fixture.root(), question).candidates;
    let bytes = fs::read(&log).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let cut = bytes[..at].to_vec();
        for log_bytes in [damaged, cut] {
            fs::write(&log, &log_bytes).unwrap();
            assert!(index().snapshot().len() < whole.vectors, "byte {at}");
            assert_eq!(refresh(&index(), fixture.root()).unwrap(), whole);
            assert_eq!(search(Some(&index()), fixture.root(), question).candidates, expected);
        }
    }
}

#[test]
fn a_secret_is_not_embedded_and_a_file_that_became_one_leaves_no_trace() {
    let fixture = Fixture::new(PROJECT);
    let key = concat!("ghp_", "0123456789abcdefghij", "ABCDEFGHIJ012345");
    fixture.write("src/keys.rs", format!("pub fn key() -> &'static str {{\n    \"{key}\"\n}}\n"));
    fixture.write(".env", "PASSWORD=plainsecretword\n");
    let cache = Fixture::new("//- /a\n");
    let embedder = Arc::new(CountingEmbedder::default());
    let index = VectorIndex::new(Some(cache.root()), Arc::clone(&embedder) as Arc<dyn Embedder>);
    refresh(&index, fixture.root()).unwrap();
    let texts = embedder.taken().concat();
    assert!(texts.contains("src/keys.rs") && texts.contains("ghp_****"), "{texts}");
    assert!(!texts.contains("ABCDEFGHIJ") && !texts.contains("plainsecretword"), "{texts}");
    let holds = || {
        let stored = fs::read(cache.root().join("vectors/log")).unwrap();
        stored.windows(11).any(|bytes| bytes == b"src/keys.rs")
    };
    assert!(holds());
    let workspace = open(fixture.root(), &["src/keys.rs"]);
    index.refresh(&workspace, &words(&workspace), &|_, _| (), &Cancellation::new()).unwrap();
    assert!(!holds());
}

#[test]
fn two_processes_do_not_write_at_once() {
    let fixture = Fixture::new(PROJECT);
    let cache = Fixture::new("//- /a\n");
    let index = VectorIndex::new(Some(cache.root()), Arc::new(CountingEmbedder::default()));
    let lock = lock_file(&cache.root().join("vectors")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(refresh(&index, fixture.root()), Err(EmbeddingError::Store(_))));
    lock.unlock().unwrap();
    assert_eq!(refresh(&index, fixture.root()).unwrap().missing, 0);
}

#[test]
fn vectors_of_another_length_are_refused() {
    struct Growing(Mutex<usize>);
    impl Embedder for Growing {
        fn identity(&self) -> String {
            "growing".to_owned()
        }
        fn batch(&self) -> usize {
            100
        }
        fn embed(
            &self,
            texts: &[String],
            _: &Cancellation,
        ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
            let mut length = self.0.lock().unwrap();
            *length += 1;
            Ok(texts.iter().map(|_| vec![1.0; *length]).collect())
        }
        fn embed_question(&self, _: &str, _: &Cancellation) -> Result<Vec<f32>, EmbeddingError> {
            Ok(vec![1.0])
        }
    }
    let fixture = Fixture::new(PROJECT);
    let index = VectorIndex::new(None, Arc::new(Growing(Mutex::new(0))));
    refresh(&index, fixture.root()).unwrap();
    fixture.write("src/new.rs", "pub fn new(tone: u32) {\n    drop(tone)\n}\n");
    assert!(matches!(refresh(&index, fixture.root()), Err(EmbeddingError::Shape { .. })));
}

proptest! {
    #[test]
    fn a_vector_of_bytes_keeps_a_cosine_within_half_a_step_of_each_number(
        (one, other) in (1_usize..300).prop_flat_map(|length| {
            let vector = proptest::collection::vec(-1.0_f32..1.0, length);
            (vector.clone(), vector)
        })
    ) {
        let length = |vector: &[f32]| vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let (a, b) = (length(&one), length(&other));
        prop_assume!(a > 1e-3 && b > 1e-3);
        let exact: f64 =
            one.iter().zip(&other).map(|(x, y)| f64::from(*x) / a * f64::from(*y) / b).sum();
        let (small_one, small_other) = (QuantisedVector::of(&one), QuantisedVector::of(&other));
        let (step_one, step_other) =
            (f64::from(small_one.scale()) / 2.0, f64::from(small_other.scale()) / 2.0);
        let sum = |vector: &[f32], length: f64| {
            vector.iter().map(|x| f64::from(x.abs()) / length).sum::<f64>()
        };
        let bound = step_one * sum(&other, b)
            + step_other * sum(&one, a)
            + one.len() as f64 * step_one * step_other;
        let error = (f64::from(small_one.cosine(&small_other)) - exact).abs();
        prop_assert!(error <= bound + 1e-5, "{error} > {bound}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn vectors_that_followed_edits_are_those_of_a_fresh_start(
        edits in proptest::collection::vec((0..6_usize, 0..4_usize), 1..6)
    ) {
        let fixture = Fixture::new(PROJECT);
        let cache = Fixture::new("//- /a\n");
        let index = || VectorIndex::new(Some(cache.root()), Arc::new(CountingEmbedder::default()));
        refresh(&index(), fixture.root()).unwrap();
        for (file, edit) in edits {
            let path = format!("src/file{file}.rs");
            let word = MEANINGS[file % MEANINGS.len()][edit];
            match edit {
                0 => drop(fs::remove_file(fixture.root().join(&path))),
                _ => fixture.write(&path, format!("/// About a {word}.\npub fn f{edit}() {{\n    {word}()\n}}\n")),
            }
            refresh(&index(), fixture.root()).unwrap();
        }
        let fresh = VectorIndex::new(None, Arc::new(CountingEmbedder::default()));
        let count = refresh(&fresh, fixture.root()).unwrap();
        prop_assert_eq!(refresh(&index(), fixture.root()).unwrap(), count);
        for question in ["how is mail sent", "where is the bill paid", "prune the forest"] {
            let kept = search(Some(&index()), fixture.root(), question).candidates;
            let anew = search(Some(&fresh), fixture.root(), question).candidates;
            prop_assert_eq!(kept, anew);
        }
    }
}

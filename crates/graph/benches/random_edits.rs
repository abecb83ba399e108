//! Edits a copy of a tree at random and checks that the graph that is refreshed after each edit is that of a full build.
//! `cargo bench -p retriever-graph --bench random_edits -- EDITS SEED DIR…` makes `EDITS` edits in each tree, compares after every
//! fiftieth, and fails at the first difference; the same seed makes the same edits.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a bench prints, may panic and writes files"
)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use retriever_graph::indexing::{GraphIndex, Language};
use retriever_workspace::{Cancellation, FileTraitsConfig, RepoPath, Workspace, WorkspaceConfig};

/// Edits between two comparisons.
const INTERVAL: usize = 50;
/// Bytes of the largest file that is edited.
const MAX_BYTES: usize = 200_000;
/// Lines that one edit moves at most.
const MAX_LINES: usize = 12;

fn main() {
    // `cargo bench` adds flags of its own.
    let arguments: Vec<String> = env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let [edits, seed, roots @ ..] = arguments.as_slice() else {
        println!("usage: random_edits EDITS SEED DIR…");
        return;
    };
    let (edits, seed) = (edits.parse().unwrap(), seed.parse().unwrap());
    for root in roots {
        check(Path::new(root), edits, seed);
    }
}

fn check(root: &Path, edits: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut tree = Tree::copy(root, folder.path().join("tree"), seed);
    let store = folder.path().join("store");
    let started = Instant::now();
    let (mut resolved, mut last) = (0, Vec::new());
    for edit in 1..=edits {
        last.push(tree.edit());
        let index = tree.index(Some(store.clone()));
        let summary = index.refresh(&Cancellation::new(), &|_, _| {}).unwrap();
        resolved += summary.resolved;
        if edit % INTERVAL == 0 || edit == edits {
            let (kept, fresh) = (exported(&index), exported(&tree.index(None)));
            if let Some((kept, fresh)) = kept.iter().zip(&fresh).find(|(kept, fresh)| kept != fresh)
            {
                panic!(
                    "after {edit} edits of {}: {last:#?}\nkept  {kept}\nfresh {fresh}",
                    root.display()
                );
            }
            assert_eq!(kept.len(), fresh.len(), "after {edit} edits: {last:#?}");
            last.clear();
        }
    }
    let seconds = started.elapsed().as_secs();
    println!(
        "{}: {} files, {edits} edits, {resolved} files resolved again, {seconds} s: equal",
        root.display(),
        tree.originals.len()
    );
}

/// The lines of a graph's export, in order.
fn exported(index: &GraphIndex) -> Vec<String> {
    let bytes = index.ask(&Cancellation::new(), |graph| {
        let mut bytes = Vec::new();
        graph.export(&mut bytes).unwrap();
        bytes
    });
    String::from_utf8(bytes.unwrap()).unwrap().lines().map(str::to_owned).collect()
}

/// A copy of a tree.
struct Tree {
    root: PathBuf,
    /// The source files that are edited, with what they were first.
    originals: Vec<(PathBuf, String)>,
    random: u64,
}

impl Tree {
    fn copy(from: &Path, root: PathBuf, seed: u64) -> Self {
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        let workspace = Workspace::open(from, &config.0, &config.1).unwrap();
        let mut originals = Vec::new();
        for file in workspace.walk(&RepoPath::root()).files {
            let path = file.path;
            let Ok(bytes) = fs::read(from.join(path.as_str())) else { continue };
            let to = root.join(path.as_str());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(&to, &bytes).unwrap();
            let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES);
            if let Some(text) = text.filter(|_| Language::of_path(path.as_str()).is_some()) {
                originals.push((to, text));
            }
        }
        originals.sort();
        Self { root, originals, random: seed.wrapping_mul(2).wrapping_add(1) }
    }

    fn index(&self, store: Option<PathBuf>) -> GraphIndex {
        let config = (WorkspaceConfig::default(), FileTraitsConfig::default());
        let workspace = Workspace::open(&self.root, &config.0, &config.1).unwrap();
        GraphIndex::new(Arc::new(workspace), store)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 11).unwrap() % end.max(1)
    }

    /// Makes one edit and says which.
    fn edit(&mut self) -> String {
        let at = self.below(self.originals.len());
        let (path, original) = self.originals[at].clone();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let line = self.below(lines.len());
        let several = (line + 1 + self.below(MAX_LINES)).min(lines.len());
        let what = match self.below(12) {
            0 => {
                drop(fs::remove_file(&path));
                return format!("removed {}", path.display());
            }
            1..=3 => {
                lines = original.lines().map(str::to_owned).collect();
                "restored"
            }
            4 => {
                lines.truncate(line);
                "cut off"
            }
            5 if !lines.is_empty() => {
                lines.drain(line..several);
                "lines removed"
            }
            6 if !lines.is_empty() => {
                let copy = lines[line..several].to_vec();
                lines.splice(line..line, copy);
                "lines doubled"
            }
            7 | 8 if !lines.is_empty() => {
                let word = self.foreign_word(at);
                lines[line] = with_another_word(&lines[line], &word, self.below(64));
                "word changed"
            }
            9 => {
                let foreign = self.foreign_lines(at);
                lines.splice(line..line, foreign);
                "lines of another file"
            }
            10 => {
                lines.insert(line, "// a remark".to_owned());
                "line added"
            }
            _ => {
                let mark = ["{", "}", "(", ")", "\"", "/*"][self.below(6)];
                lines.insert(line, mark.to_owned());
                "broken"
            }
        };
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        format!("{what} at {line} of {}", path.display())
    }

    /// The original text of a file of the same kind as the one at `at`.
    fn foreign(&mut self, at: usize) -> String {
        let extension = self.originals[at].0.extension();
        let like: Vec<usize> = (0..self.originals.len())
            .filter(|other| self.originals[*other].0.extension() == extension)
            .collect();
        let other = like[self.below(like.len())];
        self.originals[other].1.clone()
    }

    fn foreign_lines(&mut self, at: usize) -> Vec<String> {
        let text = self.foreign(at);
        let lines: Vec<&str> = text.lines().collect();
        let from = self.below(lines.len());
        let count = 1 + self.below(MAX_LINES);
        lines.iter().skip(from).take(count).map(|line| (*line).to_owned()).collect()
    }

    fn foreign_word(&mut self, at: usize) -> String {
        let text = self.foreign(at);
        let words: Vec<&str> = words(&text).collect();
        words.get(self.below(words.len())).copied().unwrap_or("word").to_owned()
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_outside = |char: char| !char.is_alphanumeric() && char != '_';
    text.split(is_outside).filter(|word| word.starts_with(char::is_alphabetic))
}

/// Puts `word` in the place of one of the words of a line.
fn with_another_word(line: &str, word: &str, which: usize) -> String {
    let all: Vec<&str> = words(line).collect();
    match all.get(which % all.len().max(1)) {
        Some(old) => line.replacen(old, word, 1),
        None => word.to_owned(),
    }
}

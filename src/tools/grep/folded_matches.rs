//! Matches that are told in one line: those of tests beside matches of code, unless tests are asked for, and those of
//! generated, vendored and lock files beside others. A test names what the code does once more, many times over.

use retriever_search::{is_test_word, words_in};
use retriever_workspace::RepoPath;

use super::{
    count,
    match_selection::{FoundLines, Standing},
};

/// Matches up to which they are shown rather than told.
const FEW: u64 = 3;
/// Files that are named where one call shows them all, and where none does.
const NAMED_FILES: usize = 3;
const NAMED_APART: usize = 10;

/// A file's matches, with where they stand.
pub(super) struct StandingMatches<'a> {
    pub(super) standing: Standing,
    pub(super) found: FoundLines<'a>,
}

/// What is told of instead of shown.
#[derive(Default)]
pub(super) struct FoldedMatches<'a> {
    tests: Vec<FoundLines<'a>>,
    aside: Vec<FoundLines<'a>>,
}

impl<'a> FoldedMatches<'a> {
    /// Takes what is folded out of `files`; only matches that stand as one of `foldable` are.
    pub(super) fn take(files: &mut Vec<StandingMatches<'a>>, foldable: &[Standing]) -> Self {
        let has = |standing| files.iter().any(|file| file.standing == standing);
        let is_many = |standing| {
            let of_it = files.iter().filter(|file| file.standing == standing);
            of_it.map(|file| file.found.total).sum::<u64>() > FEW
        };
        let is_beside = |standing| match standing {
            Standing::Test => has(Standing::Code),
            _ => [Standing::Code, Standing::Data, Standing::Test].into_iter().any(has),
        };
        let folds = |standing: &Standing| is_beside(*standing) && is_many(*standing);
        let folded: Vec<Standing> = foldable.iter().copied().filter(folds).collect();
        let mut take = |standing| -> Vec<FoundLines<'a>> {
            let is_folded = |file: &mut StandingMatches<'a>| {
                file.standing == standing && folded.contains(&standing)
            };
            files.extract_if(.., is_folded).map(|file| file.found).collect()
        };
        Self { tests: take(Standing::Test), aside: take(Standing::Aside) }
    }

    /// Says of each kind how many there are, and the call, which `search_in` writes, that shows them. `shown` are the files
    /// that are not folded.
    pub(super) fn notes(
        &self,
        shown: &[&RepoPath],
        search_in: impl Fn(&RepoPath) -> String,
    ) -> Vec<String> {
        let kinds = [("test", &self.tests), ("generated, vendored or support", &self.aside)];
        let some = kinds.into_iter().filter(|(_, files)| !files.is_empty());
        some.map(|(kind, files)| note(kind, files, shown, &search_in)).collect()
    }
}

fn note(
    kind: &str,
    files: &[FoundLines<'_>],
    shown: &[&RepoPath],
    search_in: impl Fn(&RepoPath) -> String,
) -> String {
    let mut files: Vec<&FoundLines<'_>> = files.iter().collect();
    files.sort_by(|one, other| other.total.cmp(&one.total).then(one.path.cmp(other.path)));
    let total: u64 = files.iter().map(|file| file.total).sum();
    let folder = common_folder(&files, shown);
    let most = if folder.is_some() { NAMED_FILES } else { NAMED_APART };
    let named = files.iter().take(most);
    let named: Vec<String> = named.map(|file| format!("{} {}", file.path, file.total)).collect();
    let more = match files.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let is_partial = folder.is_none() && files.len() > 1;
    let what = if is_partial { "see the first" } else { "see them" };
    let place = folder.or_else(|| files.first().map(|file| file.path.clone()));
    let call = place.map(|place| format!("; {what}: {}", search_in(&place)));
    format!(
        "and {} in {kind} files: {}{more}{}",
        count(total, "match", "matches"),
        named.join(", "),
        call.unwrap_or_default()
    )
}

/// Returns the folder that all `files` stand in and none of `shown`: a search of it shows them.
fn common_folder(files: &[&FoundLines<'_>], shown: &[&RepoPath]) -> Option<RepoPath> {
    let mut folder = files.first()?.path.parent()?;
    while !files.iter().all(|file| file.path.is_within(&folder)) {
        folder = folder.parent()?;
    }
    let is_apart = shown.iter().all(|path| !path.is_within(&folder));
    (is_apart && folder != RepoPath::root()).then_some(folder)
}

/// Whether a pattern or glob is about tests: a part of one of its words, as names are divided, is the word for them.
pub(super) fn is_about_tests(asked: &str) -> bool {
    let plain = asked.replace("\\b", " ").replace("\\w", " ");
    words_in(&plain).iter().any(|word| is_test_word(word))
}

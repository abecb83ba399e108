//! Matches that are summarised in one line: those in tests beside matches in code, unless tests are asked for, and
//! those in generated, vendored and lock files beside others. Tests repeat the names of the code many times.

use retriever_search::{is_test_word, words_in};
use retriever_workspace::RepoPath;

use super::{
    count,
    match_selection::{FoundLines, MatchedFileKind},
};

/// Most matches that are shown rather than summarised.
const FEW: u64 = 3;
/// Most files that are named if one call shows them all.
const NAMED_FILES: usize = 3;
/// Most files that are named if no single call shows them.
const NAMED_APART: usize = 10;

/// A file with its matches.
pub(super) struct MatchesOfFile<'a> {
    pub(super) kind: MatchedFileKind,
    pub(super) found: FoundLines<'a>,
}

/// Matches to summarise.
#[derive(Default)]
pub(super) struct FoldedMatches<'a> {
    tests: Vec<FoundLines<'a>>,
    aside: Vec<FoundLines<'a>>,
}

impl<'a> FoldedMatches<'a> {
    /// Removes the summarised matches from `files`: those in files of a kind in `foldable`.
    pub(super) fn take(files: &mut Vec<MatchesOfFile<'a>>, foldable: &[MatchedFileKind]) -> Self {
        let has = |kind| files.iter().any(|file| file.kind == kind);
        let is_many = |kind| {
            let of_it = files.iter().filter(|file| file.kind == kind);
            of_it.map(|file| file.found.total).sum::<u64>() > FEW
        };
        let is_secondary_kind = |kind| match kind {
            MatchedFileKind::Test => has(MatchedFileKind::Code),
            _ => [MatchedFileKind::Code, MatchedFileKind::Data, MatchedFileKind::Test]
                .into_iter()
                .any(has),
        };
        let folds = |kind: &MatchedFileKind| is_secondary_kind(*kind) && is_many(*kind);
        let folded: Vec<MatchedFileKind> = foldable.iter().copied().filter(folds).collect();
        let mut take = |kind| -> Vec<FoundLines<'a>> {
            let is_folded =
                |file: &mut MatchesOfFile<'a>| file.kind == kind && folded.contains(&kind);
            files.extract_if(.., is_folded).map(|file| file.found).collect()
        };
        Self { tests: take(MatchedFileKind::Test), aside: take(MatchedFileKind::Aside) }
    }

    /// Returns a note for each kind with its number and the call that shows them, which `search_in` writes. `shown` are
    /// the files that are not summarised.
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

/// Returns a folder that contains all `files` and none of `shown`, so that a search of it shows them.
fn common_folder(files: &[&FoundLines<'_>], shown: &[&RepoPath]) -> Option<RepoPath> {
    let mut folder = files.first()?.path.parent()?;
    while !files.iter().all(|file| file.path.is_within(&folder)) {
        folder = folder.parent()?;
    }
    let is_apart = shown.iter().all(|path| !path.is_within(&folder));
    (is_apart && folder != RepoPath::root()).then_some(folder)
}

/// Whether a pattern or glob is about tests: a word of it has a part that means test.
pub(super) fn is_about_tests(asked: &str) -> bool {
    let plain = asked.replace("\\b", " ").replace("\\w", " ");
    words_in(&plain).iter().any(|word| is_test_word(word))
}

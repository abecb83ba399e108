//! Platforms that a question and a path name. Code for one platform does not answer a question about another.

/// Platforms that share much of their code.
struct PlatformFamily {
    /// In lower case.
    names: &'static [&'static str],
    /// Whether a question names it for what a program reads or writes more often than for where it runs.
    is_often_the_subject: bool,
}

const FAMILIES: &[PlatformFamily] = &[
    PlatformFamily { names: &["windows", "win32", "winapi"], is_often_the_subject: false },
    PlatformFamily {
        names: &[
            "unix", "posix", "linux", "macos", "darwin", "osx", "freebsd", "netbsd", "openbsd",
            "bsd", "ios", "tvos", "watchos", "android",
        ],
        is_often_the_subject: false,
    },
    PlatformFamily { names: &["wasm", "wasm32", "wasi"], is_often_the_subject: true },
];

/// Words before the name of a platform that something runs on, and those that rule it out.
const PLACES: &[&str] = &["for", "on", "under"];
const NEGATIONS: &[&str] =
    &["besides", "but", "except", "neither", "never", "no", "nor", "not", "than", "without"];

/// The families of the platforms that are named, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedPlatforms(u8);

impl NamedPlatforms {
    /// Returns those that a question is about: named as a place (`on windows`), or written as a name (`Linux`) that its first
    /// word is not, where nothing rules it out.
    pub(super) fn of_question(words: &[String]) -> Self {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let mut named = 0;
        let mut is_named_before = false;
        for (at, word) in lower.iter().enumerate() {
            let before = |back: usize| at.checked_sub(back).map_or("", |at| lower[at].as_str());
            let is_listed = matches!(before(1), "and" | "or") && is_named_before;
            let is_place_of_code = |family: &usize| !FAMILIES[*family].is_often_the_subject;
            let Some(family) = family(word).filter(is_place_of_code) else {
                is_named_before &= matches!(word.as_str(), "and" | "or");
                continue;
            };
            let is_place = PLACES.contains(&before(1));
            let is_name = at > 0 && words[at] != *word;
            let is_ruled_out = NEGATIONS.contains(&before(1))
                || (is_place || before(1) == "the") && NEGATIONS.contains(&before(2));
            is_named_before = (is_place || is_name || is_listed) && !is_ruled_out;
            if is_named_before {
                named |= 1 << family;
            }
        }
        Self(named)
    }

    /// Whether `path` names platforms, and none of a family of these; never if there are none.
    pub(super) fn is_for_another(self, path: &str) -> bool {
        if self.0 == 0 {
            return false;
        }
        let path = path.to_lowercase();
        let words = path.split(|letter: char| !letter.is_alphanumeric());
        let of_path = words.filter_map(family).fold(0, |all, at| all | (1 << at));
        of_path != 0 && of_path & self.0 == 0
    }
}

/// The number of the family of a platform.
fn family(word: &str) -> Option<usize> {
    FAMILIES.iter().position(|family| family.names.contains(&word))
}

//! What a SCIP index says of one file, in the form that is kept: by line and word, what the word stands for. It holds for
//! one content of the file, which it names by its hash.

use serde::{Deserialize, Serialize};

/// What an index says of one content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct ScipFileData {
    /// The content that it is about.
    pub(crate) hash: [u8; 32],
    /// Sorted.
    words: Vec<Box<str>>,
    /// Sorted.
    paths: Vec<Box<str>>,
    /// Sorted by line and word.
    uses: Vec<Use>,
    /// Definitions by line and word, and what each implements or builds on. Sorted.
    supers: Vec<((u32, u32), Vec<Meaning>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Use {
    line: u32,
    word: u32,
    meaning: Meaning,
    /// An opening parenthesis follows.
    called: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Meaning {
    /// The definition that is named on this line of this file by this word.
    Here { path: u32, line: u32, word: u32 },
    /// Nothing that the index has a definition of.
    Outside,
}

/// A definition by the place of its name, or something outside of what was indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ScipTarget<'t> {
    Here { path: &'t str, line: u32, word: &'t str },
    Outside,
}

/// A word that an index explains.
pub(crate) struct ScipOccurrence<'t> {
    pub(crate) line: u32,
    pub(crate) word: &'t str,
    pub(crate) place: ScipTarget<'t>,
    pub(crate) called: bool,
}

/// A definition by line and word, and what it implements.
pub(crate) type ScipSupertype<'t> = ((u32, &'t str), Vec<ScipTarget<'t>>);

impl ScipFileData {
    /// Returns the data for the content with `hash`.
    pub(crate) fn new(
        hash: [u8; 32],
        said: &[ScipOccurrence<'_>],
        supers: &[ScipSupertype<'_>],
    ) -> Self {
        let places = || {
            said.iter()
                .map(|word| word.place)
                .chain(supers.iter().flat_map(|s| s.1.iter().copied()))
        };
        let mut words: Vec<Box<str>> = said
            .iter()
            .map(|word| word.word)
            .chain(supers.iter().map(|((_, word), _)| *word))
            .chain(places().filter_map(|place| match place {
                ScipTarget::Here { word, .. } => Some(word),
                ScipTarget::Outside => None,
            }))
            .map(Box::from)
            .collect();
        let mut paths: Vec<Box<str>> = places()
            .filter_map(|place| match place {
                ScipTarget::Here { path, .. } => Some(Box::from(path)),
                ScipTarget::Outside => None,
            })
            .collect();
        for list in [&mut words, &mut paths] {
            list.sort_unstable();
            list.dedup();
        }
        let mut data = Self { hash, words, paths, ..Self::default() };
        data.uses = said
            .iter()
            .map(|word| Use {
                line: word.line,
                word: number(&data.words, word.word),
                meaning: data.meaning(word.place),
                called: word.called,
            })
            .collect();
        data.uses.sort_unstable();
        data.uses.dedup();
        data.supers = supers
            .iter()
            .map(|((line, word), places)| {
                let mut meanings: Vec<Meaning> =
                    places.iter().map(|place| data.meaning(*place)).collect();
                meanings.sort_unstable();
                meanings.dedup();
                ((*line, number(&data.words, word)), meanings)
            })
            .collect();
        data.supers.sort_unstable();
        data
    }

    /// Returns the referents of `word` on `line`; it can occur there more than once.
    pub(crate) fn at(&self, line: u32, word: &str) -> impl Iterator<Item = ScipTarget<'_>> {
        let word = self.words.binary_search_by(|known| known.as_ref().cmp(word)).ok();
        let word = word.map_or(u32::MAX, |at| u32::try_from(at).unwrap_or(u32::MAX));
        let start = self.uses.partition_point(|r#use| (r#use.line, r#use.word) < (line, word));
        self.uses[start..]
            .iter()
            .take_while(move |r#use| (r#use.line, r#use.word) == (line, word))
            .map(|r#use| self.place(r#use.meaning))
    }

    /// Every word that is explained, by line.
    pub(crate) fn words(&self) -> impl Iterator<Item = ScipOccurrence<'_>> {
        self.uses.iter().map(|r#use| ScipOccurrence {
            line: r#use.line,
            word: self.word(r#use.word),
            place: self.place(r#use.meaning),
            called: r#use.called,
        })
    }

    /// Definitions that implement or build on others.
    pub(crate) fn supers(&self) -> impl Iterator<Item = ScipSupertype<'_>> {
        self.supers.iter().map(|((line, word), meanings)| {
            let places = meanings.iter().map(|meaning| self.place(*meaning)).collect();
            ((*line, self.word(*word)), places)
        })
    }

    fn meaning(&self, place: ScipTarget<'_>) -> Meaning {
        match place {
            ScipTarget::Here { path, line, word } => Meaning::Here {
                path: number(&self.paths, path),
                line,
                word: number(&self.words, word),
            },
            ScipTarget::Outside => Meaning::Outside,
        }
    }

    fn place(&self, meaning: Meaning) -> ScipTarget<'_> {
        match meaning {
            Meaning::Here { path, line, word } => {
                let path = self.paths.get(path as usize).map_or("", |path| path);
                ScipTarget::Here { path, line, word: self.word(word) }
            }
            Meaning::Outside => ScipTarget::Outside,
        }
    }

    fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", |word| word)
    }
}

fn number(sorted: &[Box<str>], text: &str) -> u32 {
    let at = sorted.partition_point(|known| known.as_ref() < text);
    u32::try_from(at).unwrap_or(u32::MAX)
}

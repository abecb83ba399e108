//! IndexSnapshot inside text and identifiers: splitting at case and separators, stems, and the words that say little. Pure;
//! what a word is worth in a question is [`crate::query::parsed`]'s to say.

pub(crate) mod vectors;

use std::{collections::BTreeMap, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxHashMap, FxHashSet};

/// Shortest word that may stand for a longer one it begins (`auth` for `authentication`).
const SHORTEST_PREFIX: usize = 4;

/// Calls `found` with every word of an identifier: `HTTPServer_name2` gives `HTTP`, `Server`, `name2`.
#[inline]
pub(crate) fn split_identifier<'a>(identifier: &'a [u8], mut found: impl FnMut(&'a [u8])) {
    let mut start = 0;
    for at in 0..=identifier.len() {
        let ends = match identifier.get(at) {
            None => true,
            Some(byte) if !is_word_byte(*byte) || *byte == b'_' => {
                if start < at {
                    found(&identifier[start..at]);
                }
                start = at + 1;
                continue;
            }
            Some(byte) => {
                byte.is_ascii_uppercase()
                    && at > start
                    && (!identifier[at - 1].is_ascii_uppercase()
                        || identifier.get(at + 1).is_some_and(u8::is_ascii_lowercase))
            }
        };
        if ends && start < at {
            found(&identifier[start..at]);
            start = at;
        }
    }
}

/// Returns the lower-case words of an identifier.
pub(crate) fn subwords(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    split_identifier(identifier.as_bytes(), |word| {
        words.push(String::from_utf8_lossy(word).to_lowercase());
    });
    words
}

/// Returns an identifier without its separators and case: `merge_cookies` and `mergeCookies` are one.
pub(crate) fn joined(identifier: &str) -> String {
    identifier.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a byte can be part of an identifier or word; bytes of other scripts count as letters.
#[inline]
pub(crate) const fn is_word_byte(byte: u8) -> bool {
    IN_WORDS[byte as usize]
}

/// By byte: text is looked at byte by byte.
static IN_WORDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        let ascii = byte as u8;
        table[byte] = ascii.is_ascii_alphanumeric() || ascii == b'_' || ascii >= 0x80;
        byte += 1;
    }
    table
};

/// Returns the stem of a lower-case word, which is that of the word it is a form of; words of other scripts are their own stems.
pub(crate) fn stem(word: &str) -> String {
    let stem = regular(word);
    kin().bases.get(&stem).cloned().unwrap_or(stem)
}

/// The other stems that words with this stem have by the rules.
pub(crate) fn forms_of(stem: &str) -> &'static [String] {
    kin().forms.get(stem).map_or(&[], Vec::as_slice)
}

/// Returns what the rules of stemming leave of a word.
fn regular(word: &str) -> String {
    static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let british = if word.contains("is") { SPELT } else { &[] };
    let american = british.iter().find_map(|(here, there)| {
        let at = word.rfind(here)?;
        let ending = &word[at + here.len()..];
        ENDINGS.contains(&ending).then(|| [&word[..at], there, ending].concat())
    });
    let stem = STEMMER.stem(american.as_deref().unwrap_or(word));
    // `adding` must stay with `add`, whose double letter the rules take for a doubled one.
    if stem.len() < 3 { word[..3].to_owned() } else { stem.into_owned() }
}

/// Where words are spelt in two ways, and what follows there.
const SPELT: &[(&str, &str)] = &[
    ("alis", "aliz"),
    ("elis", "eliz"),
    ("imis", "imiz"),
    ("onis", "oniz"),
    ("enis", "eniz"),
    ("oris", "oriz"),
    ("itis", "itiz"),
    ("domis", "domiz"),
    ("tomis", "tomiz"),
    ("anis", "aniz"),
    ("mois", "moiz"),
];
const ENDINGS: &[&str] = &["e", "ed", "er", "ers", "es", "ing", "ation", "ations", "able"];

/// IndexSnapshot whose forms the rules of stemming leave apart.
struct Kin {
    /// The stem of the word, by those of its forms.
    bases: FxHashMap<String, String>,
    forms: BTreeMap<String, Vec<String>>,
}

fn kin() -> &'static Kin {
    static KIN: LazyLock<Kin> = LazyLock::new(|| {
        let mut kin = Kin { bases: FxHashMap::default(), forms: BTreeMap::new() };
        for line in include_str!("lemmas.txt").lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace().map(regular);
            let Some(base) = words.next() else { continue };
            for form in words.filter(|form| *form != base) {
                kin.bases.insert(form.clone(), base.clone());
                kin.forms.entry(base.clone()).or_default().push(form);
            }
        }
        kin
    });
    &KIN
}

/// How words begin that have one of some stems: to look at two letters is less than to find out a stem.
pub(crate) struct StemPrefixes([bool; LETTERS * LETTERS]);

const LETTERS: usize = 26;

impl Default for StemPrefixes {
    fn default() -> Self {
        Self([false; LETTERS * LETTERS])
    }
}

impl StemPrefixes {
    /// Returns those of `stems`.
    pub(crate) fn of<'a>(stems: impl Iterator<Item = &'a str>) -> Self {
        let mut begin = Self::default();
        for stem in stems {
            let forms = forms_of(stem).iter().map(String::as_str);
            for at in forms.chain([stem]).filter_map(Self::place) {
                begin.0[at] = true;
            }
        }
        begin
    }

    /// Whether a word may have one of the stems.
    pub(crate) fn may_be(&self, word: &str) -> bool {
        Self::place(word).is_none_or(|at| self.0[at])
    }

    /// The first two letters as a number: those that a word and its stem have in common. `dying` and `die` have them when a `y` is
    /// an `i`. None for a word of other letters.
    fn place(word: &str) -> Option<usize> {
        let letter = |byte: u8| match byte.to_ascii_lowercase() {
            b'y' => Some(usize::from(b'i' - b'a')),
            small @ b'a'..=b'z' => Some(usize::from(small - b'a')),
            _ => None,
        };
        let [one, other, ..] = word.as_bytes() else { return None };
        Some(LETTERS * letter(*one)? + letter(*other)?)
    }
}

/// Whether one of two stems is a usual clipping of the other: `auth` and `authent`, `config` and `configur`.
pub(crate) fn is_clipping(one: &str, other: &str) -> bool {
    let shorter = one.len().min(other.len());
    shorter >= SHORTEST_PREFIX
        && one.len() != other.len()
        && one.as_bytes()[..shorter] == other.as_bytes()[..shorter]
}

/// How much a plain word of a question says about code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A subject or an action.
    Full,
    /// A word that any question about any program may hold.
    Generic,
    /// Grammar.
    Stop,
}

/// Returns the weight of a lower-case word.
pub(crate) fn weight_of(word: &str) -> Weight {
    static STOP: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    static GENERIC: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| GENERIC_WORDS.split_whitespace().collect());
    if STOP.contains(word) {
        Weight::Stop
    } else if GENERIC.contains(word) {
        Weight::Generic
    } else {
        Weight::Full
    }
}

/// Whether a word says no more than that what follows goes on: what keeps failing keeps nothing.
pub(crate) fn only_repeats(word: &str, rest: &str) -> bool {
    let next = rest.trim_start_matches(' ');
    let next = &next[..next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len())];
    let is_noun = next.len() < 5 || next.ends_with("thing") || next.ends_with("string");
    matches!(word, "keep" | "keeps" | "kept" | "keeping") && next.ends_with("ing") && !is_noun
}

const STOP_WORDS: &str = "
    a about above across after again against all along already also although always am among an and another any anyone
    anything are aren aren't around as ask at away be became because become been before being below between both but by
    can can't cannot could couldn't did didn didn't do does doesn doesn't doing don don't done down during each either
    else ensure etc even ever every exactly few first for from further get gets getting give given gives go goes going got
    had has hasn hasn't have haven having he hello help hence her here hi him his how however i i'd i'll i'm i've if in
    instead into is isn isn't it it's its itself just keep kind know known last later least less let lets like ll look
    looks lot made mainly make makes making many may maybe me mean means might more most mostly much must my near need
    needed needs never new next no none nor not nothing now of off often on once one ones only onto or other others
    our out over own part particular per perhaps please possible previous probably put quite rather re really
    responsible s same say second see seem seems seen shall she should shouldn shouldn't show shows since so some
    someone something sometimes soon still such sure t take taken takes tell than thank thanks that that's the their
    them then there there's therefore these they they're thing things think this those though through throughout thus
    to together too toward try trying two under until up upon us use used uses using usually ve very via want wanted
    wants was wasn way ways we we're well were what what's whatever when where whereas whether which while who whole
    whom whose why will wish with within without won won't would wouldn yes yet you your yours you're
    ";

const GENERIC_WORDS: &str = "
    achieve actual actually affect algorithmic allow allowed allowing allows answer application architectural
    architecture aspect avoid avoided avoiding avoids based behave behavior behaviors behaviour behaviours bug bugs
    call called calling calls case cases cause caused causes change changed changes check class classes code codebase
    come comes component consequence consider correct correctly current currently decide decided decides deciding
    define defined defines describe described design detail details determine determines difference different
    environment error errors example examples expect expected fail failed failing fails feature features file files
    find fix fixed flow follow followed following function functionality functions general handle handled handles
    handling happen happened happening happens idea impact implement implementation implemented implementing implements
    information instance interact internal internally involved issue issues job latest library like line lines list
    locate located location logic main manage managed mechanism method methods module modules name notice
    noticed notices noticing object occur
    occurred occurs operation operations order output overall parameter perform performed place places point possible
    prevent prevented preventing prevents problem problems process produce produces program project provide provided
    provides purpose question reason related relationship relevant repo report repository reproduce responsibility
    result results return returned returning returns role run running runs semantic simple single solution source
    specific start started step steps string support supported supports system thing time today type types understand
    update used user users value values variable version versions work worked working works write written wrong
    ";

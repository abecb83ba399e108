//! Selects the tokens of a `tokenizer.json` that may occur in a text: a few hundred of up to some hundred thousand.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// Longest piece of a text that is a token.
const MAX_PIECE: usize = 48;
/// What tokens have in place of a space.
const SPACES: [&str; 2] = ["▁", "Ġ"];
/// First tokens of a list with scores that are kept: the one for what is unknown is among them.
const FIRST: u64 = 16;

/// What a text needs of a tokenizer.
pub(super) struct TokenizerPieces<'f> {
    pub(super) normalizer: Value,
    pub(super) pre_tokenizer: Value,
    pub(super) model: TokenizerModel<'f>,
    /// By ID.
    pub(super) tokens: Vec<Token>,
    /// The pairs that are joined, first those that are joined first; none in models without.
    pub(super) merges: Option<Vec<[String; 2]>>,
}

/// A token that a text may hold.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) id: u64,
    /// Its score, in models that have them.
    pub(super) score: Option<f64>,
}

/// How tokens are found.
#[derive(Deserialize, Serialize)]
pub(super) struct TokenizerModel<'f> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    unk_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unk_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuing_subword_prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_of_word_suffix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_input_chars_per_word: Option<u64>,
    #[serde(default)]
    fuse_unk: bool,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
    #[serde(borrow, skip_serializing)]
    vocab: &'f RawValue,
    #[serde(borrow, skip_serializing)]
    merges: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct TokenizerFile<'f> {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(borrow)]
    model: TokenizerModel<'f>,
}

#[derive(Deserialize)]
struct AddedToken {
    content: String,
}

/// A text that is borrowed from the file where it can be.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Text<'f>(#[serde(borrow)] Cow<'f, str>);

/// Returns what `text`, of ASCII letters, digits and spaces, needs of a tokenizer; none for one that can't be taken apart.
pub(super) fn tokenizer_pieces<'f>(file: &'f [u8], text: &str) -> Option<TokenizerPieces<'f>> {
    let texts = [format!(" {text} "), format!(" {} ", text.to_lowercase())];
    let pieces = Pieces::of(&texts);
    let file: TokenizerFile<'_> = serde_json::from_slice(file).ok()?;
    // A token that is looked for before all others, and stands in the text, would need its own rules.
    let stands_in = |added: &AddedToken| texts.iter().any(|text| text.contains(&added.content));
    if file.added_tokens.iter().any(stands_in) {
        return None;
    }
    let TokenizerFile { normalizer, pre_tokenizer, model, .. } = file;
    let merges = match model.merges {
        Some(_) if model.continuing_subword_prefix.is_some() => return None,
        Some(merges) => Some(merges_of(merges.get(), &pieces)?),
        None => None,
    };
    let tokens = match model.kind.as_str() {
        "Unigram" => tokens_with_scores(model.vocab.get(), &pieces)?,
        "BPE" | "WordPiece" | "WordLevel" => {
            tokens_with_ids(model.vocab.get(), &pieces, model.unk_token.as_deref())?
        }
        _ => return None,
    };
    Some(TokenizerPieces { normalizer, pre_tokenizer, model, tokens, merges })
}

/// Returns the first tokens of a list, those that the text may hold, and the one of the lowest score, by which the cost of what
/// is unknown is set.
fn tokens_with_scores(list: &str, pieces: &Pieces<'_>) -> Option<Vec<Token>> {
    let all: Vec<(Text<'_>, f64)> = serde_json::from_str(list).ok()?;
    let lowest =
        all.iter().zip(0_u64..).min_by(|((_, one), _), ((_, other), _)| one.total_cmp(other));
    let lowest = lowest.map(|(_, id)| id);
    let found = all
        .iter()
        .zip(0_u64..)
        .filter(|((text, _), id)| *id < FIRST || Some(*id) == lowest || pieces.may_hold(&text.0));
    let token = |((text, score), id): (&(Text<'_>, f64), u64)| Token {
        text: text.0.to_string(),
        id,
        score: Some(*score),
    };
    Some(found.map(token).collect())
}

/// Returns the tokens that the text may hold, and the one for what is unknown.
fn tokens_with_ids(map: &str, pieces: &Pieces<'_>, unknown: Option<&str>) -> Option<Vec<Token>> {
    let all: FxHashMap<Text<'_>, u64> = serde_json::from_str(map).ok()?;
    let found = all
        .into_iter()
        .filter(|(text, _)| pieces.may_hold(&text.0) || unknown == Some(text.0.as_ref()));
    let mut found: Vec<Token> =
        found.map(|(text, id)| Token { text: text.0.into_owned(), id, score: None }).collect();
    found.sort_by_key(|token| token.id);
    let has_unknown = unknown.is_none_or(|unknown| found.iter().any(|token| token.text == unknown));
    has_unknown.then_some(found)
}

/// Returns the pairs whose joint the text may hold. They are written as `a b` or as a list of two.
fn merges_of(list: &str, pieces: &Pieces<'_>) -> Option<Vec<[String; 2]>> {
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = match serde_json::from_str(list) {
        Ok(joined) => {
            let joined: Vec<Text<'_>> = joined;
            let split = |text: Text<'_>| {
                let (first, second) = text.0.split_once(' ')?;
                Some((Cow::Owned(first.to_owned()), Cow::Owned(second.to_owned())))
            };
            joined.into_iter().map(split).collect::<Option<_>>()?
        }
        Err(_) => {
            let pairs: Vec<(Text<'_>, Text<'_>)> = serde_json::from_str(list).ok()?;
            pairs.into_iter().map(|(first, second)| (first.0, second.0)).collect()
        }
    };
    let held =
        pairs.into_iter().filter(|(first, second)| pieces.may_hold(&format!("{first}{second}")));
    Some(held.map(|(first, second)| [first.into_owned(), second.into_owned()]).collect())
}

/// The pieces of some texts.
struct Pieces<'t>(FxHashSet<&'t str>);

impl<'t> Pieces<'t> {
    fn of(texts: &'t [String]) -> Self {
        let mut pieces = FxHashSet::default();
        for text in texts {
            for start in 0..text.len() {
                let ends = start + 1..=text.len().min(start + MAX_PIECE);
                pieces.extend(ends.filter_map(|end| text.get(start..end)));
            }
        }
        Self(pieces)
    }

    /// Whether a text may hold a token, or a single byte is one. Tokens mark that they begin, continue or end a word.
    fn may_hold(&self, token: &str) -> bool {
        let plain = token.strip_prefix("##").unwrap_or(token);
        let plain = plain.strip_suffix("</w>").unwrap_or(plain);
        if plain.is_ascii() {
            return self.has(plain) || plain.starts_with("<0x");
        }
        let word = SPACES.iter().find_map(|space| plain.strip_prefix(space)).unwrap_or(plain);
        if word.is_ascii() && !word.is_empty() && !self.has(word) {
            return false;
        }
        let spaced = SPACES.iter().fold(plain.to_owned(), |text, space| text.replace(space, " "));
        spaced.is_ascii() && self.has(&spaced)
    }

    fn has(&self, piece: &str) -> bool {
        piece.len() > MAX_PIECE || self.0.contains(piece)
    }
}

//! Closed sets of words (roles, intents, reasons …): one macro, so that the word on the wire, on the command line and in
//! messages is the same everywhere.

/// Defines a closed set of words.
#[macro_export]
macro_rules! vocabulary {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        #[schemars(inline)]
        pub enum $name { $($(#[$inner])* $variant),+ }

        impl $name {
            /// Every member, in the order in which they are documented.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word that stands for this member on the wire and on the command line.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let wanted = word.trim().to_ascii_lowercase();
                Self::ALL.iter().copied().find(|known| known.word() == wanted).ok_or_else(|| {
                    $crate::UnknownWord::new(word, Self::ALL.iter().map(|known| known.word()))
                })
            }
        }
    };
}

/// A word that isn't a member of one of the vocabularies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{word}\" is not one of {known}")]
pub struct UnknownWord {
    word: String,
    known: String,
}

impl UnknownWord {
    #[doc(hidden)]
    pub fn new<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self { word: word.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
    }
}

//! Names that libraries and frameworks of all languages share: methods that pass a value on or keep it, and those that listen
//! for events or raise them. They are listed as text.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Names of methods and functions by what they do.
#[derive(Debug, Default)]
pub(crate) struct LibraryMethodEffects {
    /// Returns the object that it is called on, or an argument, or a part of one.
    pub(crate) passes: FxHashSet<&'static str>,
    /// Keeps its arguments in what it is called on.
    pub(crate) keeps: FxHashSet<&'static str>,
    /// Takes a handler for an event.
    pub(crate) listens: FxHashSet<&'static str>,
    /// Raises an event.
    pub(crate) raises: FxHashSet<&'static str>,
}

/// Returns the conventions, which are parsed once.
pub(crate) fn library_method_effects() -> &'static LibraryMethodEffects {
    static TABLE: LazyLock<LibraryMethodEffects> =
        LazyLock::new(|| LibraryMethodEffects::parse(include_str!("library_method_effects.table")));
    &TABLE
}

impl LibraryMethodEffects {
    fn parse(lines: &'static str) -> Self {
        let mut conventions = Self::default();
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let names = match words.next() {
                Some("passes") => &mut conventions.passes,
                Some("keeps") => &mut conventions.keeps,
                Some("listens") => &mut conventions.listens,
                Some("raises") => &mut conventions.raises,
                group => {
                    debug_assert!(false, "no group: {group:?}");
                    continue;
                }
            };
            names.extend(words);
        }
        conventions
    }
}

//! Finds declarations in the text of any common language without a parser: a line pattern names them; brackets,
//! indentation or `end` give their extent. Where there is a code graph its ranges are exact and replace these.

mod call_and_branch_density;
mod comment_line;
mod comment_stripper;
mod declaration_end;
mod declaration_finder;
mod line_patterns;
mod outline;
mod stripped_lines;

use retriever_graph::NodeKind;
use retriever_workspace::LineRange;

use self::line_patterns::{DeclarationEndRule, DeclarationLinePatterns};

pub(crate) use self::{
    call_and_branch_density::{DeclarationLine, call_count, call_density, is_plain_kind},
    declaration_finder::{DeclaredNames, declares_type, find, is_plain_type, is_type},
    outline::FileOutline,
};
pub use self::{
    comment_line::{code_lines, is_code_comment, is_comment_line},
    declaration_finder::declarations,
};

/// A declaration and its extent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declaration {
    /// From its first line (doc comment and attributes left out) to its last.
    pub range: LineRange,
    /// Its own name.
    pub name: String,
    /// Its kind in the language's terms: `fn`, `class`, `method`.
    pub kind: String,
}

impl Declaration {
    /// Whether it is a function or method by the code graph. Found in text it is one only in a language whose word for it is
    /// `function`.
    pub fn is_function(&self) -> bool {
        self.kind == NodeKind::Function.as_ref()
    }
}

/// A declaration found in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedDeclaration {
    /// The type that its line names before its name: `Type::name`.
    pub named_owner: Option<String>,
    /// Extent, name and kind.
    pub declaration: Declaration,
    /// Index of the innermost declaration around this one.
    pub parent: Option<usize>,
    /// Byte of its first line at which its name begins.
    pub name_column: u16,
}

impl NestedDeclaration {
    /// Returns the name of its owner: the type that its line names, else the declaration `around` it unless that is a namespace.
    pub fn owner<'a>(&'a self, around: Option<&'a Self>) -> Option<&'a str> {
        let around = around.filter(|around| around.declaration.kind != "namespace");
        self.named_owner.as_deref().or(around.map(|around| around.declaration.name.as_str()))
    }
}

/// Whether declarations of code can be found in files with this extension; headings of documents don't count.
pub(crate) fn is_code(extension: &str) -> bool {
    DeclarationLinePatterns::of(extension)
        .is_some_and(|rules| rules.extent != DeclarationEndRule::Section)
}

/// Whether a declaration is private by a keyword among its modifiers or by its name.
pub(crate) fn is_private(modifiers: &str, name: &str, extension: &str) -> bool {
    let is_keyword = |word| match word {
        "private" | "fileprivate" => true,
        // Of one file, not of a class.
        "static" => STATIC_OF_FILE.iter().any(|known| known.eq_ignore_ascii_case(extension)),
        _ => false,
    };
    name.starts_with('_') && !name.starts_with("__")
        || name.starts_with('#')
        || modifiers.split_whitespace().any(is_keyword)
}

/// Files in which `static` hides a function.
const STATIC_OF_FILE: &[&str] = &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx"];

/// A table of all bytes that is true for those in `bytes`.
const fn byte_table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

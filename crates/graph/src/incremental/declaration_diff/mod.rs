//! The difference between two versions of a file, as the names through which other files can observe it. A file is split
//! into items: functions, types, imports, exports. Other files reach an item that differs, or that names or contains one
//! that does, by one of its names. [`crate::resolve`] decides which files these are.

mod compare_declarations;
mod declaration_context;
mod declaration_hasher;
mod declaration_hashes;

pub(super) use self::compare_declarations::{
    added_reexports, differing_names, matching_definitions,
};
use self::declaration_hashes::{DeclarationHashes, handed_on};

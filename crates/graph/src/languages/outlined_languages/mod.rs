//! Languages that are outlined only: a tags query says what a file declares and which files it imports, and nothing else is
//! resolved. Each is one line here and one query; its grammar is a feature of the crate.

mod imported_files;

use self::imported_files::OutlinedImports;
use crate::languages::LanguageDefinition;

/// The languages whose grammar is built in.
pub(super) fn definitions() -> Vec<LanguageDefinition> {
    macro_rules! outlined {
        ($name:literal, $grammar:expr, $extensions:expr) => {
            LanguageDefinition::new($name, $grammar)
                .extensions($extensions)
                .tags_query(include_str!(concat!($name, ".scm")))
                .rules(&OutlinedImports)
        };
    }
    Vec::from([
        #[cfg(feature = "haskell")]
        outlined!("haskell", tree_sitter_haskell::LANGUAGE, &["hs"]),
        #[cfg(feature = "elixir")]
        outlined!("elixir", tree_sitter_elixir::LANGUAGE, &["ex", "exs"]),
        #[cfg(feature = "bash")]
        outlined!("bash", tree_sitter_bash::LANGUAGE, &["sh", "bash"]),
        #[cfg(feature = "zig")]
        outlined!("zig", tree_sitter_zig::LANGUAGE, &["zig"]),
        #[cfg(feature = "dart")]
        outlined!("dart", tree_sitter_dart::LANGUAGE, &["dart"]),
        #[cfg(feature = "protobuf")]
        outlined!("protobuf", tree_sitter_proto::LANGUAGE, &["proto"]),
        #[cfg(feature = "graphql")]
        outlined!("graphql", tree_sitter_graphql::LANGUAGE, &["graphql", "gql"]),
        #[cfg(feature = "hcl")]
        outlined!("hcl", tree_sitter_hcl::LANGUAGE, &["tf", "hcl", "tfvars"]),
        #[cfg(feature = "julia")]
        outlined!("julia", tree_sitter_julia::LANGUAGE, &["jl"]),
        #[cfg(feature = "objective-c")]
        outlined!("objective-c", tree_sitter_objc::LANGUAGE, &["m", "mm"]),
        #[cfg(feature = "ocaml")]
        outlined!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML, &["ml"]),
        #[cfg(feature = "perl")]
        outlined!("perl", ts_parser_perl::LANGUAGE, &["pm", "pl", "t"]),
        #[cfg(feature = "sql")]
        outlined!("sql", tree_sitter_sequel::LANGUAGE, &["sql"]),
        #[cfg(feature = "r")]
        outlined!("r", tree_sitter_r::LANGUAGE, &["r"]),
    ])
}

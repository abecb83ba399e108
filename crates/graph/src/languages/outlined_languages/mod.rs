//! Languages that are outlined only: a tags query says what a file declares and which files it imports, and nothing else is
//! resolved. Each is two lines here and one query; its grammar is a feature of the crate.

mod imported_files;

use self::imported_files::OutlinedImports;
use crate::languages::LanguageDefinition;

/// All of them, with the extensions of their files, whether or not their grammar is built in.
const EXTENSIONS: [(&str, &[&str]); 14] = [
    ("haskell", &["hs"]),
    ("elixir", &["ex", "exs"]),
    ("bash", &["sh", "bash"]),
    ("zig", &["zig"]),
    ("dart", &["dart"]),
    ("protobuf", &["proto"]),
    ("graphql", &["graphql", "gql"]),
    ("hcl", &["tf", "hcl", "tfvars"]),
    ("julia", &["jl"]),
    ("objective-c", &["m", "mm"]),
    ("ocaml", &["ml"]),
    ("perl", &["pm", "pl", "t"]),
    ("sql", &["sql"]),
    ("r", &["r"]),
];

/// Returns the name of the language that files with this extension are in, whether or not its grammar is built in.
pub(super) fn language_of_extension(extension: &str) -> Option<&'static str> {
    let is_of = |all: &[&str]| all.iter().any(|known| extension.eq_ignore_ascii_case(known));
    EXTENSIONS.iter().find(|(_, all)| is_of(all)).map(|(name, _)| *name)
}

fn extensions(name: &str) -> &'static [&'static str] {
    EXTENSIONS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, all)| *all)
}

/// The languages whose grammar is built in.
pub(super) fn definitions() -> Vec<LanguageDefinition> {
    macro_rules! outlined {
        ($name:literal, $grammar:expr) => {
            LanguageDefinition::new($name, $grammar)
                .extensions(extensions($name))
                .tags_query(include_str!(concat!($name, ".scm")))
                .rules(&OutlinedImports)
                .layout(imported_files::lay_out)
        };
    }
    Vec::from([
        #[cfg(feature = "haskell")]
        outlined!("haskell", tree_sitter_haskell::LANGUAGE),
        #[cfg(feature = "elixir")]
        outlined!("elixir", tree_sitter_elixir::LANGUAGE),
        #[cfg(feature = "bash")]
        outlined!("bash", tree_sitter_bash::LANGUAGE),
        #[cfg(feature = "zig")]
        outlined!("zig", tree_sitter_zig::LANGUAGE),
        #[cfg(feature = "dart")]
        outlined!("dart", tree_sitter_dart::LANGUAGE),
        #[cfg(feature = "protobuf")]
        outlined!("protobuf", tree_sitter_proto::LANGUAGE),
        #[cfg(feature = "graphql")]
        outlined!("graphql", tree_sitter_graphql::LANGUAGE),
        #[cfg(feature = "hcl")]
        outlined!("hcl", tree_sitter_hcl::LANGUAGE),
        #[cfg(feature = "julia")]
        outlined!("julia", tree_sitter_julia::LANGUAGE),
        #[cfg(feature = "objective-c")]
        outlined!("objective-c", tree_sitter_objc::LANGUAGE),
        #[cfg(feature = "ocaml")]
        outlined!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
        #[cfg(feature = "perl")]
        outlined!("perl", ts_parser_perl::LANGUAGE),
        #[cfg(feature = "sql")]
        outlined!("sql", tree_sitter_sequel::LANGUAGE),
        #[cfg(feature = "r")]
        outlined!("r", tree_sitter_r::LANGUAGE),
    ])
}

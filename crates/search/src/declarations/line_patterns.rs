//! The tables behind the declaration finder: one row a family of languages. A row says how comments, strings and blocks
//! look, and which lines declare something. Line patterns, not grammars: they hold for code as people lay it out.

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Captures, Regex, RegexSet};

use crate::lazy_byte_pattern::{compile, compile_set};

/// How the end of a declaration is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclarationEndRule {
    /// At the brace that closes its body, or at the end of its statement.
    Braces,
    /// Where the indentation falls back.
    Indentation,
    /// At an `end` of its own indentation.
    End,
    /// The same, and further equations of a function's name belong to it.
    Equations,
    /// At the next heading of its level or above.
    Section,
}

/// How a single quote is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SingleQuoteSyntax {
    /// It opens a string.
    String,
    /// It opens a character literal, or is a mark such as a lifetime.
    Character,
}

/// A pattern of lines that declare something. The group `name` is the name, `kind` the kind where the line has one, `owner` the
/// type that it names before the name.
pub(super) struct DeclarationPattern {
    pattern: String,
    /// Compiled when a line first needs it.
    compiled: OnceLock<Option<Regex>>,
    pub(super) kind: &'static str,
    /// Whether a match counts only when a body follows: calls look the same otherwise.
    pub(super) needs_body: bool,
}

impl DeclarationPattern {
    fn captures<'t>(&self, line: &'t str) -> Option<Captures<'t>> {
        self.compiled.get_or_init(|| compile(&self.pattern)).as_ref()?.captures(line.as_bytes())
    }
}

/// The patterns of a family. Hardly any line matches one of them, and one pass over a line says so.
struct CompiledRules {
    any: Option<RegexSet>,
    each: Vec<DeclarationPattern>,
}

/// A family of languages.
pub(super) struct DeclarationLinePatterns {
    extensions: &'static [&'static str],
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    pub(super) single_quote: SingleQuoteSyntax,
    pub(super) backtick: bool,
    pub(super) triple_quotes: bool,
    pub(super) extent: DeclarationEndRule,
    compiled: LazyLock<CompiledRules, fn() -> CompiledRules>,
}

impl DeclarationLinePatterns {
    /// Returns the family of a file extension.
    pub(super) fn of(extension: &str) -> Option<&'static Self> {
        if extension.is_empty() {
            return None;
        }
        let is_same = |known: &&str| known.eq_ignore_ascii_case(extension);
        FAMILIES.iter().find(|family| family.extensions.iter().any(is_same))
    }

    /// Whether a comment over several lines opens where `rest` begins. `(*)` is an operator.
    pub(super) fn opens_block_comment(&self, rest: &[u8]) -> bool {
        let opens = |(open, _): (&str, &str)| rest.starts_with(open.as_bytes());
        self.block_comment.is_some_and(opens) && !rest.starts_with(b"(*)")
    }

    /// Whether a line behind a comma may be what a constructor initialises: `next_(0) {`.
    pub(super) fn has_initializers(&self) -> bool {
        self.extensions.contains(&"cc")
    }

    /// Whether the lines of a comment over several lines begin with `*`.
    pub(super) fn has_starred_lines(&self) -> bool {
        self.block_comment == SLASHES
    }

    /// Returns the first rule that a line matches.
    pub(super) fn first_match<'t>(
        &'static self,
        line: &'t str,
    ) -> Option<(&'static DeclarationPattern, Captures<'t>)> {
        let rules: &'static CompiledRules = &self.compiled;
        let any = rules.any.as_ref()?;
        if !any.is_match(line.as_bytes()) {
            return None;
        }
        let rule = rules.each.get(any.matches(line.as_bytes()).iter().next()?)?;
        Some((rule, rule.captures(line)?))
    }
}

/// Whether a word in front of a bracket is a keyword and no declared name.
pub(super) fn is_control_word(word: &str) -> bool {
    matches!(
        word,
        "if" | "for"
            | "foreach"
            | "while"
            | "switch"
            | "catch"
            | "return"
            | "else"
            | "do"
            | "try"
            | "when"
            | "until"
            | "unless"
            | "elif"
            | "synchronized"
            | "sizeof"
            | "typeof"
            | "super"
            | "function"
            | "new"
            | "await"
            | "yield"
            | "throw"
            | "assert"
            | "guard"
            | "with"
            | "using"
            | "lock"
    )
}

/// Whether a line that begins with this word is a statement, whatever name stands behind it.
pub(super) fn is_statement(first_word: &str) -> bool {
    is_control_word(first_word)
        || matches!(
            first_word,
            "case"
                | "delete"
                | "goto"
                | "in"
                | "import"
                | "package"
                | "and"
                | "or"
                | "not"
                | "echo"
                | "print"
                | "raise"
                | "finally"
                | "break"
                | "throws"
        )
}

const MODIFIERS: &str = r"(?:(?:public|private|protected|internal|fileprivate|open|abstract|final|sealed|static|data|inline|value|inner|override|async|suspend|virtual|partial|readonly|mutating|nonisolated|implicit|lazy|case|tailrec|operator|infix|external|expect|actual|export|default|declare|extern|unsafe|const|native|convenience|required|nonmutating|companion|transparent|opaque|fun)(?:\[\w+\])?\s+)*";
const ANNOTATIONS: &str = r"^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*";
/// A macro between `class` and the name of one.
const EXPORT_MACRO: &str = r"(?:(?:[A-Z][A-Z0-9_]*|\w+_API)(?:\([^)]*\))?\s+)?";

/// What begins and ends a comment over several lines.
const SLASHES: Option<(&str, &str)> = Some(("/*", "*/"));

macro_rules! family {
    ($($field:ident: $value:expr),* $(; $pattern:literal => $kind:literal)* $(,)?) => {
        DeclarationLinePatterns {
            $($field: $value,)*
            compiled: LazyLock::new(|| compile_rules(&[$(($pattern, $kind)),*])),
        }
    };
}

/// Prepares the patterns; a leading `!` of a kind says that a body is needed.
fn compile_rules(rules: &[(&str, &'static str)]) -> CompiledRules {
    let expand = |pattern: &str| {
        let annotated = pattern.replace("{A}", ANNOTATIONS).replace("{M}", MODIFIERS);
        annotated.replace("{X}", EXPORT_MACRO)
    };
    let each: Vec<DeclarationPattern> = rules
        .iter()
        .map(|(pattern, kind)| DeclarationPattern {
            pattern: expand(pattern),
            compiled: OnceLock::new(),
            kind: kind.trim_start_matches('!'),
            needs_body: kind.starts_with('!'),
        })
        .collect();
    CompiledRules { any: compile_set(each.iter().map(|rule| rule.pattern.as_str())), each }
}

static FAMILIES: [DeclarationLinePatterns; 21] = [
    family! {
        extensions: &["rs"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r#"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+)?(?:(?:async|unsafe|const|extern(?:\s+"[^"]*")?)\s+)*(?P<kind>fn|struct|enum|trait|union|mod|type)\s+(?P<name>\w+)"# => "item";
        r"^\s*(?:unsafe\s+)?(?P<kind>impl)\b(?:\s*<.*?>)?\s+(?:.*\bfor\s+)?&?(?:\w+::)*(?P<name>\w+)" => "impl";
        r"^\s*macro_rules!\s*(?P<name>\w+)" => "macro";
        r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?P<kind>const|static)\s+(?:mut\s+)?(?P<name>\w+)\s*:" => "const"
    },
    family! {
        extensions: &["go"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: true, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^func\s+\([^)]*\)\s*(?P<name>\w+)" => "method";
        r"^func\s+(?P<name>\w+)" => "func";
        r"^type\s+(?P<name>\w+)(?:\[[^\]]*\])?\s+(?P<kind>struct|interface)\b" => "type";
        r"^type\s+(?P<name>\w+)\s+\S" => "type";
        r"^\t(?P<name>\w+)\s+(?P<kind>struct|interface)\s*\{" => "type";
        r"^(?P<kind>var|const)\s+(?P<name>\w+)" => "var"
    },
    family! {
        extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"],
        line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::String, backtick: true, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"{A}(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?P<kind>function|class|interface|enum|namespace|module|type)\*?\s+(?P<name>[\w$]+)" => "function";
        r"^\s*(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)\s*(?::[^=]+(?:=>[^=]+)?)?=\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|\($|\([^)]*$|[\w$]+\s*=>|<\w)" => "function";
        r"^(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)" => "const";
        r#"^\s*(?P<kind>describe|it|test|suite|specify)(?:\.\w+)*\s*\(\s*["'`](?P<name>[^"'`]+)["'`]"# => "test";
        r"^\s*(?:[\w$]+\.)+(?P<name>[\w$]+)\s*=\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>|class\b)" => "function";
        r"^\s+(?:(?:public|private|protected|static|async|readonly|override|abstract|get|set)\s+)*[*#]?(?P<name>[\w$]+)\s*(?:<[^>]*>)?\((?:[^()]*|.*\)\s*(?::.*)?\{\s*\}?\s*)$" => "!method";
        r"^\s+(?:(?:public|private|protected|static|readonly|override)\s+)*#?(?P<name>[\w$]+)\s*(?::[^=]+)?[:=]\s*(?:async\s+)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)" => "method"
    },
    family! {
        extensions: &["py", "pyi", "pyx", "nim", "gd"], line_comments: &["#"], block_comment: None,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Indentation;
        r"^\s*(?:async\s+)?(?P<kind>def|class|func|proc)\s+(?P<name>\w+)" => "def";
        r"^(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?=(?:[^=]|$)" => "variable"
    },
    family! {
        extensions: &["java", "cs", "dart", "groovy"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Braces;
        r"{A}{M}(?P<kind>class|interface|enum|record|struct|@interface|namespace|mixin|extension)\s+(?P<name>\w+)" => "class";
        r"^\s*(?:(?:public|private|protected|internal|static|final|const|readonly|volatile)\s+){2,}[\w<>\[\],.?]+\s+(?P<name>\w+)\s*(?:=|;)" => "constant";
        r"^\s{2,}(?P<name>[A-Z][A-Z0-9_]{2,})(?:\(.*\))?\s*[,;]?$" => "constant";
        r"{A}(?:[\w<>\[\],.?&*][\w<>\[\],.?&*:]*\s+)+?(?P<name>\w+)\s*(?:<[^>]*>)?\([^;]*$" => "!method";
        r"^\s+(?:public|private|protected|internal)\s+(?P<name>\w+)\s*\([^;]*$" => "!constructor"
    },
    family! {
        extensions: &["kt", "kts", "scala", "sc", "swift"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Braces;
        r"{A}{M}(?P<kind>enum class|enum|class|interface|object|trait|struct|protocol|extension|actor|annotation class|typealias)\s+(?P<name>\w+)" => "class";
        r"{A}{M}(?P<kind>fun|func|def)\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)*`?(?P<name>[\w]+)" => "fun";
        r"^\s*(?:(?:public|private|internal|convenience|required|override)\s+)*(?P<name>init|deinit|constructor)\b[?!]?\s*\(" => "init";
        r"^(?:\s{0,4})(?:(?:public|private|protected|internal|static|const|lazy|override|open|final|implicit)(?:\[\w+\])?\s+)*(?P<kind>val|var|let)\s+(?P<name>\w+)" => "val"
    },
    family! {
        extensions: &["c", "h"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^(?:typedef\s+)?(?:static\s+)?(?:const\s+)?(?P<kind>struct|enum|union)\s+{X}(?P<name>\w+)\s*\{?\s*$" => "struct";
        r"^\s*(?:template\s*<.*>\s*)?(?P<kind>class)\s+{X}(?P<name>\w+)(?:\s*final)?\s*(?::[^;]*)?\{?\s*$" => "class";
        r"^\s*#\s*define\s+(?P<name>\w+)(?:\(|\s+\S)" => "macro";
        r"^(?:[A-Za-z_][\w\s*]*[\s*])?(?P<name>[A-Za-z_]\w*)\s*\([^;]*$" => "!function";
        r"^static\s+(?:const\s+)?[\w\s*]+?[\s*](?P<name>\w+)\s*(?:\[[^\]]*\])*\s*=" => "variable"
    },
    family! {
        extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "m", "mm", "cu"],
        line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?P<kind>class|struct|enum class|enum|union|namespace|@interface|@implementation|@protocol)\s+{X}(?P<name>\w+)(?:\s*final)?\s*(?::[^;]*)?\{?\s*$" => "class";
        r"^[-+]\s*\([^)]*\)\s*(?P<name>\w+)" => "!method";
        r"^\s*#\s*define\s+(?P<name>\w+)(?:\(|\s+\S)" => "macro";
        r"^\s*(?:[\w<,*&~\[][\w:<>,*&~\[\]]*\s+)*[*&]*(?:[\w<>]+::)*?(?:(?P<owner>\w+)(?:<[\w<>]*>)?::)?(?P<name>~?\w+)\s*\([^;]*$" => "!function"
    },
    family! {
        extensions: &["php"], line_comments: &["//", "#"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^\s*(?:(?:abstract|final|readonly)\s+)*(?P<kind>class|interface|trait|enum)\s+(?P<name>\w+)" => "class";
        r"^\s*(?:(?:public|private|protected|static|abstract|final)\s+)*(?P<kind>function)\s+&?(?P<name>\w+)" => "function"
    },
    family! {
        extensions: &["rb", "ex", "exs", "lua", "jl", "cr", "rake"], line_comments: &["#", "--"], block_comment: None,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: true, extent: DeclarationEndRule::End;
        r"^\s*(?P<kind>class|module|defmodule|defprotocol|defimpl|(?:mutable )?struct)\s+(?P<name>[\w:.]+)" => "class";
        r"^\s*(?:local\s+)?(?P<kind>def|defp|defmacrop?|defguardp?|defdelegate|function|macro)\s+(?:self\.)?(?P<name>[\w.:?!]+)" => "def";
        r"^\s*(?:local\s+)?(?P<name>[\w.]+)\s*=\s*function\b" => "function"
    },
    family! {
        extensions: &["sh", "bash", "zsh", "ksh"], line_comments: &["#"], block_comment: None,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^\s*(?:function\s+)?(?P<name>[\w:.-]+)\s*\(\)" => "!function";
        r"^\s*function\s+(?P<name>[\w:.-]+)\s*\{" => "!function"
    },
    family! {
        extensions: &["sql"], line_comments: &["--"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r#"(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*(?P<kind>table|view|function|procedure|trigger|index|type)\s+(?:if\s+not\s+exists\s+)?(?:[\w"]+\.)?"?(?P<name>\w+)"# => "table"
    },
    family! {
        extensions: &["proto", "graphql", "gql", "thrift", "prisma", "api"], line_comments: &["//", "#"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Braces;
        r"^\s*(?:extend\s+)?(?P<kind>message|service|rpc|enum|type|input|interface|scalar|union|struct|exception|model)\s+(?P<name>\w+)" => "type"
    },
    family! {
        extensions: &["hs", "purs", "elm"], line_comments: &["--"], block_comment: Some(("{-", "-}")),
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Equations;
        r"^(?P<kind>data|newtype|class|type)\s+(?:(?:family|instance|alias)\s+)?(?:[^=]*=>\s*)?(?P<name>[A-Z][\w']*)" => "data";
        r"^(?:deriving\s+)?(?P<kind>instance)\s+(?:[^=]*=>\s*)?[\w.]+\s+[(\[\s]*(?:\w+\.)*(?P<name>[A-Z][\w']*)" => "instance";
        r"^(?P<name>[a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::?\s" => "function";
        r"^\s+(?P<name>[a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::\s" => "method";
        r"^(?P<name>[a-z_][\w']*)(?:\s[^=|]*)?\s[=|](?:\s|$)" => "function"
    },
    family! {
        extensions: &["erl", "hrl"], line_comments: &["%"], block_comment: None,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Equations;
        r"^(?P<name>[a-z]\w*)\([^)]*\).*->" => "function";
        r"^-(?P<kind>record|type|opaque|callback)\s*\(?\s*(?P<name>\w+)" => "record";
        r"^-define\(\s*(?P<name>\w+)" => "macro"
    },
    family! {
        extensions: &["ml", "mli", "fs", "fsi", "fsx"], line_comments: &["//"], block_comment: Some(("(*", "*)")),
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: true, extent: DeclarationEndRule::Indentation;
        r"^(?:\s{2}|\s{4})?(?P<kind>type|module|class|exception|external|val|let|and|member)\s+(?:(?:rec|nonrec|type|inline|private|mutable|static)\s+)*(?:'\w+\s+|\([^)]*\)\s+|\w+\.)?(?P<name>[\w']+)" => "let"
    },
    family! {
        extensions: &["zig"], line_comments: &["//"], block_comment: None,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r#"^\s*(?:pub\s+)?(?:(?:export|inline|noinline|extern(?:\s+"[^"]*")?)\s+)*(?P<kind>fn)\s+(?P<name>\w+)"# => "fn";
        r"^\s*(?:pub\s+)?const\s+(?P<name>\w+)\s*=\s*(?:(?:extern|packed)\s+)?(?P<kind>struct|enum|union|opaque)\b" => "struct";
        r"^(?:pub\s+)?(?P<kind>const|var)\s+(?P<name>\w+)" => "const";
        r#"^\s*(?P<kind>test)\s+"(?P<name>[^"]+)""# => "test"
    },
    family! {
        extensions: &["r", "pl", "pm", "ps1", "psm1"], line_comments: &["#"], block_comment: None,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^\s*(?P<kind>sub|package|function|class)\s+(?P<name>[\w:-]+)" => "function";
        r"^\s*(?P<name>[\w.]+)\s*(?:<-|=)\s*function\b" => "function";
        r"^(?P<name>[\w.]+)\s*<-\s*(?:\w+::)?(?P<kind>R6Class|setRefClass)\b" => "class"
    },
    family! {
        extensions: &["tf", "hcl"], line_comments: &["#", "//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r#"^(?P<kind>resource|data|module|variable|output|provider)\s+(?:"[^"]+"\s+)?"(?P<name>[^"]+)""# => "resource"
    },
    family! {
        extensions: &["sol"], line_comments: &["//"], block_comment: SLASHES,
        single_quote: SingleQuoteSyntax::String, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Braces;
        r"^\s*(?:abstract\s+)?(?P<kind>contract|library|interface|struct|enum|event|error|modifier|function)\s+(?P<name>\w+)" => "function"
    },
    family! {
        extensions: &["md", "mdx", "markdown"], line_comments: &[], block_comment: None,
        single_quote: SingleQuoteSyntax::Character, backtick: false, triple_quotes: false, extent: DeclarationEndRule::Section;
        r"^#{1,5}\s+(?P<name>\S.*?)\s*#*$" => "section"
    },
];

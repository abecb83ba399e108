//! Texts that no project should hold, made from the grammars: everything that may contain itself does so as often as fits
//! into the wanted size, and is left open, closed, or closed without having been opened; everything that may be repeated
//! is. `derive.py` makes the tables in `shapes/` from the grammars.

use retriever_graph::indexing::Language;

/// Something that may stand in itself, or be repeated.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The rule of the grammar that it is taken from.
    pub(crate) rule: String,
    before: String,
    open: String,
    core: String,
    close: String,
    after: String,
}

/// What is done with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As often closed as opened.
    Closed,
    /// Never closed.
    Open,
    /// Closed without having been opened.
    Unopened,
    /// Closed half as often.
    HalfClosed,
    /// Closed, behind one word that is as long.
    BehindLongWord,
}

impl Form {
    pub(crate) const ALL: [Self; 5] =
        [Self::Closed, Self::Open, Self::Unopened, Self::HalfClosed, Self::BehindLongWord];
}

/// The tables, by language.
const TABLES: &[(Language, &str)] = &[
    (Language::C, include_str!("shapes/c.shapes")),
    (Language::Cpp, include_str!("shapes/cpp.shapes")),
    (Language::CSharp, include_str!("shapes/csharp.shapes")),
    (Language::Go, include_str!("shapes/go.shapes")),
    (Language::Java, include_str!("shapes/java.shapes")),
    (Language::JavaScript, include_str!("shapes/javascript.shapes")),
    (Language::Lua, include_str!("shapes/lua.shapes")),
    (Language::Kotlin, include_str!("shapes/kotlin.shapes")),
    (Language::Php, include_str!("shapes/php.shapes")),
    (Language::Python, include_str!("shapes/python.shapes")),
    (Language::Ruby, include_str!("shapes/ruby.shapes")),
    (Language::Rust, include_str!("shapes/rust.shapes")),
    (Language::Scala, include_str!("shapes/scala.shapes")),
    (Language::Swift, include_str!("shapes/swift.shapes")),
    (Language::TypeScript, include_str!("shapes/typescript.shapes")),
    (Language::Tsx, include_str!("shapes/tsx.shapes")),
    (Language::Vue, include_str!("shapes/typescript.shapes")),
    (Language::Svelte, include_str!("shapes/javascript.shapes")),
    (Language::Notebook, include_str!("shapes/python.shapes")),
];

/// Returns the text of a file of a language that has `code` where the language has code.
pub(crate) fn file_of(language: Language, code: &str) -> String {
    match language {
        Language::Vue => {
            format!("<template>\n{code}\n</template>\n<script lang=\"ts\">\n{code}\n</script>\n")
        }
        Language::Svelte => format!("<script>\n{code}\n</script>\n{code}\n"),
        Language::Notebook => {
            let lines: Vec<String> =
                code.split_inclusive('\n').map(|line| format!("{line:?}")).collect();
            let lines = lines.join(",\n").replace("\\'", "'").replace("\\0", "\\u0000");
            format!("{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [\n{lines}\n]}}]}}\n")
        }
        _ => code.to_owned(),
    }
}

/// The shapes of a language: those of its grammar, and those that were found by hand.
pub(crate) fn shapes(language: Language) -> Vec<Shape> {
    let name = language.name();
    let derived =
        TABLES.iter().find(|(known, _)| *known == language).map_or("", |(_, table)| table);
    let found = include_str!("shapes/found.shapes").lines().filter_map(|line| {
        let (languages, shape) = line.split_once('\t')?;
        (languages == "*" || languages.split(',').any(|known| known == name)).then_some(shape)
    });
    derived.lines().chain(found).filter(|line| !line.is_empty()).map(Shape::parse).collect()
}

impl Shape {
    fn parse(line: &str) -> Self {
        let mut fields = line.split('\t');
        let rule = fields.next().unwrap_or_default().to_owned();
        let mut field = || unescape(fields.next().unwrap_or_default());
        let (before, open, core, close, after) = (field(), field(), field(), field(), field());
        Self { rule, before, open, core, close, after }
    }

    /// A text of about `bytes` bytes; indentation grows with the nesting.
    pub(crate) fn text(&self, form: Form, bytes: usize) -> Option<String> {
        if form == Form::BehindLongWord {
            let closed = self.text(Form::Closed, bytes / 2)?;
            return Some(format!("{}\n{closed}", "a".repeat(bytes / 2)));
        }
        let is_pointless = match form {
            Form::Closed | Form::BehindLongWord => false,
            Form::Open | Form::HalfClosed => self.close.is_empty() || self.open.is_empty(),
            Form::Unopened => self.close.is_empty(),
        };
        if is_pointless {
            return None;
        }
        let mut text = Text { out: String::with_capacity(bytes + 1024), indent: 0, limit: bytes };
        text.push(&self.before);
        let mut opened = 0usize;
        let share = match form {
            Form::Open => bytes,
            Form::Unopened => 0,
            _ => bytes * (self.open.len() + 1) / (self.open.len() + self.close.len() + 2),
        };
        while text.out.len() < share && !self.open.is_empty() {
            text.push(&self.open);
            opened += 1;
        }
        text.push(&self.core);
        let closed = match form {
            Form::Closed | Form::BehindLongWord => opened,
            Form::HalfClosed => opened / 2,
            Form::Open => 0,
            Form::Unopened => bytes / (self.close.len() + 1),
        };
        for _ in 0..closed {
            if text.out.len() > 2 * bytes {
                break;
            }
            text.push(&self.close);
        }
        text.push(&self.after);
        Some(text.out)
    }
}

struct Text {
    out: String,
    indent: usize,
    limit: usize,
}

impl Text {
    fn push(&mut self, piece: &str) {
        if !self.out.is_empty() && !self.out.ends_with(['\n', ' ']) && !piece.is_empty() {
            self.out.push(' ');
        }
        for char in piece.chars() {
            match char {
                '\u{1}' => self.indent += 1,
                '\u{2}' => {
                    self.indent = self.indent.saturating_sub(1);
                    self.line();
                    continue;
                }
                '\n' => {
                    self.line();
                    continue;
                }
                char => self.out.push(char),
            }
            if char == '\u{1}' {
                self.out.push(' ');
            }
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        let room = (2 * self.limit).saturating_sub(self.out.len());
        self.out.extend(std::iter::repeat_n(' ', self.indent.min(room)));
    }
}

fn unescape(field: &str) -> String {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

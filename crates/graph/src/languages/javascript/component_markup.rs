//! The markup of a component: where its scripts are, and which places of its template hold code. It is read in one pass
//! without a grammar; what is not closed ends with the text.

use std::ops::Range;

use memchr::memmem;

/// What marks code in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateSyntax {
    /// `{{ code }}`, and the values of attributes that start with `@`, `:` or `v-`.
    Vue,
    /// `{code}`, in text and in attributes.
    Svelte,
}

/// The parts of a component, as ranges of bytes in the order of the text.
#[derive(Debug, Default)]
pub(super) struct ComponentMarkup {
    pub(super) scripts: Vec<Range<usize>>,
    /// The `lang` of the scripts; the last one that has any counts.
    pub(super) script_language: String,
    /// The first tag of a script, for a signature.
    pub(super) first_script_tag: Option<Range<usize>>,
    /// Code of the template. A byte that is no code stands before and behind each.
    pub(super) template_code: Vec<Range<usize>>,
    /// The names of tags.
    pub(super) tags: Vec<Range<usize>>,
}

/// Reads the markup of `text`.
pub(super) fn read_markup(text: &str, syntax: TemplateSyntax) -> ComponentMarkup {
    let found = ComponentMarkup::default();
    let scanner = Scanner { text, at: 0, syntax, in_script: false, found };
    scanner.run()
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    syntax: TemplateSyntax,
    /// The tag that is read is that of a script.
    in_script: bool,
    found: ComponentMarkup,
}

impl Scanner<'_> {
    fn run(mut self) -> ComponentMarkup {
        let bytes = self.text.as_bytes();
        while let Some(step) = memchr::memchr2(b'<', b'{', &bytes[self.at..]) {
            self.at += step;
            let rest = &bytes[self.at..];
            if rest[0] == b'{' {
                self.braces();
            } else if rest.starts_with(b"<!--") {
                self.skip_behind("-->");
            } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
                self.tag();
            } else {
                self.at += 1;
            }
        }
        self.found
    }

    /// Goes behind the next `end`, or to the end of the text.
    fn skip_behind(&mut self, end: &str) {
        let rest = &self.text.as_bytes()[self.at..];
        let step = memmem::find(rest, end.as_bytes()).map_or(rest.len(), |at| at + end.len());
        self.at += step;
    }

    /// Reads code in braces from the text of the template, at its first brace.
    fn braces(&mut self) {
        let bytes = self.text.as_bytes();
        match self.syntax {
            TemplateSyntax::Vue if bytes[self.at..].starts_with(b"{{") => {
                let start = self.at + 2;
                self.at = start;
                self.skip_behind("}}");
                if self.text[start..self.at].ends_with("}}") {
                    self.found.template_code.push(start..self.at - 2);
                }
            }
            TemplateSyntax::Vue => self.at += 1,
            TemplateSyntax::Svelte => {
                let start = self.at + 1;
                self.at = behind_braces(bytes, self.at);
                if self.at > start && bytes[self.at - 1] == b'}' {
                    self.svelte_code(&(start..self.at - 1));
                }
            }
        }
    }

    /// A tag, with the text behind it where that is no markup.
    fn tag(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        let length = bytes[start + 1..].iter().take_while(|byte| is_name(byte)).count();
        let name = start + 1..start + 1 + length;
        self.at = name.end;
        self.in_script = &self.text[name.clone()] == "script";
        let closes_itself = self.attributes();
        match &self.text[name.clone()] {
            "script" => {
                self.found.first_script_tag.get_or_insert(start..self.at);
                if !closes_itself {
                    let start = self.at;
                    self.skip_behind("</script");
                    let script = &self.text[start..self.at];
                    let length = script.strip_suffix("</script").unwrap_or(script).len();
                    self.found.scripts.push(start..start + length);
                }
            }
            "style" if !closes_itself => self.skip_behind("</style"),
            _ => self.found.tags.push(name),
        }
    }

    /// The attributes of a tag, and its end. Returns whether the tag closes itself.
    fn attributes(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'>' => {
                    self.at += 1;
                    return bytes[self.at - 2] == b'/';
                }
                b'{' if self.syntax == TemplateSyntax::Svelte => self.braces(),
                byte if byte.is_ascii_whitespace() || *byte == b'/' => self.at += 1,
                _ => self.attribute(),
            }
        }
        true
    }

    fn attribute(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"=>/".contains(byte);
        // What can be no name is taken as one, so that the scan goes on.
        let length = bytes[start..].iter().take_while(|byte| is_name(byte)).count().max(1);
        self.at += length;
        if bytes.get(self.at) != Some(&b'=') || bytes[start] == b'=' {
            return;
        }
        self.at += 1;
        let value = match bytes.get(self.at) {
            Some(quote @ (b'"' | b'\'')) => {
                let from = self.at + 1;
                let rest = &bytes[from..];
                let end = memchr::memchr(*quote, rest).map_or(bytes.len(), |at| from + at);
                self.at = (end + 1).min(bytes.len());
                from..end
            }
            Some(b'{') if self.syntax == TemplateSyntax::Svelte => return self.braces(),
            _ => {
                let from = self.at;
                let is_value = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'>';
                self.at += bytes[from..].iter().take_while(|byte| is_value(byte)).count();
                from..self.at
            }
        };
        // A part of a character that has several bytes is no end of a name.
        let name = self.text.get(start..start + length).unwrap_or_default();
        if self.in_script {
            if name == "lang" {
                self.found.script_language = self.text[value].to_owned();
            }
            return;
        }
        match self.syntax {
            TemplateSyntax::Vue => self.directive(name, &value),
            TemplateSyntax::Svelte => self.braces_inside(&value),
        }
    }

    /// The value of an attribute of Vue. One without quotes is left out: nothing could stand before it.
    fn directive(&mut self, name: &str, value: &Range<usize>) {
        let is_quoted = matches!(self.text.as_bytes()[value.start - 1], b'"' | b'\'');
        let is_code = name.starts_with(['@', ':']) || name.starts_with("v-");
        if !is_quoted || !is_code || name.starts_with("v-slot") || value.end >= self.text.len() {
            return;
        }
        let mut start = value.start;
        if name == "v-for" {
            // What is bound stands before.
            let code = &self.text[value.clone()];
            let Some(at) = [" in ", " of "].iter().find_map(|word| code.find(word)) else { return };
            start += at + 4;
        }
        self.found.template_code.push(start..value.end);
    }

    /// The code in the value of an attribute of Svelte.
    fn braces_inside(&mut self, value: &Range<usize>) {
        let behind = self.at;
        self.at = value.start;
        let bytes = self.text.as_bytes();
        while self.at < value.end
            && let Some(step) = memchr::memchr(b'{', &bytes[self.at..value.end])
        {
            self.at += step;
            self.braces();
        }
        self.at = self.at.max(behind);
    }

    /// What stands in braces, without the words of blocks and without what they bind.
    fn svelte_code(&mut self, inside: &Range<usize>) {
        let text = &self.text[inside.clone()];
        let (word, code) = match text.find(char::is_whitespace) {
            Some(at) if text.starts_with(['#', ':', '@', '/']) => text.split_at(at),
            _ => ("", text),
        };
        let code = match word {
            "#each" => code.split(" as ").next().unwrap_or(code),
            "#await" => code.split(" then ").next().unwrap_or(code),
            ":else" => match code.trim_start().strip_prefix("if ") {
                Some(condition) => condition,
                None => return,
            },
            "" if text.starts_with(['#', ':', '@', '/']) => return,
            "" => code.strip_prefix("...").unwrap_or(code),
            "#snippet" | ":then" | ":catch" => return,
            _ if word.starts_with('/') => return,
            _ => code,
        };
        let start = inside.start + (code.as_ptr() as usize - text.as_ptr() as usize);
        self.found.template_code.push(start..start + code.len());
    }
}

/// Returns the place behind the brace that closes the one at `open`, or the end of the text. Strings are skipped.
fn behind_braces(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            quote @ (b'"' | b'\'' | b'`') => {
                let rest = &bytes[at + 1..];
                at += memchr::memchr(*quote, rest).map_or(rest.len(), |end| end + 1);
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

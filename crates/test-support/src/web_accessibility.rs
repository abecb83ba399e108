//! Checks the accessibility of a page's text: landmarks, headings, names, links, tables, scrolled parts, focus and
//! contrast. The rules are those of WCAG 2.2 (AA) that checkers such as axe run.

use std::collections::{BTreeMap, BTreeSet};

/// Colours of text in the stylesheet, with their backgrounds.
const INKS: [&str; 12] =
    ["ink", "soft", "accent", "good", "fair", "bad", "c", "s", "n", "f", "t", "k"];
const GROUNDS: [&str; 2] = ["ground", "raised"];
/// Colours of code, which may have the background of a marked line.
const MARKED_INKS: [&str; 8] = ["ink", "soft", "c", "s", "n", "f", "t", "k"];
/// Least contrast of text, and of the focus mark.
const TEXT_CONTRAST: f64 = 4.5;
const FOCUS_CONTRAST: f64 = 3.0;

/// A start tag.
struct Tag<'a> {
    name: &'a str,
    attributes: BTreeMap<&'a str, &'a str>,
    /// The tags around it, outermost first.
    around: Vec<&'a str>,
    /// The roles around it.
    roles: Vec<&'a str>,
    /// The text up to its end tag, without tags.
    text: String,
}

impl<'a> Tag<'a> {
    fn get(&self, name: &str) -> &'a str {
        self.attributes.get(name).copied().unwrap_or_default()
    }

    fn has_class(&self, class: &str) -> bool {
        self.get("class").split(' ').any(|it| it == class)
    }

    fn shown(&self) -> String {
        format!("<{} class=\"{}\" id=\"{}\">", self.name, self.get("class"), self.get("id"))
    }
}

/// Returns a sentence for each fault of a page.
pub fn accessibility_faults(page: &str) -> Vec<String> {
    let tags = tags(page);
    let mut faults = Vec::new();
    // Parts of a diagram also have titles.
    let is_part = |tag: &&Tag<'_>| tag.around.contains(&"svg");
    let count = |name: &str| tags.iter().filter(|tag| tag.name == name && !is_part(tag)).count();
    for name in ["html", "title", "main", "h1"] {
        if count(name) != 1 {
            faults.push(format!("{} {name} elements", count(name)));
        }
    }
    let mut level = 0;
    let mut ids = BTreeSet::new();
    for tag in &tags {
        if let Some(number) = tag.name.strip_prefix('h').and_then(|it| it.parse::<u32>().ok()) {
            if number > level + 1 {
                faults.push(format!("h{number} after h{level}: {}", tag.text));
            }
            level = number;
        }
        if !tag.get("id").is_empty() && !ids.insert(tag.get("id")) {
            faults.push(format!("the id {} twice", tag.get("id")));
        }
        faults.extend(faults_of(tag).into_iter().map(|fault| format!("{fault}: {}", tag.shown())));
    }
    for tag in tags.iter().filter(|tag| tag.name == "a") {
        if let Some(id) = tag.get("href").strip_prefix('#').filter(|id| !ids.contains(id)) {
            faults.push(format!("a link to #{id}, which is nowhere"));
        }
    }
    faults.extend(style_faults(page));
    faults
}

/// Returns what is wrong with one element.
fn faults_of(tag: &Tag<'_>) -> Vec<&'static str> {
    let role = tag.get("role");
    let has_name = !tag.get("aria-label").is_empty();
    let is_scrolled = tag.name == "pre" || tag.has_class("wide");
    let is_list = |name: &&str| ["ul", "ol"].contains(name);
    let rules = [
        (tag.name == "html" && tag.get("lang").is_empty(), "no language"),
        (tag.name == "nav" && !has_name, "a landmark without a name"),
        (role == "region" && !has_name, "a region without a name"),
        (
            has_name && role.is_empty() && ["div", "pre", "span", "p"].contains(&tag.name),
            "a name that nothing reads",
        ),
        (
            tag.name == "svg" && tag.roles.is_empty() && (role.is_empty() || !has_name),
            "a picture without a role or a name",
        ),
        (
            tag.name == "a" && tag.roles.contains(&"img"),
            "a link inside of an image, which hides it",
        ),
        (tag.name == "a" && tag.text.trim().is_empty(), "a link without a text"),
        (tag.name == "img" && !tag.attributes.contains_key("alt"), "an image without a text"),
        (tag.name == "th" && tag.get("scope").is_empty(), "a heading of a table without its scope"),
        (tag.name == "th" && tag.text.trim().is_empty(), "an empty heading of a table"),
        (tag.name == "table" && !tag.text.contains('\u{1}'), "a table without headings"),
        (tag.name == "li" && !tag.around.last().is_some_and(is_list), "an item outside of a list"),
        (
            is_scrolled && (tag.get("tabindex") != "0" || role != "region"),
            "a scrolled part that no key reaches",
        ),
        (tag.get("tabindex").parse::<i32>().is_ok_and(|index| index > 0), "an order of its own"),
    ];
    rules.into_iter().filter(|(is_broken, _)| *is_broken).map(|(_, fault)| fault).collect()
}

/// Returns the start tags of a page. Its attributes must not contain `<` and `>`.
fn tags(page: &str) -> Vec<Tag<'_>> {
    const EMPTY: [&str; 4] = ["meta", "br", "img", "link"];
    let mut tags: Vec<Tag<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for part in page.split('<').skip(1) {
        let Some((inside, text)) = part.split_once('>') else { continue };
        if let Some(name) = inside.strip_prefix('/') {
            while let Some(at) = open.pop() {
                if tags[at].name == name {
                    break;
                }
            }
        } else if !inside.starts_with('!') {
            let name = inside.split([' ', '\n', '/']).next().unwrap_or_default();
            let roles = open.iter().map(|at| tags[*at].get("role")).filter(|it| !it.is_empty());
            let tag = Tag {
                name,
                attributes: attributes(inside),
                around: open.iter().map(|at| tags[*at].name).collect(),
                roles: roles.collect(),
                text: String::new(),
            };
            if name == "th" {
                // Marks the table around it.
                open.iter().for_each(|at| tags[*at].text.push('\u{1}'));
            }
            tags.push(tag);
            if !EMPTY.contains(&name) && !inside.ends_with('/') {
                open.push(tags.len() - 1);
            }
        }
        for at in &open {
            tags[*at].text.push_str(text);
        }
    }
    tags
}

fn attributes(tag: &str) -> BTreeMap<&str, &str> {
    let mut parts = tag.split('"');
    let mut found = BTreeMap::new();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        let name = name.trim_end_matches('=').rsplit([' ', '\n']).next().unwrap_or_default();
        found.insert(name, value);
    }
    found
}

fn style_faults(page: &str) -> Vec<String> {
    let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
    let style = style.unwrap_or_default();
    let (light, rest) = style.split_once("prefers-color-scheme: dark").unwrap_or((style, ""));
    let mut faults = Vec::new();
    for (theme, text) in [("light", light), ("dark", rest)] {
        let colors = colors(text);
        let mut check =
            |ink: &str, ground: &str, least: f64| match colors.get(ink).zip(colors.get(ground)) {
                Some((a, b)) if contrast(*a, *b) >= least => {}
                Some((a, b)) => {
                    faults.push(format!("{theme}: {ink} on {ground} has {:.2}", contrast(*a, *b)));
                }
                None => faults.push(format!("{theme}: no colour {ink} or {ground}")),
            };
        for ground in GROUNDS {
            INKS.iter().for_each(|ink| check(ink, ground, TEXT_CONTRAST));
        }
        MARKED_INKS.iter().for_each(|ink| check(ink, "mark", TEXT_CONTRAST));
        check("accent", "ground", FOCUS_CONTRAST);
        check("accent", "raised", FOCUS_CONTRAST);
    }
    for rule in ["a:focus-visible", "[tabindex=\"0\"]:focus-visible"] {
        let shows =
            |part: &str| part.split('}').next().is_some_and(|it| it.contains("outline: 3px"));
        if !style.split(rule).nth(1).is_some_and(shows) {
            faults.push(format!("{rule} shows no focus"));
        }
    }
    faults
}

/// Returns the first value of each colour variable of a stylesheet.
fn colors(style: &str) -> BTreeMap<&str, [f64; 3]> {
    let mut colors = BTreeMap::new();
    for part in style.split("--").skip(1) {
        let Some((name, rest)) = part.split_once(": #") else { continue };
        let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        let digits = match digits.len() {
            3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            _ => digits,
        };
        let channel = |at: usize| {
            let channel = digits.get(at..at + 2).and_then(|it| u8::from_str_radix(it, 16).ok());
            f64::from(channel.unwrap_or_default()) / 255.0
        };
        colors.entry(name).or_insert([channel(0), channel(2), channel(4)]);
    }
    colors
}

/// Returns the contrast of two colours, from 1 to 21.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |color: [f64; 3]| {
        let [red, green, blue] = color.map(|channel| match channel <= 0.040_45 {
            true => channel / 12.92,
            false => ((channel + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

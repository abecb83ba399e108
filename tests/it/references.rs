//! The reference pages of the manual are those of the types: every key of the configuration, every tool over MCP. And
//! what agents keep in their context of this program is measured.

use std::{env, fmt::Write, fs, path::Path};

use pretty_assertions::assert_eq;
use retriever::{config::process_environment::VARIABLES, estimate_tokens, schemas};
use serde_json::Value;

use crate::mcp::{listed_tools, resident_tools};

/// Tokens of what an agent keeps in its context, whether it asks or not.
const RESIDENT_TOKENS: u64 = 350;

/// Compares a page with the checked-in one, or writes it with `UPDATE=1`.
fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, page).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, page, "UPDATE=1 cargo test -p retriever --test it references writes {name}");
}

/// Text inside a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The type of a value in a word, and its words if it has few.
fn kind(schema: &Value) -> String {
    if let Some(words) = schema["oneOf"].as_array().or_else(|| schema["enum"].as_array()) {
        let words =
            words.iter().map(|word| word["const"].as_str().or(word.as_str()).unwrap_or_default());
        return words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    match schema["type"].as_str().unwrap_or("value") {
        "array" => match kind(&schema["items"]) {
            words if words.starts_with('`') => format!("list of {words}"),
            word => format!("list of {word}s"),
        },
        "integer" => "number".to_owned(),
        other => other.to_owned(),
    }
}

/// Follows a reference into the definitions.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &root["$defs"][name])
}

fn rows(root: &Value, section: &str, schema: &Value, page: &mut String) {
    for (name, key) in schema["properties"].as_object().unwrap() {
        let path = format!("{section}.{name}");
        let target = resolved(root, key);
        if target["properties"].is_object() && target["type"] == "object" && key["type"] != "array"
        {
            rows(root, &path, target, page);
            continue;
        }
        let default =
            key.get("default").map_or("required".to_owned(), |value| format!("`{value}`"));
        let variables = VARIABLES.iter().filter(|(_, set)| *set == path);
        let variables: Vec<String> = variables.map(|(name, _)| format!("`{name}`")).collect();
        let (kind, about) =
            (kind(target), key["description"].as_str().or(target["description"].as_str()));
        let about = cell(about.unwrap_or_default());
        let _ = writeln!(
            page,
            "| `{path}` | {kind} | {default} | {} | {about} |",
            variables.join(", ")
        );
    }
}

#[test]
fn the_reference_of_the_configuration_is_that_of_the_types() {
    let root = &schemas()["config"];
    let mut page = "# Configuration reference\n\n\
        Every key of `~/.config/retriever/config.toml`, made from the types. [Models and configuration](models.md) explains the\n\
        usual ones, [config.example.toml](../config.example.toml) is a file with all of them.\n"
        .to_owned();
    for (section, key) in root["properties"].as_object().unwrap() {
        let _ = write!(page, "\n## `[{section}]`\n\n{}\n\n", key["description"].as_str().unwrap());
        let schema = resolved(root, key);
        if schema["properties"].is_object() {
            page += "| key | type | default | variable | |\n| --- | --- | --- | --- | --- |\n";
            rows(root, section, schema, &mut page);
        } else {
            page += "Any name may be a key; its value is a list of strings.\n";
        }
    }
    check("configuration.md", &page);
}

#[test]
fn the_reference_of_mcp_is_that_of_the_schemas() {
    let mut page = "# MCP reference\n\n\
        Every tool that `retriever mcp` and `retriever serve` list, made from their schemas. All of them only read.\n\
        `retriever schema` prints the schemas of results.\n"
        .to_owned();
    for tool in listed_tools() {
        let (name, about) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
        let _ = write!(page, "\n## `{name}`\n\n{}\n\n", about.trim());
        page += "| argument | type | |\n| --- | --- | --- |\n";
        let required: Vec<&str> = tool["inputSchema"]["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let needed = if required.contains(&argument.as_str()) { ", required" } else { "" };
            let about = cell(schema["description"].as_str().unwrap_or_default());
            let _ = writeln!(page, "| `{argument}` | {}{needed} | {about} |", kind(schema));
        }
        let results = tool["outputSchema"]["properties"].as_object().unwrap();
        let names: Vec<String> = results.keys().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "\nThe result has {}.", names.join(", "));
    }
    check("mcp.md", &page);
}

/// The lines of a file's front matter.
fn front_matter(text: &str) -> &str {
    text.strip_prefix("---\n").and_then(|text| text.split("\n---").next()).unwrap_or_default()
}

#[test]
fn agents_keep_few_words_of_this_program_in_mind() {
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/setup/texts");
    let text = |name: &str| fs::read_to_string(texts.join(name)).unwrap();
    let (server, tools) = resident_tools();
    let of_tools = |field: &str| -> u64 {
        let texts = tools.iter().map(|tool| {
            tool[field].as_str().map_or_else(|| tool[field].to_string(), str::to_owned)
        });
        texts.map(|text| estimate_tokens(&text)).sum()
    };
    let mut parts: Vec<(String, u64)> = vec![
        ("server, instructions".to_owned(), estimate_tokens(&server)),
        (
            "`ask`, `explore`, `context`: names and descriptions".to_owned(),
            of_tools("name") + of_tools("description"),
        ),
        (
            "sub-agent, name and description".to_owned(),
            estimate_tokens(front_matter(&text("subagent.plain.md"))),
        ),
        (
            "skill, name and description".to_owned(),
            estimate_tokens(front_matter(&text("skill.md"))),
        ),
        ("instructions, if asked for".to_owned(), estimate_tokens(&text("instructions.md"))),
    ];
    let all: u64 = parts.iter().map(|(_, tokens)| tokens).sum();
    let mut table = String::new();
    parts.push(("all".to_owned(), all));
    parts.push(("arguments of the three tools".to_owned(), of_tools("inputSchema")));
    for (name, tokens) in &parts {
        let _ = writeln!(table, "| {name} | {tokens} |");
    }
    assert!(all <= RESIDENT_TOKENS, "{all} tokens:\n{table}");
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md")).unwrap();
    assert!(page.contains(&table), "docs/agents.md should say\n{table}");
}

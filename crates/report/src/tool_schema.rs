//! JSON Schemas in a form that every model endpoint accepts: inlined, without `$schema`, `format`, `null` types or unions
//! of constants. An optional field is one that is not required. Doc comments of the Rust types are the descriptions.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::Serialize;
use serde_json::{Map, Value};

/// The description of a tool that a model receives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// What it does and when to use it: the doc comment of its arguments type.
    pub description: String,
    /// JSON Schema of its arguments, as returned by [`parameters`].
    pub parameters: Value,
}

/// Returns the description of a tool with arguments of type `A`.
pub fn spec<A: JsonSchema>(name: &'static str) -> ToolSpec {
    let mut parameters = parameters::<A>();
    let description = match parameters.as_object_mut().and_then(|top| top.remove("description")) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    ToolSpec { name, description, parameters }
}

/// Returns the schema of `A` in the form that every endpoint accepts.
pub fn parameters<A: JsonSchema>() -> Value {
    simplify(generate::<A>())
}

/// Returns the schema of `T` as programs receive it, with shared definitions under `$defs`. Fields that are left out when
/// they are empty are not required. It says no format: those of numbers are Rust's own, and validators of other languages warn
/// of each.
pub fn output<T: JsonSchema>() -> Value {
    let without_format = RecursiveTransform(|schema: &mut Schema| drop(schema.remove("format")));
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(without_format)
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// Returns the first example of the type (`#[schemars(example = …)]`).
pub fn example<A: JsonSchema>() -> Option<Value> {
    generate::<A>().get("examples")?.get(0).cloned()
}

fn generate<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<A>().to_value()
}

/// Keywords that some endpoints refuse and no model needs.
const REMOVED_KEYWORDS: &[&str] = &["$schema", "$defs", "title", "format", "examples", "default"];

fn simplify(schema: Value) -> Value {
    let Value::Object(mut map) = schema else { return schema };
    for keyword in REMOVED_KEYWORDS {
        map.remove(*keyword);
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = map.remove(union) {
            simplify_union(&mut map, union, branches);
        }
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = unwrap_lines(text);
    }
    for (keyword, value) in &mut map {
        *value = match (keyword.as_str(), value.take()) {
            ("properties", Value::Object(properties)) => Value::Object(
                properties.into_iter().map(|(name, schema)| (name, simplify(schema))).collect(),
            ),
            ("items" | "additionalProperties", value) => simplify(value),
            (_, value) => value,
        };
    }
    Value::Object(map)
}

/// Puts a union back without its `null` branch: a single branch as itself, constants as one `enum`, else the union.
fn simplify_union(map: &mut Map<String, Value>, union: &str, branches: Vec<Value>) {
    let mut branches: Vec<Value> =
        branches.into_iter().filter(|branch| branch["type"] != "null").map(simplify).collect();
    let constants: Option<Vec<Value>> =
        branches.iter().map(|branch| branch.get("const").cloned()).collect();
    match (constants, branches.as_mut_slice()) {
        (Some(words), _) => {
            map.insert("type".to_owned(), "string".into());
            map.insert("enum".to_owned(), words.into());
        }
        (None, [Value::Object(only)]) => {
            for (keyword, value) in std::mem::take(only) {
                map.entry(keyword).or_insert(value);
            }
        }
        (None, _) => {
            map.insert(union.to_owned(), branches.into());
        }
    }
}

/// Removes the line breaks of a doc comment inside paragraphs.
fn unwrap_lines(text: &str) -> String {
    text.split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

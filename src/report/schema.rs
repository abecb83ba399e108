//! JSON Schemas of what goes in and comes out, made from the Rust types. `schemas/*.schema.json` are these, checked in; the
//! form for models is plainer, since endpoints support different parts of the standard.

use std::collections::BTreeMap;

use schemars::{
    JsonSchema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::Value;

use super::{CodeMap, Draft};
use crate::config::Config;

/// Every checked-in schema by name.
pub fn schemas() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("code_map", full::<CodeMap>("Code map")),
        ("config", full::<Config>("Configuration")),
        ("report", full::<Draft>("Report")),
    ])
}

/// The schema of `T` with `$schema` and shared definitions.
pub fn full<T: JsonSchema>(title: &str) -> Value {
    let mut schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), title.into());
    }
    schema
}

/// The schema of `T` for a model: in one piece, without `$schema`, title, `format`, `default` or null.
pub fn inline<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(|schema: &mut schemars::Schema| plain(schema)).transform(&mut schema);
    schema.remove("title");
    schema.to_value()
}

fn plain(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("format");
    object.remove("default");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(variants)) = object.get_mut("anyOf") {
        variants.retain(|variant| variant.get("type").is_none_or(|kind| kind != "null"));
        if let [only] = variants.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            if let Value::Object(only) = only {
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
            }
        }
    }
    // An enumeration whose members are documented comes as a list of constants; models read one list of words better.
    if let Some(Value::Array(variants)) = object.get("oneOf") {
        let words: Option<Vec<Value>> =
            variants.iter().map(|variant| variant.get("const").cloned()).collect();
        if let Some(words) = words {
            object.remove("oneOf");
            object.insert("type".to_owned(), "string".into());
            object.insert("enum".to_owned(), Value::Array(words));
        }
    }
}

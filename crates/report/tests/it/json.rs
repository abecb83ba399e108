//! JSON as models write it: values in text, and values of other types than their schema's.

use pretty_assertions::assert_eq;
use retriever_report::json::{extract, extract_all, json_coercion};
use serde_json::{Value, json};

#[test]
fn the_last_accepted_value_of_a_text_is_extracted() {
    let has_a = |value: &Value| value.get("a").is_some();
    for (text, value, truncated) in [
        (r#"{"a": 1}"#, json!({"a": 1}), false),
        (r#"{"a": 1} then {"a": 2} and {"b": 3}"#, json!({"a": 2}), false),
        ("```json\n{\"a\": [1, 2]}\n```", json!({"a": [1, 2]}), false),
        (r#"{"a": {"b": 1, "c": [2, 3"#, json!({"a": {"b": 1, "c": [2]}}), true),
        (r#"{"x": {"a": 1}}"#, Value::Null, false),
        (r#"{"a": 1, "b": "it \"is\" \\"#, json!({"a": 1}), true),
        (r#"{"a": ["]", "}\"]", 2], "b": [3"#, json!({"a": ["]", "}\"]", 2]}), true),
        (r#"{"a": 1}, {"b": {"a": 2}, "c"#, json!({"a": 2}), false),
        (r#"{"a": 1, "b": 2]"#, Value::Null, false),
    ] {
        let found = extract(text, has_a);
        assert_eq!(
            found.as_ref().map_or(Value::Null, |found| found.value.clone()),
            value,
            "{text}"
        );
        assert_eq!(found.is_some_and(|found| found.truncated), truncated, "{text}");
    }
}

#[test]
fn text_that_never_closes_its_brackets_is_given_up_and_what_comes_behind_it_is_found() {
    for text in [
        format!("{}{}", "[".repeat(200_000), "1,".repeat(200_000)),
        format!("{}{}", "{\"b\":".repeat(60), "[1,".repeat(200_000)),
        "[1,".repeat(2_000_000),
    ] {
        assert_eq!(extract(&text, |value| value.get("a").is_some()), None);
    }
    let long = format!("{}{{\"a\": 1}}", "word ".repeat(400_000));
    let found = extract(&long, |value| value.get("a").is_some());
    assert_eq!(found.map(|found| found.value), Some(json!({"a": 1})));
}

#[test]
fn values_are_converted_to_the_type_of_their_schema() {
    let whole = json!({"type": "integer", "minimum": 1});
    let (number, flag) = (json!({"type": "number"}), json!({"type": "boolean"}));
    let (text, list) = (json!({"type": "string"}), json!({"type": "array"}));
    for (schema, value, converted) in [
        (&whole, json!("7"), json!(7)),
        (&whole, json!(7.0), json!(7)),
        (&number, json!(" 0.5 "), json!(0.5)),
        (&flag, json!("Yes"), json!(true)),
        (&flag, json!(0), json!(false)),
        (&flag, json!(1), json!(true)),
        (&flag, json!(" no "), json!(false)),
        (&flag, json!(true), json!(true)),
        (&whole, json!(1), json!(1)),
        (&whole, json!(3e3), json!(3_000)),
        (&number, json!(7), json!(7)),
        (&text, json!(true), json!("true")),
        (&list, json!([1, 2]), json!([1, 2])),
        (&list, json!("{\"a\": 1}"), json!(["{\"a\": 1}"])),
        (&text, json!(7), json!("7")),
        (&text, json!(["only"]), json!("only")),
        (&list, json!("one"), json!(["one"])),
        (&list, json!("[1, 2]"), json!([1, 2])),
        (&json!({}), json!({"any": null}), json!({"any": null})),
    ] {
        assert_eq!(json_coercion::to_schema(schema, &value), Ok(converted), "{value} as {schema}");
    }
    for (schema, value, wanted) in [
        (&whole, json!(0), "a whole number of at least 1"),
        (&whole, json!(1.5), "a whole number of at least 1"),
        (&whole, json!(1e15), "a whole number of at least 1"),
        (&json!({"type": "integer"}), json!("x"), "a whole number"),
        (&flag, json!("maybe"), "true or false"),
        (&text, json!(["one", 2]), "a string"),
        (&number, json!("many"), "a number"),
        (&flag, json!(2), "true or false"),
        (&text, json!(["two", "texts"]), "a string"),
        (&list, json!({}), "a list"),
    ] {
        let mismatch = json_coercion::to_schema(schema, &value).unwrap_err();
        assert_eq!((mismatch.wanted.as_str(), &mismatch.found), (wanted, &value));
    }
}

#[test]
fn objects_are_read_through_encodings() {
    let object = json!({"a": 1});
    for value in
        [object.clone(), json!(object.to_string()), json!(json!(object.to_string()).to_string())]
    {
        assert_eq!(json_coercion::object(&value).map(Value::Object), Ok(object.clone()), "{value}");
    }
    for empty in [Value::Null, json!(""), json!(" "), json!("null")] {
        assert_eq!(json_coercion::object(&empty).map(Value::Object), Ok(json!({})), "{empty}");
    }
    for (value, problem) in [
        (json!([1]), "not a JSON object"),
        (json!("[1]"), "not a JSON object"),
        (json!("\"text\""), "a string, not a JSON object"),
        (json!("{\"a\""), "not valid JSON"),
    ] {
        let error = json_coercion::object(&value).unwrap_err();
        assert!(error.starts_with(problem), "{value}: {error}");
    }
}

#[test]
fn nulls_are_removed_from_objects_and_lists() {
    let value = json!({"a": null, "b": [null, {"c": null, "d": 1}]});
    assert_eq!(json_coercion::without_nulls(value), json!({"b": [{"d": 1}]}));
}

#[test]
fn every_accepted_value_of_a_text_is_extracted_and_none_twice() {
    let has_a = |value: &Value| value.get("a").is_some();
    let text = r#"{"a": {"a": 1}} [2] {"b": 3} {"a": 4} {"a": 5"#;
    assert_eq!(extract_all(text, has_a), [json!({"a": {"a": 1}}), json!({"a": 4})]);
    // Prose with brackets is searched to a bounded depth.
    for (brackets, found) in [(63, 1), (64, 0)] {
        let text = format!("{}{{\"a\": 1}}", "[x ".repeat(brackets));
        assert_eq!(extract_all(&text, has_a).len(), found, "{brackets}");
    }
}

#[test]
fn nulls_are_removed_to_a_bounded_depth() {
    let list = |depth, inmost: Value| (0..depth).fold(inmost, |inner, _| json!([inner]));
    let object = |depth, inmost: Value| (0..depth).fold(inmost, |inner, _| json!({"a": inner}));
    let without = json_coercion::without_nulls;
    assert_eq!(without(list(7, json!([null]))), list(7, json!([])));
    assert_eq!(without(list(8, json!([null]))), list(8, json!([null])));
    assert_eq!(without(object(7, json!({"n": null}))), object(7, json!({})));
    assert_eq!(without(object(8, json!({"n": null}))), object(8, json!({"n": null})));
}

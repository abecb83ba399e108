//! Statements run on collections in memory.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Map, Value, json};

use super::{
    parse::{Expression, Operation, Statement, parse},
    tokens::{Token, tokens},
};

/// All collections and named graphs of a database.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) collections: BTreeMap<String, Collection>,
    pub(crate) graphs: BTreeMap<String, Value>,
    revision: u64,
}

#[derive(Default)]
pub(crate) struct Collection {
    pub(crate) is_edges: bool,
    pub(crate) documents: BTreeMap<String, Value>,
}

/// An error of the server: its number and message.
pub(crate) type Refused = (i64, String);

type Row = BTreeMap<String, Value>;

/// Runs a statement with its bound values.
pub(crate) fn run(
    store: &mut Store,
    text: &str,
    bound: &Map<String, Value>,
) -> Result<Vec<Value>, Refused> {
    let syntax = |error: String| (1501, format!("{error} in: {text}"));
    let used: BTreeSet<String> = tokens(text)
        .map_err(syntax)?
        .into_iter()
        .filter_map(|token| if let Token::Bound(name) = token { Some(name) } else { None })
        .collect();
    if let Some(missing) = used.iter().find(|name| !bound.contains_key(*name)) {
        return Err((1551, format!("no value specified for declared bind parameter '{missing}'")));
    }
    if let Some(extra) = bound.keys().find(|name| !used.contains(*name)) {
        return Err((1552, format!("bind parameter '{extra}' was not declared in the query")));
    }
    let statement = parse(text).map_err(syntax)?;
    Run { store, bound }.rows(&statement, &Row::new())
}

struct Run<'s> {
    store: &'s mut Store,
    bound: &'s Map<String, Value>,
}

impl Run<'_> {
    fn rows(&mut self, statement: &Statement, outer: &Row) -> Result<Vec<Value>, Refused> {
        let mut rows = vec![outer.clone()];
        for operation in statement {
            if let Operation::Return(value) = operation {
                return rows.iter().map(|row| self.value(value, row)).collect();
            }
            rows = self.step(operation, rows)?;
        }
        Ok(Vec::new())
    }

    fn step(&mut self, operation: &Operation, rows: Vec<Row>) -> Result<Vec<Row>, Refused> {
        let mut after = Vec::new();
        match operation {
            Operation::For { variable, source } => {
                for row in rows {
                    for value in self.elements(source, &row)? {
                        after.push(with(&row, variable, value)?);
                    }
                }
            }
            Operation::Traverse { names, is_outbound, start, graph, options } => {
                for row in rows {
                    let start = self.value(start, &row)?;
                    let options = self.value(options, &row)?;
                    for (vertex, edge) in self.neighbours(graph, &start, *is_outbound, &options)? {
                        after.push(with(&with(&row, &names.0, vertex)?, &names.1, edge)?);
                    }
                }
            }
            Operation::Filter(condition) => {
                for row in rows {
                    if self.value(condition, &row)? == json!(true) {
                        after.push(row);
                    }
                }
            }
            Operation::Let(name, value) => {
                for row in rows {
                    let value = self.value(value, &row)?;
                    after.push(with(&row, name, value)?);
                }
            }
            Operation::Sort(keys) => return self.sort(keys, rows),
            Operation::Limit(limit) => {
                let limit =
                    self.value(limit, &Row::new())?.as_u64().ok_or((1504, "LIMIT".to_owned()))?;
                after = rows;
                after.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            }
            Operation::Collect { name, value, sum, of } => {
                let mut groups: BTreeMap<String, (Value, i64)> = BTreeMap::new();
                for row in &rows {
                    let (key, number) = (self.value(value, row)?, self.value(of, row)?);
                    let group = groups.entry(key.to_string()).or_insert((key, 0));
                    group.1 += number.as_i64().unwrap_or_default();
                }
                for (key, total) in groups.into_values() {
                    after.push(with(&with(&Row::new(), name, key)?, sum, json!(total))?);
                }
            }
            written => {
                for row in rows {
                    after.push(self.write(written, &row)?);
                }
            }
        }
        Ok(after)
    }

    fn sort(&mut self, keys: &[(Expression, bool)], rows: Vec<Row>) -> Result<Vec<Row>, Refused> {
        let mut keyed = Vec::new();
        for row in rows {
            let values: Result<Vec<_>, _> =
                keys.iter().map(|(key, is_down)| Ok((self.value(key, &row)?, *is_down))).collect();
            keyed.push((values?, row));
        }
        keyed.sort_by(|(a, _), (b, _)| {
            let orders = a.iter().zip(b).map(
                |((a, is_down), (b, _))| {
                    if *is_down { order(b, a) } else { order(a, b) }
                },
            );
            orders.fold(Ordering::Equal, Ordering::then)
        });
        Ok(keyed.into_iter().map(|(_, row)| row).collect())
    }

    fn elements(&mut self, source: &Expression, row: &Row) -> Result<Vec<Value>, Refused> {
        let name = match source {
            Expression::Name(name) if !row.contains_key(name) => name.clone(),
            Expression::Bound(name) if name.starts_with('@') => text_of(&self.bound[name]),
            other => {
                let Value::Array(elements) = self.value(other, row)? else {
                    return Err((1563, "collection or array expected".to_owned()));
                };
                return Ok(elements);
            }
        };
        Ok(self.collection(&name)?.documents.values().cloned().collect())
    }

    fn collection(&mut self, name: &str) -> Result<&mut Collection, Refused> {
        let collection = self.store.collections.get_mut(name);
        collection.ok_or_else(|| (1203, format!("collection or view not found: {name}")))
    }

    /// What is one step away in a named graph: nodes and the edges to them.
    fn neighbours(
        &mut self,
        graph: &str,
        start: &Value,
        is_outbound: bool,
        options: &Value,
    ) -> Result<Vec<(Value, Value)>, Refused> {
        let missing = (1924, format!("graph '{graph}' not found"));
        let graph = self.store.graphs.get(graph).ok_or(missing)?;
        let relations = graph["edgeDefinitions"].as_array().into_iter().flatten();
        let relations: Vec<String> = relations.map(|it| text_of(&it["collection"])).collect();
        let wanted: Vec<String> =
            options["edgeCollections"].as_array().into_iter().flatten().map(text_of).collect();
        let (here, there) = if is_outbound { ("_from", "_to") } else { ("_to", "_from") };
        let mut found = Vec::new();
        for name in wanted {
            if !relations.contains(&name) {
                return Err((1930, format!("{name} is not in the graph")));
            }
            let edges = self.collection(&name)?.documents.values();
            let edges: Vec<Value> = edges.filter(|edge| edge[here] == *start).cloned().collect();
            for edge in edges {
                let id = text_of(&edge[there]);
                let (collection, key) = id.split_once('/').unwrap_or_default();
                let node = self.collection(collection)?.documents.get(key).cloned();
                found.push((node.unwrap_or_default(), edge));
            }
        }
        Ok(found)
    }

    fn write(&mut self, operation: &Operation, row: &Row) -> Result<Row, Refused> {
        let (into, options) = match operation {
            Operation::Upsert { into, options, .. } | Operation::Update { into, options, .. } => {
                (into, options)
            }
            Operation::Remove { from, options, .. } => (from, options),
            other => return Err((1501, format!("{other:?} does not write"))),
        };
        let options = self.value(options, row)?;
        let known: BTreeSet<&str> =
            BTreeSet::from(["ignoreRevs", "keepNull", "ignoreErrors", "exclusive"]);
        if options
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .any(|name| !known.contains(name.as_str()))
        {
            return Err((1575, "invalid options attribute".to_owned()));
        }
        let compares = options["ignoreRevs"] == json!(false);
        let name = match into {
            Expression::Name(name) => name.clone(),
            Expression::Bound(name) if name.starts_with('@') => text_of(&self.bound[name]),
            _ => return Err((1501, "the collection must not be dynamic".to_owned())),
        };
        let (document, change) = match operation {
            Operation::Upsert { search, insert, update, .. } => {
                let wanted = self.value(search, row)?;
                let fits = |document: &&Value| {
                    wanted
                        .as_object()
                        .into_iter()
                        .flatten()
                        .all(|(name, value)| document[name] == *value)
                };
                match self.collection(&name)?.documents.values().find(fits).cloned() {
                    None => (None, self.value(insert, row)?),
                    Some(old) => {
                        let change = self.value(update, &with(row, "OLD", old.clone())?)?;
                        (Some((old, change["_rev"].clone())), change)
                    }
                }
            }
            Operation::Update { document, with, .. } => {
                let document = self.value(document, row)?;
                let revision = document["_rev"].clone();
                (Some((document, revision)), self.value(with, row)?)
            }
            Operation::Remove { document, .. } => {
                let document = self.value(document, row)?;
                let revision = document["_rev"].clone();
                (Some((document, revision)), Value::Null)
            }
            _ => unreachable!("the collection of another operation"),
        };
        let Some((given, revision)) = document else {
            let new = self.store.insert(&name, change)?;
            return with(&with(row, "OLD", Value::Null)?, "NEW", new);
        };
        let key = text_of(&given["_key"]);
        let Some(old) = self.collection(&name)?.documents.get(&key).cloned() else {
            return Err((1202, "document not found".to_owned()));
        };
        if compares && old["_rev"] != revision {
            return Err((1200, "conflict, _rev values do not match".to_owned()));
        }
        let row = with(row, "OLD", old.clone())?;
        if matches!(operation, Operation::Remove { .. }) {
            self.collection(&name)?.documents.remove(&key);
            return Ok(row);
        }
        let (Value::Object(mut new), Value::Object(change)) = (old, change) else {
            return Err((1227, "invalid document type".to_owned()));
        };
        new.extend(change);
        let new = self.store.replace(&name, Value::Object(new));
        with(&row, "NEW", new)
    }

    fn value(&mut self, expression: &Expression, row: &Row) -> Result<Value, Refused> {
        Ok(match expression {
            Expression::Value(value) => value.clone(),
            Expression::Bound(name) => self.bound[name].clone(),
            Expression::Name(name) => match row.get(name) {
                Some(value) => value.clone(),
                None => return Err((1512, format!("unknown variable '{name}'"))),
            },
            Expression::Attribute(of, name) => self.value(of, row)?[name].clone(),
            Expression::Each(of, name) => {
                let elements = self.value(of, row)?;
                let elements = elements.as_array().into_iter().flatten();
                Value::Array(elements.map(|element| element[name].clone()).collect())
            }
            Expression::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| Ok((name.clone(), self.value(value, row)?)));
                Value::Object(members.collect::<Result<_, Refused>>()?)
            }
            Expression::Subquery(statement) => Value::Array(self.rows(statement, row)?),
            Expression::Call(function, arguments) => {
                let arguments: Result<Vec<Value>, _> =
                    arguments.iter().map(|argument| self.value(argument, row)).collect();
                call(function, &arguments?)?
            }
            Expression::Binary(operator, left, right) => {
                let left = self.value(left, row)?;
                let is_true = left == json!(true);
                match *operator {
                    "AND" if !is_true => return Ok(json!(false)),
                    "OR" if is_true => return Ok(json!(true)),
                    _ => {}
                }
                binary(operator, &left, &self.value(right, row)?)
            }
        })
    }
}

impl Store {
    /// Inserts a document, and returns it with what the server adds.
    pub(crate) fn insert(&mut self, collection: &str, document: Value) -> Result<Value, Refused> {
        let key = match &document["_key"] {
            Value::Null => format!("{}", self.revision + 1),
            key => text_of(key),
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-.@()+,=;$!*'%:".contains(c);
        if key.is_empty() || key.len() > 254 || !key.chars().all(is_allowed) {
            return Err((1221, format!("illegal document key '{key}'")));
        }
        if self.collections[collection].documents.contains_key(&key) {
            return Err((1210, format!("unique constraint violated by '{key}'")));
        }
        let mut document = document;
        document["_key"] = json!(key);
        Ok(self.replace(collection, document))
    }

    pub(crate) fn replace(&mut self, collection: &str, mut document: Value) -> Value {
        self.revision += 1;
        let key = text_of(&document["_key"]);
        document["_id"] = json!(format!("{collection}/{key}"));
        document["_rev"] = json!(format!("_r{}", self.revision));
        if let Some(collection) = self.collections.get_mut(collection) {
            collection.documents.insert(key, document.clone());
        }
        document
    }
}

fn with(row: &Row, name: &str, value: Value) -> Result<Row, Refused> {
    let mut row = row.clone();
    let is_pseudo = matches!(name, "OLD" | "NEW");
    match row.insert(name.to_owned(), value) {
        Some(_) if !is_pseudo => {
            Err((1511, format!("variable '{name}' is assigned multiple times")))
        }
        _ => Ok(row),
    }
}

fn call(function: &str, arguments: &[Value]) -> Result<Value, Refused> {
    Ok(match (function, arguments) {
        ("UNION", [_, _, ..]) => {
            Value::Array(arguments.iter().filter_map(Value::as_array).flatten().cloned().collect())
        }
        ("CONTAINS", [text, part]) => json!(text_of(text).contains(&text_of(part))),
        ("CONCAT", [_, ..]) => json!(arguments.iter().map(text_of).collect::<String>()),
        ("CHAR_LENGTH", [text]) => json!(text_of(text).chars().count()),
        ("SUM", [Value::Array(numbers)]) => {
            json!(numbers.iter().filter_map(Value::as_i64).sum::<i64>())
        }
        ("SLICE", [Value::Array(elements), start, length]) => {
            let number = |value: &Value| {
                value.as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or_default()
            };
            Value::Array(
                elements.iter().skip(number(start)).take(number(length)).cloned().collect(),
            )
        }
        ("DATE_NOW", []) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            json!(u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
        }
        _ => return Err((1540, format!("usage of unknown function or arguments '{function}()'"))),
    })
}

fn binary(operator: &str, left: &Value, right: &Value) -> Value {
    let order = order(left, right);
    let number = |value: &Value| value.as_i64().unwrap_or_default();
    match operator {
        "AND" | "OR" => right.clone(),
        "==" => json!(left == right),
        "!=" => json!(left != right),
        "<" => json!(order.is_lt()),
        "<=" => json!(order.is_le()),
        ">" => json!(order.is_gt()),
        ">=" => json!(order.is_ge()),
        "IN" => json!(right.as_array().is_some_and(|elements| elements.contains(left))),
        "NOT IN" => json!(!right.as_array().is_some_and(|elements| elements.contains(left))),
        "+" => json!(number(left) + number(right)),
        _ => json!(number(left) - number(right)),
    }
}

/// The order of values: first by type.
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    };
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.as_i64().cmp(&b.as_i64()),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

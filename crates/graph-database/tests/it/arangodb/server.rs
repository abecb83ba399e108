//! A stand-in for an ArangoDB server: the part of its HTTP API that the adapter uses. It keeps documents in memory and refuses,
//! with the status and the number of the documentation, what a server would refuse. What the documentation does not know at
//! all is noted as a fault of the adapter.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

use super::aql::{Collection, Refused, Store, run, text_of};

/// Rows of one batch at most, so that most results come in several.
const BATCH: usize = 3;
/// `reader:s p@ss` in Base64.
const AUTHORIZATION: &str = "Basic cmVhZGVyOnMgcEBzcw==";

/// A server on this machine, with the user `reader` and the database `graphs`.
pub(super) struct StandIn {
    server: MockServer,
    state: Shared,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    store: Store,
    role: &'static str,
    /// Whether its edition has no smart graphs.
    is_plain: bool,
    cursors: BTreeMap<String, Cursor>,
    next_cursor: u32,
    /// Answers that come before the real ones.
    first: VecDeque<ResponseTemplate>,
    /// Answers to the next import into a collection.
    imports: BTreeMap<&'static str, ResponseTemplate>,
    /// What happens before the next import into a collection.
    meanwhile: BTreeMap<&'static str, fn(&mut Store)>,
    requests: Vec<String>,
    faults: Vec<String>,
}

/// The batches of a result.
struct Cursor {
    batches: Vec<Vec<Value>>,
    /// The number of the batch that was sent last, from 1.
    sent: usize,
}

impl StandIn {
    pub(super) async fn start(role: &'static str) -> Self {
        let state = Shared::default();
        state.lock().role = role;
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(state.clone()).mount(&server).await;
        Self { server, state }
    }

    /// The address of the database, with the user and the password.
    pub(super) fn address(&self) -> String {
        format!("arangodb+http://reader:s%20p%40ss@{}/graphs", self.server.address())
    }

    /// The root of the server.
    pub(super) fn uri(&self) -> String {
        self.server.uri()
    }

    /// From now on it is an edition without smart graphs.
    pub(super) fn refuse_smart_graphs(&self) {
        self.state.lock().is_plain = true;
    }

    /// Answers the next request with this instead.
    pub(super) fn answer_first(&self, answer: ResponseTemplate) {
        self.state.lock().first.push_back(answer);
    }

    /// Answers the next import into a collection with this instead.
    pub(super) fn answer_import(&self, collection: &'static str, answer: ResponseTemplate) {
        self.state.lock().imports.insert(collection, answer);
    }

    /// Lets something happen before the next import into a collection.
    pub(super) fn meanwhile(&self, collection: &'static str, happens: fn(&mut Store)) {
        self.state.lock().meanwhile.insert(collection, happens);
    }

    /// The requests so far, as `METHOD path`.
    pub(super) fn requests(&self) -> Vec<String> {
        self.state.lock().requests.clone()
    }

    /// What of the requests is not documented, and cursors that are still open.
    pub(super) fn faults(&self) -> Vec<String> {
        let state = self.state.lock();
        let open = state.cursors.keys().map(|id| format!("cursor {id} is still open"));
        state.faults.iter().cloned().chain(open).collect()
    }

    /// The documents of a collection.
    pub(super) fn documents(&self, collection: &str) -> Vec<Value> {
        let state = self.state.lock();
        let found = state.store.collections.get(collection);
        found.map(|it| it.documents.values().cloned().collect()).unwrap_or_default()
    }

    pub(super) fn graph(&self) -> Value {
        self.state.lock().store.graphs.get("codegraph").cloned().unwrap_or_default()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Respond for Shared {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut state = self.lock();
        state.requests.push(format!("{} {}", request.method, request.url.path()));
        if let Some(answer) = state.first.pop_front() {
            return answer;
        }
        let authorization = request.headers.get("authorization").and_then(|it| it.to_str().ok());
        if authorization != Some(AUTHORIZATION) {
            return refused(401, 11, "not authorized to execute this request");
        }
        let Some(path) = request.url.path().strip_prefix("/_db/graphs/") else {
            return refused(404, 1228, "database not found");
        };
        let parts: Vec<&str> = path.split('/').collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", ["_admin", "server", "role"]) => {
                let role = state.role;
                done(200, json!({ "role": role, "errorNum": 0 }))
            }
            ("POST", ["_api", "collection"]) => state.create_collection(request),
            ("POST", ["_api", "gharial"]) => state.create_graph(request),
            ("POST", ["_api", "index"]) => state.create_index(request),
            ("POST", ["_api", "import"]) => state.import(request),
            ("POST", ["_api", "cursor"]) => state.query(request),
            ("POST", ["_api", "cursor", id, batch]) => state.batch(id, batch),
            ("DELETE", ["_api", "cursor", id]) => match state.cursors.remove(*id) {
                Some(_) => done(202, json!({ "id": id })),
                None => refused(404, 1600, "cursor not found: disposed or unknown cursor"),
            },
            (method, _) => {
                state.faults.push(format!("{method} {path} is not documented"));
                refused(404, 404, "unknown path")
            }
        }
    }
}

impl State {
    /// The body as an object; the attributes that are not among `known` are noted.
    fn body(&mut self, request: &Request, known: &[&str]) -> Value {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        self.check(
            "attribute",
            body.as_object().into_iter().flatten().map(|(name, _)| name.clone()),
            known,
        );
        body
    }

    /// The query parameters, likewise.
    fn parameters(&mut self, request: &Request, known: &[&str]) -> BTreeMap<String, String> {
        let parameters: BTreeMap<_, _> = request.url.query_pairs().into_owned().collect();
        self.check("parameter", parameters.keys().cloned(), known);
        parameters
    }

    fn check(&mut self, what: &str, names: impl Iterator<Item = String>, known: &[&str]) {
        for name in names.filter(|name| !known.contains(&name.as_str())) {
            self.faults.push(format!("the {what} {name} is not documented"));
        }
    }

    fn create_collection(&mut self, request: &Request) -> ResponseTemplate {
        let body = self.body(request, &["name", "type", "numberOfShards", "shardKeys"]);
        let name = text_of(&body["name"]);
        if self.store.collections.contains_key(&name) {
            return refused(409, 1207, "duplicate name");
        }
        let is_edges = body["type"] == json!(3);
        self.store
            .collections
            .insert(name.clone(), Collection { is_edges, ..Collection::default() });
        done(200, json!({ "name": name }))
    }

    fn create_graph(&mut self, request: &Request) -> ResponseTemplate {
        let known =
            ["name", "edgeDefinitions", "orphanCollections", "isSmart", "isDisjoint", "options"];
        let body = self.body(request, &known);
        let name = text_of(&body["name"]);
        if self.store.graphs.contains_key(&name) {
            return refused(409, 1925, "graph already exists");
        }
        if body["isSmart"] == json!(true) && self.role != "COORDINATOR" {
            self.faults.push("only a cluster has smart graphs".to_owned());
        }
        if body["isSmart"] == json!(true) && self.is_plain {
            return refused(501, 31, "only enterprise version");
        }
        for relation in body["edgeDefinitions"].as_array().into_iter().flatten() {
            let collection = text_of(&relation["collection"]);
            self.store.collections.entry(collection).or_default().is_edges = true;
            for end in ["from", "to"] {
                for vertices in relation[end].as_array().into_iter().flatten() {
                    self.store.collections.entry(text_of(vertices)).or_default();
                }
            }
        }
        self.store.graphs.insert(name, body.clone());
        done(202, json!({ "graph": body }))
    }

    fn create_index(&mut self, request: &Request) -> ResponseTemplate {
        let parameters = self.parameters(request, &["collection"]);
        let body = self.body(request, &["type", "fields", "name", "unique", "sparse"]);
        if body["type"] != json!("persistent")
            || body["fields"].as_array().is_none_or(Vec::is_empty)
        {
            return refused(400, 10, "bad parameter");
        }
        match self.store.collections.contains_key(&parameters["collection"]) {
            true => done(201, json!({ "isNewlyCreated": true })),
            false => refused(404, 1203, "collection or view not found"),
        }
    }

    fn import(&mut self, request: &Request) -> ResponseTemplate {
        let known = ["collection", "type", "complete", "details", "onDuplicate", "waitForSync"];
        let parameters = self.parameters(request, &known);
        let name = &parameters["collection"];
        if let Some(answer) = self.imports.remove(name.as_str()) {
            return answer;
        }
        if let Some(happens) = self.meanwhile.remove(name.as_str()) {
            happens(&mut self.store);
        }
        let Some(collection) = self.store.collections.get(name) else {
            return refused(404, 1203, "collection or view not found");
        };
        if parameters["type"] != "documents" || parameters["onDuplicate"] != "replace" {
            return refused(400, 10, "the stand-in imports documents and replaces");
        }
        let is_edges = collection.is_edges;
        let (mut created, mut updated) = (0, 0);
        for line in String::from_utf8_lossy(&request.body).lines() {
            let Ok(document) = serde_json::from_str::<Value>(line) else {
                return refused(400, 600, "invalid JSON object");
            };
            let ends = ["_from", "_to"].map(|end| text_of(&document[end]));
            let is_end = |end: &String| {
                end.split_once('/')
                    .is_some_and(|(vertices, _)| self.store.collections.contains_key(vertices))
            };
            if is_edges && !ends.iter().all(is_end) {
                return refused(404, 1203, "an end of an edge is in no collection");
            }
            if self.role == "COORDINATOR"
                && self.store.graphs.values().any(|it| it["isSmart"] == json!(true))
            {
                let key = text_of(&document["_key"]);
                let repository = text_of(&document["repository"]);
                if !is_edges && !key.starts_with(&format!("{repository}:")) {
                    return refused(
                        400,
                        4003,
                        "in smart node collections _key must be prefixed with the value of the smart graph attribute",
                    );
                }
            }
            match self.store.insert(name, document.clone()) {
                Ok(_) => created += 1,
                Err((1210, _)) => {
                    self.store.replace(name, document);
                    updated += 1;
                }
                Err((number, message)) => return refused(400, number, &message),
            }
        }
        let counts = json!({ "created": created, "errors": 0, "empty": 0, "updated": updated, "ignored": 0, "details": [] });
        done(201, counts)
    }

    fn query(&mut self, request: &Request) -> ResponseTemplate {
        let body =
            self.body(request, &["query", "bindVars", "batchSize", "count", "ttl", "options"]);
        let options =
            body["options"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
        self.check("option", options, &["allowRetry", "fullCount", "stream"]);
        let bound = body["bindVars"].as_object().cloned().unwrap_or_default();
        let rows = match run(&mut self.store, &text_of(&body["query"]), &bound) {
            Ok(rows) => rows,
            Err(error) => return self.refused_query(error),
        };
        let batches: Vec<Vec<Value>> = rows.chunks(BATCH).map(<[Value]>::to_vec).collect();
        if batches.len() < 2 {
            let result = batches.into_iter().next().unwrap_or_default();
            return done(201, json!({ "result": result, "hasMore": false, "cached": false }));
        }
        self.next_cursor += 1;
        let id = self.next_cursor.to_string();
        let first = json!({ "result": batches[0], "hasMore": true, "id": id, "nextBatchId": "2" });
        self.cursors.insert(id, Cursor { batches, sent: 1 });
        done(201, first)
    }

    fn refused_query(&mut self, (number, message): Refused) -> ResponseTemplate {
        let status = match number {
            1200 | 1210 => 409,
            1202 | 1203 | 1924 => 404,
            _ => {
                // No statement of the adapter is wrong.
                self.faults.push(message.clone());
                400
            }
        };
        refused(status, number, &message)
    }

    /// The batch after the one that was sent last, or that one again.
    fn batch(&mut self, id: &str, batch: &str) -> ResponseTemplate {
        let number = batch.parse().unwrap_or(0_usize);
        let Some(cursor) = self.cursors.get_mut(id) else {
            return refused(404, 1600, "cursor not found: disposed or unknown cursor");
        };
        if number != cursor.sent && number != cursor.sent + 1 {
            return refused(404, 1600, "batch not found");
        }
        let Some(result) = cursor.batches.get(number - 1) else {
            return refused(404, 1600, "batch not found");
        };
        cursor.sent = number;
        let mut answer =
            json!({ "result": result, "hasMore": number < cursor.batches.len(), "id": id });
        if number < cursor.batches.len() {
            answer["nextBatchId"] = json!((number + 1).to_string());
        }
        done(200, answer)
    }
}

fn done(status: u16, mut body: Value) -> ResponseTemplate {
    body["error"] = json!(false);
    body["code"] = json!(status);
    ResponseTemplate::new(status).set_body_json(body)
}

/// An answer of a server that refuses.
pub(super) fn refused(status: u16, number: i64, message: &str) -> ResponseTemplate {
    let body =
        json!({ "error": true, "code": status, "errorNum": number, "errorMessage": message });
    ResponseTemplate::new(status).set_body_json(body)
}

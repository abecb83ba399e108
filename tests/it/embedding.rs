//! An embedding model of the user's: an endpoint on a real socket, or a folder; what is sent, what is found, and what happens
//! when it fails.

use std::{net::TcpListener, time::Duration};

use retriever::{
    config::EmbeddingConfig,
    embedding::{EmbeddingSetupError, configured_embedder},
};
use serde_json::{Value, json};

use crate::support::{
    machine::{Machine, Run},
    model_server::{KEY, ModelServer, Turn},
};

/// Words of one meaning; a text's vector counts those of each.
const MEANINGS: &[&[&str]] = &[
    &["letter", "post", "envelope", "dispatch", "mail"],
    &["money", "invoice", "charge", "payment", "bill"],
    &["tree", "leaf", "branch", "prune", "forest"],
    &["sound", "tone", "volume", "loud", "noise"],
];

fn vector_of(text: &str) -> Vec<f64> {
    let text = text.to_lowercase();
    let count =
        |words: &&[&str]| words.iter().map(|word| text.matches(word).count()).sum::<usize>();
    let counts = MEANINGS.iter().map(|words| count(words) as f64);
    // A text without any such word has a direction of its own.
    counts.chain([0.5, (text.len() % 7) as f64 / 20.0]).collect()
}

/// The vectors of the texts that were asked for, by their words.
fn embeds() -> Turn {
    Turn::responds(|request| {
        let texts = request["input"].as_array().into_iter().flatten();
        let data = texts.enumerate().map(|(index, text)| {
            let vector = vector_of(text.as_str().unwrap_or_default());
            json!({"object": "embedding", "index": index, "embedding": vector})
        });
        // A server may answer in any order.
        let mut data: Vec<Value> = data.collect();
        data.reverse();
        Turn::raw(200, &[], json!({"object": "list", "data": data}))
    })
}

const FILES: &str = "\
//- /repo/src/office.rs
/// Puts an envelope into the bag.
pub fn stamp_and_seal(envelope: &str) -> String {
    format!(\"dispatch {envelope}\")
}
//- /repo/src/till.rs
/// Sums up an invoice.
pub fn total(invoice: &[u32]) -> u32 {
    invoice.iter().sum()
}
//- /repo/src/garden.rs
/// Cuts a branch.
pub fn cut(branch: u32) -> u32 {
    branch - 1
}
pub fn grow(leaf: u32) -> u32 {
    leaf + 1
}
//- /repo/src/radio.rs
pub fn louder(volume: u32) -> u32 {
    volume + 1
}
pub fn quieter(volume: u32) -> u32 {
    volume - 1
}
//- /repo/.env
PASSWORD=plainsecretword
//- /home/.keep
";
const QUESTION: &str = "where does the mail get ready";

/// Returns a machine whose configuration names this endpoint.
fn machine(base_url: &str) -> Machine {
    let machine = Machine::new(FILES, "repo");
    configure(&machine, &format!("base_url = \"{base_url}\"\nmodel = \"scripted\"\nbatch = 3\n"));
    machine
}

fn configure(machine: &Machine, embedding: &str) {
    let text = format!("[embedding]\n{embedding}");
    machine.files.write("home/.config/retriever/config.toml", text);
}

fn server(script: Vec<Turn>) -> ModelServer {
    ModelServer::start(script).otherwise(embeds)
}

fn vectors(run: &Run) -> (u64, u64) {
    assert_eq!(run.code, 0, "{run:?}");
    let count = &run.json()["vectors"];
    (count["vectors"].as_u64().unwrap(), count["missing"].as_u64().unwrap())
}

fn first_path(run: &Run) -> String {
    assert_eq!(run.code, 0, "{run:?}");
    run.json()["results"][0]["path"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_the_endpoint_finds_similar_is_found_without_a_word_of_the_question() {
    let server = server(Vec::new());
    let machine = machine(&server.base_url());
    let explore = ["explore", QUESTION, "--format", "json"];
    let before = machine.run(&explore);
    assert_ne!(first_path(&before), "src/office.rs");
    assert!(before.err.contains("retriever index makes them"), "{}", before.err);
    assert_eq!(vectors(&machine.run(&["index", "--format", "json"])), (10, 0));
    assert_eq!(first_path(&machine.run(&explore)), "src/office.rs");
    let status = machine.run(&["index", "--status", "--format", "text"]);
    assert!(status.out.contains("10 vectors of 4 files"), "{}", status.out);
    let doctor = machine.run(&["doctor", "--format", "text"]);
    assert!(doctor.out.contains("gives vectors of 6 numbers"), "{}", doctor.out);
    for request in server.requests() {
        assert_eq!(request["model"], "scripted");
        assert!(request["input"].as_array().unwrap().len() <= 3);
        assert!(!request.to_string().contains("plainsecretword"));
    }
}

#[test]
fn the_key_goes_to_the_configured_endpoint_and_the_question_has_its_prefix() {
    let server = server(Vec::new());
    let machine = machine(&server.base_url());
    configure(
        &machine,
        &format!(
            "base_url = \"{}/embeddings\"\nmodel = \"scripted\"\napi_key_env = \"EMBEDDING\"\ndimensions = 6\n\
             text_prefix = \"text: \"\nquestion_prefix = \"question: \"\n",
            server.base_url()
        ),
    );
    let run = |arguments: &[&str]| {
        let output = machine.command_in("repo", arguments).env("EMBEDDING", KEY).output().unwrap();
        Run::new(&output)
    };
    assert_eq!(vectors(&run(&["index", "--format", "json"])).1, 0);
    assert_eq!(run(&["explore", QUESTION]).code, 0);
    let received = server.received();
    for request in &received {
        assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
        assert_eq!(request.target, "/v1/embeddings");
        assert_eq!(request.body["dimensions"], 6);
    }
    let (question, texts) = received.split_last().unwrap();
    assert_eq!(question.body["input"][0], format!("question: {QUESTION}"));
    let is_text = |text: &Value| text.as_str().unwrap().starts_with("text: ");
    assert!(texts.iter().all(|sent| sent.body["input"].as_array().unwrap().iter().all(is_text)));
}

#[test]
fn an_endpoint_that_does_not_answer_costs_a_sentence_and_no_answer() {
    let hangs = |request: &Value| match request["input"][0].as_str() {
        Some(QUESTION) => Turn::hangs(Duration::from_secs(20)),
        _ => embeds(),
    };
    let server = ModelServer::start(Vec::new()).otherwise(move || Turn::responds(hangs));
    let machine = machine(&server.base_url());
    assert_eq!(vectors(&machine.run(&["index", "--format", "json"])).1, 0);
    let explored = machine.run(&["explore", QUESTION]);
    assert_eq!(explored.code, 0, "{explored:?}");
    assert!(explored.err.contains("answered without the embedding model"), "{}", explored.err);
    let asked = machine.run(&["ask", QUESTION, "--offline", "--format", "json"]);
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(asked.err.contains("answered without the embedding model"), "{}", asked.err);
    let reasons = asked.json()["meta"]["reasons"].clone();
    assert!(reasons.as_array().unwrap().contains(&"embedding_failed".into()), "{reasons}");
}

#[test]
fn vectors_that_can_not_be_made_leave_the_graph_and_are_made_the_next_time() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let unreachable = machine(&closed);
    let doctor = unreachable.run(&["doctor", "--format", "text"]);
    assert!(doctor.code != 0 && doctor.out.contains("✗ embedding: "), "{}", doctor.out);
    let cases = [
        Turn::refuses("no such model"),
        Turn::raw(200, &[], "{}"),
        Turn::raw(200, &[], r#"{"data": [{"index": 0, "embedding": [1.0, 2.0]}]}"#),
    ];
    for case in cases {
        let server = server(vec![embeds(), case]);
        let machine = machine(&server.base_url());
        let run = machine.run(&["index", "--format", "json"]);
        assert!(vectors(&run).1 > 0);
        assert!(run.err.contains("some files have no vectors yet"), "{}", run.err);
        assert!(run.json()["nodes"].as_u64().unwrap() > 0);
        assert_eq!(vectors(&machine.run(&["index", "--format", "json"])).1, 0);
    }
}

#[test]
fn a_text_that_is_too_long_for_the_model_is_cut() {
    let longest = |request: &Value| {
        let texts = request["input"].as_array().unwrap().iter();
        let longest = texts.map(|text| text.as_str().unwrap().len()).max().unwrap();
        match longest > 400 {
            // The words of llama.cpp.
            true => Turn::raw(
                500,
                &[],
                r#"{"error": {"code": 500, "message": "input (588 tokens) is too large to process. increase the physical batch size"}}"#,
            ),
            false => embeds(),
        }
    };
    let server = ModelServer::start(Vec::new()).otherwise(move || Turn::responds(longest));
    let machine = machine(&server.base_url());
    let body: String = (0..90).map(|at| format!("    let invoice_{at} = {at};\n")).collect();
    machine.files.write("repo/src/long.rs", format!("pub fn long() {{\n{body}}}\n"));
    assert_eq!(vectors(&machine.run(&["index", "--format", "json"])), (12, 0));
}

#[test]
fn a_repository_can_not_name_an_embedding_model() {
    let server = ModelServer::start(Vec::new());
    let machine = Machine::new(FILES, "repo");
    let text = format!("[embedding]\nbase_url = \"{}\"\nmodel = \"x\"\n", server.base_url());
    machine.files.write("repo/retriever.toml", text);
    let run = machine.run(&["explore", QUESTION]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("embedding.base_url is refused"), "{}", run.err);
    assert!(server.received().is_empty());
}

#[test]
fn a_configuration_that_can_not_work_is_refused_before_anything_is_sent() {
    let refusal = |config: EmbeddingConfig, key: Option<&str>| {
        configured_embedder(&config, key.map(Into::into)).err().unwrap()
    };
    let at = |base_url: &str| EmbeddingConfig {
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        ..EmbeddingConfig::default()
    };
    let nameless = EmbeddingConfig { model: String::new(), ..at("http://localhost/v1") };
    assert_eq!(refusal(nameless, None), EmbeddingSetupError::MissingName);
    let both = EmbeddingConfig { folder: "/model".to_owned(), ..at("http://localhost/v1") };
    assert_eq!(refusal(both, None), EmbeddingSetupError::TwoModels);
    let plain = refusal(at("http://models.example.com/v1"), Some(KEY));
    assert!(matches!(plain, EmbeddingSetupError::Unencrypted { .. }), "{plain}");
    let credentials = refusal(at("https://user:word@models.example.com/v1"), None);
    assert!(matches!(credentials, EmbeddingSetupError::BaseUrl { .. }), "{credentials}");
    let openai = refusal(at("https://api.openai.com/v1"), None);
    assert!(matches!(openai, EmbeddingSetupError::Endpoint(_)), "{openai}");
    let absent = EmbeddingConfig { folder: "/no/such".to_owned(), ..EmbeddingConfig::default() };
    let absent = refusal(absent, None);
    let is_told = match cfg!(feature = "embedding") {
        true => matches!(absent, EmbeddingSetupError::Folder { .. }),
        false => absent == EmbeddingSetupError::NoLocalModels,
    };
    assert!(is_told, "{absent}");
    assert!(configured_embedder(&EmbeddingConfig::default(), None).unwrap().is_none());
}

#[cfg(feature = "embedding")]
mod folder {
    use std::{fmt::Write as _, fs};

    use retriever::{
        config::EmbeddingConfig, embedding::configured_embedder, workspace::Cancellation,
    };
    use serde_json::{Value, json};

    use super::{FILES, MEANINGS, Machine, QUESTION, configure, first_path, vectors};

    const DIMENSIONS: usize = 16;

    /// Writes a static model of some hundred words into a folder: words of one meaning have almost one vector.
    fn write_model(machine: &Machine, folder: &str) {
        write_model_of(machine, folder, 300);
    }

    /// The same with so many words besides those of the questions.
    fn write_model_of(machine: &Machine, folder: &str, others: usize) {
        let mut words = vec![("[UNK]".to_owned(), None)];
        for (meaning, all) in MEANINGS.iter().enumerate() {
            words.extend(all.iter().map(|word| ((*word).to_owned(), Some(meaning))));
        }
        words.extend((0..others).map(|number| (format!("word{number}"), None)));
        let vocabulary: serde_json::Map<_, _> =
            words.iter().enumerate().map(|(id, (word, _))| (word.clone(), json!(id))).collect();
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {"type": "Lowercase"},
            "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        });
        let mut table = Vec::new();
        for (id, (_, meaning)) in words.iter().enumerate() {
            for dimension in 0..DIMENSIONS {
                let own = if *meaning == Some(dimension) { 1.0 } else { 0.0 };
                let noise = ((id * 31 + dimension * 17) % 13) as f32 / 130.0;
                table.extend((own + noise).to_le_bytes());
            }
        }
        let header = json!({"embeddings": {
            "dtype": "F32", "shape": [words.len(), DIMENSIONS], "data_offsets": [0, table.len()],
        }});
        let mut header = header.to_string();
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        let length = (header.len() as u64).to_le_bytes();
        machine.files.write(&format!("{folder}/tokenizer.json"), tokenizer.to_string());
        machine.files.write(&format!("{folder}/config.json"), r#"{"normalize": true}"#);
        machine.files.write(
            &format!("{folder}/model.safetensors"),
            [length.as_slice(), header.as_bytes(), &table].concat(),
        );
    }

    #[test]
    fn a_static_model_finds_by_meaning_and_another_one_makes_its_vectors_anew() {
        let machine = Machine::new(FILES, "repo");
        write_model(&machine, "home/.config/retriever/model");
        // A relative path starts at the folder of the configuration.
        configure(&machine, "folder = \"model\"\n");
        let explore = ["explore", QUESTION, "--format", "json"];
        assert_eq!(vectors(&machine.run(&["index", "--format", "json"])), (10, 0));
        assert_eq!(first_path(&machine.run(&explore)), "src/office.rs");
        let doctor = machine.run(&["doctor", "--format", "text"]);
        assert!(doctor.out.contains("gives vectors of 16 numbers"), "{}", doctor.out);
        let config = machine.files.root().join("home/.config/retriever/model/config.json");
        let mut text = fs::read_to_string(&config).unwrap();
        write!(text, " ").unwrap();
        fs::write(&config, text).unwrap();
        let status = machine.run(&["index", "--status", "--format", "json"]);
        assert_eq!(vectors(&status), (0, 4));
    }

    #[test]
    fn a_large_table_that_differs_in_the_middle_only_is_another_model() {
        let machine = Machine::new(FILES, "repo");
        write_model_of(&machine, "home/.config/retriever/model", 40_000);
        configure(&machine, "folder = \"model\"\n");
        assert_eq!(vectors(&machine.run(&["index", "--format", "json"])), (10, 0));
        let path = machine.files.root().join("home/.config/retriever/model/model.safetensors");
        let mut table = fs::read(&path).unwrap();
        assert!(table.len() > 2 << 20);
        let middle = table.len() / 2;
        table[middle..middle + (16 << 10)].fill(0);
        fs::write(&path, table).unwrap();
        let status = machine.run(&["index", "--status", "--format", "json"]);
        assert_eq!(vectors(&status), (0, 4));
    }

    /// Tokenizers of the usual kinds over the same pieces of words.
    fn tokenizers() -> Vec<(&'static str, Value)> {
        let pieces = [
            "cou", "rier", "par", "cel", "ship", "ped", "s", "c", "o", "u", "r", "i", "e", "p",
            "a", "l", "h", "d", "n", "t", "courier", "parcel", "ware", "house", "w", "rs", "7",
        ];
        let ids = |words: Vec<String>| -> serde_json::Map<String, Value> {
            words.into_iter().enumerate().map(|(id, word)| (word, json!(id))).collect()
        };
        let words = |mark: &str| -> Vec<String> {
            let begun = pieces.iter().map(|piece| (*piece).to_owned());
            let further = pieces.iter().map(|piece| format!("{mark}{piece}"));
            ["[UNK]".to_owned(), "zebra".to_owned()]
                .into_iter()
                .chain(begun)
                .chain(further)
                .collect()
        };
        let unigram: Vec<Value> = [json!(["<unk>", 0.0]), json!(["▁", -3.0])]
            .into_iter()
            .chain((0..40).map(|number| json!([format!("x{number}"), -20.0 - f64::from(number)])))
            .chain(pieces.iter().flat_map(|piece| {
                let score = -10.0 + piece.len() as f64;
                [json!([piece, score]), json!([format!("▁{piece}"), score + 0.5])]
            }))
            .collect();
        let merges = ["c o", "co u", "p a", "pa r", "▁ c", "▁c o", "r s", "i e", "ie r"];
        let joined = merges.iter().map(|merge| merge.replace(' ', ""));
        let single =
            pieces.iter().filter(|piece| piece.len() == 1).map(|piece| (*piece).to_owned());
        let bpe: Vec<String> =
            ["<unk>".to_owned(), "▁".to_owned()].into_iter().chain(single).chain(joined).collect();
        let file = |normalizer: Value, pre_tokenizer: Value, model: Value| {
            json!({
                "version": "1.0", "truncation": null, "padding": null, "post_processor": null, "decoder": null,
                "added_tokens": [], "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model,
            })
        };
        let bert = json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true});
        let spaces = json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]});
        let metaspace = json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}]});
        Vec::from([
            (
                "words",
                file(
                    json!({"type": "Lowercase"}),
                    json!({"type": "Whitespace"}),
                    json!({"type": "WordLevel", "vocab": ids(words("+")), "unk_token": "[UNK]"}),
                ),
            ),
            (
                "WordPiece",
                file(
                    bert,
                    json!({"type": "BertPreTokenizer"}),
                    json!({"type": "WordPiece", "vocab": ids(words("##")), "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}),
                ),
            ),
            (
                "BPE",
                file(
                    spaces,
                    Value::Null,
                    json!({"type": "BPE", "vocab": ids(bpe), "merges": merges, "unk_token": "<unk>", "fuse_unk": true,
                    "byte_fallback": false, "dropout": null, "continuing_subword_prefix": null,
                    "end_of_word_suffix": null, "ignore_merges": false}),
                ),
            ),
            (
                "Unigram",
                file(
                    json!({"type": "NFKC"}),
                    metaspace,
                    json!({"type": "Unigram", "vocab": unigram, "unk_id": 0, "byte_fallback": false}),
                ),
            ),
        ])
    }

    /// Writes a table of as many tokens as a tokenizer has, with their weights and, if `is_mapped`, in another order.
    fn write_table(machine: &Machine, folder: &str, tokens: usize, is_mapped: bool) {
        let number = |token: usize, dimension: usize| ((token * 37 + dimension * 11) % 101) as f32;
        let mut data: Vec<u8> = (0..tokens)
            .flat_map(|token| (0..DIMENSIONS).map(move |dimension| number(token, dimension)))
            .flat_map(f32::to_le_bytes)
            .collect();
        let vectors = data.len();
        data.extend((0..tokens).flat_map(|token| (1.0 + token as f32 / 7.0).to_le_bytes()));
        let weights = data.len();
        data.extend((0..tokens).flat_map(|token| ((tokens - 1 - token) as u64).to_le_bytes()));
        let mut head = json!({
            "embeddings": {"dtype": "F32", "shape": [tokens, DIMENSIONS], "data_offsets": [0, vectors]},
            "weights": {"dtype": "F32", "shape": [tokens], "data_offsets": [vectors, weights]},
        });
        if is_mapped {
            head["mapping"] =
                json!({"dtype": "I64", "shape": [tokens], "data_offsets": [weights, data.len()]});
        } else {
            data.truncate(weights);
        }
        let head = head.to_string();
        let length = (head.len() as u64).to_le_bytes();
        let table = [length.as_slice(), head.as_bytes(), &data].concat();
        machine.files.write(&format!("{folder}/model.safetensors"), table);
        machine.files.write(&format!("{folder}/config.json"), r#"{"normalize": true}"#);
    }

    #[test]
    fn the_part_of_a_model_that_a_question_needs_gives_the_vector_that_all_of_it_gives() {
        let questions = [
            "how are parcels shipped by couriers",
            "Courier7 warehouse  PARCEL",
            "zzz qqq",
            "naïve parcels",
            "x1 x39 courier zebra",
        ];
        for (kind, tokenizer) in tokenizers() {
            let vocabulary = &tokenizer["model"]["vocab"];
            let tokens = vocabulary.as_array().map(Vec::len);
            let tokens = tokens.or(vocabulary.as_object().map(|all| all.len())).unwrap();
            for is_mapped in [false, true] {
                let machine = Machine::new(FILES, "repo");
                machine.files.write("model/tokenizer.json", tokenizer.to_string());
                write_table(&machine, "model", tokens, is_mapped);
                let folder = machine.files.root().join("model").display().to_string();
                for question in questions {
                    let config =
                        EmbeddingConfig { folder: folder.clone(), ..EmbeddingConfig::default() };
                    let embedder = configured_embedder(&config, None).unwrap().unwrap();
                    let ask = || embedder.embed_question(question, &Cancellation::new()).unwrap();
                    let (first, second) = (ask(), ask());
                    let texts = [question.to_owned()];
                    let whole = embedder.embed(&texts, &Cancellation::new()).unwrap();
                    assert_eq!(first, second, "{kind} {is_mapped} {question}");
                    assert_eq!(first, whole[0], "{kind} {is_mapped} {question}");
                    let is_known = first.iter().any(|number| *number != 0.0);
                    assert!(
                        is_known || question == "zzz qqq" || kind == "words",
                        "{kind} {question}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_table_that_does_not_fit_is_told_and_the_question_is_answered() {
        const FOLDER: &str = "home/.config/retriever/model";
        let (_, tokenizer) = tokenizers().swap_remove(0);
        let tokens = tokenizer["model"]["vocab"].as_object().unwrap().len();
        let missing = format!("the tokens need {tokens} rows, the table has {}", tokens - 1);
        // A token that the mapping lacks has the row of its own number.
        type Damage<'a> = &'a dyn Fn(&Machine);
        let cases: [(&str, Damage<'_>, &str); 3] = [
            (
                "no table",
                &|machine| machine.files.write(&format!("{FOLDER}/model.safetensors"), "no table"),
                "no table of vectors",
            ),
            ("a row too few", &|machine| write_table(machine, FOLDER, tokens - 1, false), &missing),
            (
                "a mapping too short",
                &|machine| write_table(machine, FOLDER, tokens - 1, true),
                &missing,
            ),
        ];
        for (case, write, reason) in cases {
            let machine = Machine::new(FILES, "repo");
            write_model(&machine, FOLDER);
            machine.files.write(&format!("{FOLDER}/tokenizer.json"), tokenizer.to_string());
            write(&machine);
            configure(&machine, "folder = \"model\"\n");
            let run = machine.run(&["index", "--format", "json"]);
            assert!(vectors(&run).1 > 0, "{case}");
            let told = "the model in embedding.folder can't be used";
            assert!(run.err.contains(told) && run.err.contains(reason), "{case}: {}", run.err);
            assert_eq!(machine.run(&["explore", QUESTION]).code, 0, "{case}");
        }
    }
}

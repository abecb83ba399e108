//! The manual against the program: variables, exit codes, verbs, flags, configuration, codes and links.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use pretty_assertions::assert_eq;
use regex::Regex;
use retriever::{
    config::{Config, ConfigSources, ProcessEnvironment, load},
    report::{ReasonCode, RunReason, meaning_of_reason},
};
use strum::VariantArray;
use yaml_serde::Value as Yaml;

use crate::support::fixture::Fixture;

struct Page {
    path: PathBuf,
    text: String,
}

/// Every page of `docs/`, and what its summary lists beside them.
fn pages() -> Vec<Page> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let own = fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path());
    let own = own.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let paths: BTreeSet<PathBuf> = own.chain(listed()).collect();
    let read = |path: PathBuf| Page { text: fs::read_to_string(&path).unwrap(), path };
    paths.into_iter().map(read).collect()
}

/// The pages that the summary lists.
fn listed() -> BTreeSet<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    links(&summary).iter().map(|link| docs.join(link).canonicalize().unwrap()).collect()
}

/// The files that a page links to.
fn links(text: &str) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)#]+)(#[^)]*)?\)").unwrap();
    let all = link.captures_iter(text).map(|found| found[1].to_owned());
    all.filter(|link| !link.contains("://")).collect()
}

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let found = pages().into_iter().find(|page| page.path == path);
    found.expect(name).text
}

#[test]
fn every_variable_and_exit_code_is_documented() {
    let models = page("docs/models.md");
    let named =
        retriever::config::process_environment::VARIABLES.iter().map(|(variable, _)| *variable);
    for variable in named.chain(["RETRIEVER_CONFIG", "RETRIEVER_API_KEY", "OPENAI_API_KEY"]) {
        assert!(models.contains(&format!("`{variable}`")), "{variable}");
    }
    let readme = page("README.md");
    for code in ["| 0 |", "| 1 |", "| 2 |", "| 3 |", "| 4 |", "| 5 |", "| 130, 143 |"] {
        assert!(readme.contains(code), "{code}");
    }
}

#[test]
fn every_code_of_a_map_is_explained_once() {
    let text = page("docs/judgement.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let explained: Vec<&str> = rows.collect();
    let of_report = ReasonCode::VARIANTS.iter().map(AsRef::as_ref);
    let known: Vec<&str> = of_report.chain(RunReason::VARIANTS.iter().map(AsRef::as_ref)).collect();
    assert_eq!(explained, known);
    for code in known {
        // What the printed map, the page and the repair note say of it.
        let meaning = meaning_of_reason(code).unwrap();
        let is_sentence = meaning.starts_with(char::is_uppercase) && meaning.ends_with('.');
        assert!(is_sentence, "{code}: {meaning}");
    }
}

#[test]
fn every_link_of_the_manual_leads_to_a_file_and_the_summary_has_every_page() {
    let listed = listed();
    for Page { path, text } in pages() {
        let is_summary = path.ends_with("docs/SUMMARY.md");
        assert!(is_summary || listed.contains(&path), "{}", path.display());
        for link in links(&text) {
            let target = path.parent().unwrap().join(&link).canonicalize();
            let target =
                target.unwrap_or_else(|error| panic!("{}: {link}: {error}", path.display()));
            // A page outside of the book would have no address there.
            let is_page = target.extension().is_some_and(|extension| extension == "md");
            let is_in_book = listed.contains(&target) || target.ends_with("docs/SUMMARY.md");
            assert!(!is_page || is_in_book, "{}: {link}", path.display());
        }
    }
}

#[test]
fn every_key_of_the_manuals_examples_exists() {
    let block = Regex::new(r"(?s)```toml\n(.*?)```").unwrap();
    let mut checked = 0;
    for Page { path, text } in pages() {
        for example in block.captures_iter(&text).map(|found| found[1].to_owned()) {
            // The file of an agent.
            if example.contains("mcp_servers") {
                continue;
            }
            let files = Fixture::new("//- /x\n");
            files.write("user.toml", &example);
            let loaded = load(&ConfigSources {
                environment: &ProcessEnvironment::new(files.root(), []),
                config_file: Some(&files.root().join("user.toml")),
                roots: &[files.root().to_owned()],
                flags: &[],
            });
            let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_ne!(loaded.config, Config::default(), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 2, "{checked} examples");
}

/// The YAML of the manual: its blocks, and the files beside it.
fn yaml() -> Vec<(PathBuf, Yaml)> {
    let block = Regex::new(r"(?s)```yaml\n(.*?)```").unwrap();
    let blocks = pages().into_iter().flat_map(|Page { path, text }| {
        let found = block.captures_iter(&text).map(|found| found[1].to_owned());
        found.map(|text| (path.clone(), text)).collect::<Vec<_>>()
    });
    let compose = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/compose.yaml");
    let text = fs::read_to_string(&compose).unwrap();
    let parse = |(path, text): (PathBuf, String)| {
        let yaml = yaml_serde::from_str(&text);
        let said = yaml.map_err(|error| format!("{}: {error}\n{text}", path.display()));
        (path, said.unwrap())
    };
    blocks.chain([(compose, text)]).map(parse).collect()
}

#[test]
fn the_yaml_of_the_manual_has_what_its_readers_take() {
    let keys = |yaml: &Yaml| -> Vec<String> {
        let keys = yaml.as_mapping().into_iter().flat_map(|it| it.keys());
        keys.filter_map(|key| key.as_str().map(str::to_owned)).collect()
    };
    let (mut workflows, mut pipelines) = (0, 0);
    for (path, yaml) in yaml() {
        let shown = path.display();
        if let Some(jobs) = yaml["jobs"].as_mapping() {
            workflows += 1;
            assert_eq!(keys(&yaml), ["on", "jobs"], "{shown}");
            for job in jobs.values() {
                assert!(job["runs-on"].is_string(), "{shown}: {job:?}");
                let steps = job["steps"].as_sequence().unwrap();
                let is_step = |it: &Yaml| it["run"].is_string() != it["uses"].is_string();
                assert!(steps.iter().all(is_step), "{shown}: {steps:?}");
            }
        } else if let Some(services) = yaml["services"].as_mapping() {
            assert_eq!(keys(&yaml), ["services", "configs", "volumes"]);
            for service in services.values() {
                assert!(service["image"].is_string() != service["build"].is_mapping());
            }
            let own = yaml["configs"]["retriever"]["content"].as_str().unwrap();
            let files = Fixture::new("//- /x\n");
            files.write("user.toml", own);
            let environment = ProcessEnvironment::new(files.root(), []);
            let file = Some(files.root().join("user.toml"));
            let roots = [files.root().to_owned()];
            let sources = ConfigSources {
                environment: &environment,
                config_file: file.as_deref(),
                roots: &roots,
                flags: &[],
            };
            assert!(load(&sources).unwrap().config.graph.everywhere);
        } else {
            pipelines += 1;
            for job in yaml.as_mapping().unwrap().values() {
                assert!(job["script"].as_sequence().is_some_and(|it| !it.is_empty()), "{shown}");
            }
        }
    }
    assert!(workflows > 0 && pipelines > 0, "{workflows} {pipelines}");
}

#[cfg(feature = "cli")]
#[test]
fn the_services_of_the_manual_start_the_program_with_flags_that_exist() {
    let (_, compose) = yaml().pop().unwrap();
    let command = compose["services"]["retriever"]["command"].as_sequence().unwrap();
    let words: Vec<&str> = command.iter().filter_map(Yaml::as_str).collect();
    assert_eq!(words[..2], ["retriever", "serve"]);
    // The folders are not here: what is refused is not how it was called.
    let refused = assert_cmd::Command::cargo_bin("retriever").unwrap().args(&words[1..]).output();
    let refused = refused.unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", String::from_utf8_lossy(&refused.stderr));
    let mut wrong = words.clone();
    wrong.insert(2, "--no-such-flag");
    let wrong = assert_cmd::Command::cargo_bin("retriever").unwrap().args(&wrong[1..]).output();
    assert_eq!(wrong.unwrap().status.code(), Some(2));
}

#[cfg(feature = "cli")]
#[test]
fn every_command_of_the_manual_is_one_that_the_program_takes() {
    let command =
        Regex::new(r"(?m)(?:^\$ |^    |^|`|^ +- (?:run: )?)(?:[A-Z_]+=\S+ )*retriever ([^`\n]+)")
            .unwrap();
    let mut checked = 0;
    for Page { path, text } in pages() {
        for found in command.captures_iter(&text).map(|found| found[1].to_owned()) {
            let line = found.split(['#', '|', ';', '>']).next().unwrap();
            let mut words = shlex::split(line).unwrap();
            // It stands for any of them.
            if words[0] == "VERB" {
                continue;
            }
            // What follows is not done, but what stands before it is read.
            words.push("--help".to_owned());
            let output = assert_cmd::Command::cargo_bin("retriever").unwrap().args(&words).output();
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{}: {found}\n{said}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked} commands");
}

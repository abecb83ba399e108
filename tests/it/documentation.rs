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
    report::ReasonCode,
};
use strum::VariantArray;
use yaml_serde::Value as Yaml;

use crate::support::fixture::Fixture;

struct Page {
    path: PathBuf,
    text: String,
}

/// README.md and every page of `docs/`.
fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    docs.chain([root.join("README.md")])
        .map(|path| Page { text: fs::read_to_string(&path).unwrap(), path })
        .collect()
}

fn page(name: &str) -> String {
    let found = pages().into_iter().find(|page| page.path.ends_with(name));
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
    let known: Vec<&str> = ReasonCode::VARIANTS.iter().map(AsRef::as_ref).collect();
    assert_eq!(explained, known);
}

#[test]
fn every_link_of_the_manual_leads_to_a_file_and_the_summary_has_every_page() {
    let link = Regex::new(r"\]\(([^)#]+)(#[^)]*)?\)").unwrap();
    let mut listed = BTreeSet::new();
    for Page { path, text } in pages() {
        for found in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if found.contains("://") {
                continue;
            }
            let target = path.parent().unwrap().join(&found);
            assert!(target.exists(), "{}: {found}", path.display());
            if path.ends_with("SUMMARY.md") {
                listed.insert(target.canonicalize().unwrap());
            }
        }
    }
    for Page { path, .. } in pages() {
        let is_listed = listed.contains(&path.canonicalize().unwrap());
        assert!(is_listed || path.ends_with("SUMMARY.md"), "{}", path.display());
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
                file: Some(&files.root().join("user.toml")),
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
                file: file.as_deref(),
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
fn every_command_of_the_manual_names_verbs_and_flags_that_exist() {
    let help = |arguments: &[&str]| {
        let output = assert_cmd::Command::cargo_bin("retriever").unwrap().args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let all = help(&["--help"]);
    let command =
        Regex::new(r"(?m)(?:^\$ |^    |`|^ +- (?:run: )?)(?:[A-Z_]+=\S+ )*retriever ([^`\n]+)")
            .unwrap();
    let flag = Regex::new(r"(?:^| )(--[a-z][a-z-]*|-[a-zA-Z])\b").unwrap();
    let verb = Regex::new(r"(?:^|\s)([a-z]+)").unwrap();
    let root = Regex::new(r"--(root|config|format|color) \S+").unwrap();
    let mut checked = 0;
    for Page { path, text } in pages() {
        for found in command.captures_iter(&text).map(|found| found[1].to_owned()) {
            let line = found.split(['#', '|', ';', '>', '"', '\'']).next().unwrap();
            let rest = root.replace_all(line, "");
            let Some(name) = verb.captures(&rest).map(|found| found[1].to_owned()) else {
                continue;
            };
            let shown = format!("{}: retriever {found}", path.display());
            assert!(all.contains(&format!("\n  {name} ")), "{shown}");
            let own = help(&[&name, "--help"]);
            for flag in flag.captures_iter(line).map(|found| found[1].to_owned()) {
                assert!(own.contains(&flag), "{shown}: {flag}");
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked} commands");
}

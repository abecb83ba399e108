//! Several roots in one question: flags, the user's file, what each root's own file may do, and calls across roots.

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::machine::Machine;

/// A library and its user in each of four languages, and a repository apart.
const PAIRS: &str = "\
//- /ts/store/package.json
{\"name\": \"@acme/store\", \"main\": \"src/index.ts\"}
//- /ts/store/src/index.ts
export { openStore } from \"./store\";
//- /ts/store/src/store.ts
export function openStore(path: string): string {
  return path;
}
//- /ts/app/src/main.ts
import { openStore } from \"@acme/store\";

export function boot(): void {
  openStore(\"x\");
}
//- /go/parcel/go.mod
module example.com/parcel
//- /go/parcel/parcel.go
package parcel

func Ship() int { return 1 }
//- /go/shop/.git/HEAD
ref: refs/heads/main
//- /go/shop/go.mod
module example.com/shop

require example.com/parcel v1.0.0
//- /go/shop/main.go
package main

import \"example.com/parcel\"

func main() { parcel.Ship() }
//- /rust/parcel/Cargo.toml
[package]
name = \"parcel\"
//- /rust/parcel/src/lib.rs
pub fn ship() -> u32 { 1 }
//- /rust/shop/Cargo.toml
[package]
name = \"shop\"
[dependencies]
parcel = \"0.1\"
//- /rust/shop/src/main.rs
use parcel::ship;

fn main() {
    ship();
}
//- /python/parcel/pyproject.toml
[project]
name = \"parcel\"
//- /python/parcel/parcel/__init__.py
def ship(x):
    return x
//- /python/shop/main.py
from parcel import ship


def run():
    return ship(3)
//- /apart/.git/HEAD
x
//- /apart/alone.py
def alone():
    return 1
//- /home/x
";

fn answer(machine: &Machine, folder: &str, arguments: &[&str]) -> Value {
    let output = machine.command_in(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn paths(answer: &Value) -> Vec<&str> {
    let files = answer["files"].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn a_call_is_found_across_roots_by_the_package_that_one_publishes() {
    let machine = Machine::new(PAIRS, "");
    for (library, user, name, caller) in [
        ("ts/store", "ts/app", "openStore", "app/src/main.ts"),
        ("go/parcel", "go/shop", "Ship", "shop/main.go"),
        ("rust/parcel", "rust/shop", "ship", "shop/src/main.rs"),
        ("python/parcel", "python/shop", "ship", "shop/main.py"),
    ] {
        let asked = ["--root", library, "--root", user, "graph", "callers", name];
        let found = answer(&machine, "", &asked);
        let callers = found["answers"].as_array().unwrap().iter();
        let callers: Vec<&str> =
            callers.map(|answer| answer["definition"]["path"].as_str().unwrap()).collect();
        assert_eq!(callers, [caller], "{found}");
    }
}

#[test]
fn one_map_answers_over_all_roots_and_its_places_say_which() {
    let machine = Machine::new(PAIRS, "");
    let roots = ["--root", "go/parcel", "--root", "go/shop"];
    let ask = ["ask", "--offline", "how does `main` Ship a parcel?"];
    let map = answer(&machine, "", &[&roots[..], &ask].concat());
    let places: Vec<&str> = map["primary"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["path"].as_str())
        .collect();
    assert!(places.contains(&"parcel/parcel.go"), "{map}");
    assert!(places.contains(&"shop/main.go"), "{map}");
    let asked = [&roots[..], &["ask", "--offline", "--batch", "-"]].concat();
    let batch = machine
        .command_in("", &asked)
        .write_stdin("{\"question\": \"where is `Ship`?\"}\n")
        .output()
        .unwrap();
    let line: Value = serde_json::from_slice(&batch.stdout).unwrap();
    assert_eq!(line["primary"][0]["path"], "parcel/parcel.go", "{line}");
}

#[test]
fn paths_of_the_current_folder_and_absolute_ones_are_paths_of_their_root() {
    let machine = Machine::new(PAIRS, "");
    let absolute = machine.files.root().join("go/parcel/parcel.go");
    for (folder, file, expected) in [
        ("go/shop", "main.go", "shop/main.go"),
        ("go/shop", "../parcel/parcel.go", "parcel/parcel.go"),
        ("go", absolute.to_str().unwrap(), "parcel/parcel.go"),
        ("go", "shop/main.go", "shop/main.go"),
    ] {
        let root = machine.files.root();
        let (one, two) = (root.join("go/parcel"), root.join("go/shop"));
        let roots = ["--root", one.to_str().unwrap(), "--root", two.to_str().unwrap()];
        let read = answer(&machine, folder, &[&roots[..], &["read", file]].concat());
        assert_eq!(read["path"], expected, "{read}");
    }
    let outside = machine.command_in("go/shop", &["--root", ".", "read", "../parcel/parcel.go"]);
    let refused = { outside }.output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn the_users_file_names_roots_for_folders_in_them_and_outside_of_any_repository() {
    let machine = Machine::new(PAIRS, "");
    machine.files.write(
        "home/.config/retriever/config.toml",
        "[[workspace.roots]]\nname = \"lib\"\npath = \"../../../go/parcel\"\n\n[[workspace.roots]]\npath = \"~/../go/shop\"\n",
    );
    let all = ["lib/parcel.go", "shop/main.go"];
    for (folder, expected) in [("go/shop", &all[..]), ("", &all), ("apart", &["alone.py"])] {
        let found = answer(&machine, folder, &["glob", "*.{go,py}"]);
        let mut listed: Vec<&str> = paths(&found);
        listed.sort_unstable();
        assert_eq!(listed, expected, "{folder}");
    }
    let named = answer(&machine, "go/shop", &["--root", "../../apart", "glob", "*.py"]);
    assert_eq!(paths(&named), ["alone.py"]);
}

#[test]
fn the_file_of_one_root_hides_nothing_of_another() {
    let machine = Machine::new(PAIRS, "");
    machine.files.write(
        "go/parcel/retriever.toml",
        "[workspace]\nignore = [\"*.go\"]\nroots = [{ path = \"/\" }]\n",
    );
    let arguments = ["--root", "go/parcel", "--root", "go/shop", "glob", "*.go"];
    let output = machine.command_in("", &arguments).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(paths(&found), ["shop/main.go"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("workspace.roots is refused: a workspace may only narrow"), "{said}");
}

#[test]
fn roots_that_make_no_workspace_are_refused_with_a_hint() {
    let machine = Machine::new(PAIRS, "");
    for (arguments, error) in [
        (["--root", "go", "--root", "go/shop"], "lies in the root"),
        (["--root", "go", "--root", "none"], "does not exist"),
    ] {
        let output =
            machine.command_in("", &[&arguments[..], &["glob", "*"]].concat()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(error) && said.contains("\nhint: "), "{said}");
    }
}

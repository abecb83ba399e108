//! Rules about what the parser sees: cycles of modules, sizes of functions, public items.

use std::{collections::BTreeSet, fs, sync::LazyLock};

use retriever_tidy::{
    crate_source::read_workspace,
    function_sizes::{FunctionSize, functions},
    module_cycles::{ModuleCycle, cycles},
    public_items,
};

use crate::support::{assert_listed, assert_none, is_update, read, root};

const MAX_LINES: usize = 60;
const MAX_PARAMETERS: usize = 5;

/// What the rules ask of one crate. Parsed once for all rules; the parser's own types can't be shared between threads.
struct Facts {
    name: String,
    functions: Vec<FunctionSize>,
    cycles: Vec<ModuleCycle>,
    public_items: Vec<String>,
}

static CRATES: LazyLock<Vec<Facts>> = LazyLock::new(|| {
    // The files of one language may use one another in a circle.
    let is_language = |path: &[String]| path.len() > 1 && path[0] == "languages";
    read_workspace(&root())
        .unwrap()
        .iter()
        .map(|source| Facts {
            name: source.name.clone(),
            functions: functions(source),
            cycles: cycles(source, is_language),
            public_items: public_items::public_items(source),
        })
        .collect()
});

/// Returns the functions that break a rule, as `crate: name`, so that a function that moves stays listed.
fn breaking(rule: impl Fn(&FunctionSize) -> bool) -> BTreeSet<String> {
    let of_crate = |facts: &Facts| -> Vec<String> {
        let found = facts.functions.iter().filter(|it| rule(it));
        found.map(|it| format!("{}: {}", facts.name, it.name)).collect()
    };
    CRATES.iter().flat_map(of_crate).collect()
}

#[test]
fn modules_of_a_folder_do_not_use_one_another_in_a_circle() {
    let mut found = BTreeSet::new();
    for facts in CRATES.iter() {
        for cycle in &facts.cycles {
            for line in &cycle.uses {
                println!("{}: {line}", facts.name);
            }
            let member = |it: &String| format!("{}: {}::{it}", facts.name, cycle.folder);
            found.extend(cycle.members.iter().map(member));
        }
    }
    assert_listed("modules in a cycle (its uses are printed above)", "cycles.txt", &found);
}

#[test]
fn functions_fit_on_a_screen() {
    let found = breaking(|it| it.lines > MAX_LINES);
    assert_listed("functions over 60 lines", "long_functions.txt", &found);
}

#[test]
fn functions_take_few_parameters() {
    let found = breaking(|it| it.parameters > MAX_PARAMETERS);
    assert_listed("functions with more than five parameters", "many_parameters.txt", &found);
}

#[test]
fn parameters_are_not_positional_booleans() {
    // The only value of a conversion or a setter names itself.
    let found = breaking(|it| it.booleans > 0 && it.parameters > 1);
    assert_listed("functions with a bool beside other parameters", "booleans.txt", &found);
}

#[test]
fn parameters_are_not_tuples() {
    // Those of the search and the report are to follow.
    let mut found = breaking(|it| it.tuples > 0);
    found.retain(|it| !it.starts_with("search: ") && !it.starts_with("report: "));
    assert_listed("functions that take a tuple apart", "tuple_parameters.txt", &found);
}

#[test]
fn the_public_items_are_those_of_the_checked_in_lists() {
    let mut problems = Vec::new();
    for facts in CRATES.iter() {
        let file = match facts.name.as_str() {
            "program" => continue,
            "retriever" => "API.txt".to_owned(),
            name => format!("crates/{name}/API.txt"),
        };
        if is_update() {
            let text: String = facts.public_items.iter().flat_map(|line| [line, "\n"]).collect();
            fs::write(root().join(&file), text).unwrap();
            continue;
        }
        let listed = read(&file);
        let listed: BTreeSet<&str> = listed.lines().collect();
        let items: BTreeSet<&str> = facts.public_items.iter().map(String::as_str).collect();
        problems.extend(items.difference(&listed).map(|it| format!("{file}: new: {it}")));
        problems.extend(listed.difference(&items).map(|it| format!("{file}: gone: {it}")));
    }
    if !problems.is_empty() {
        problems.push("UPDATE=1 cargo test -p retriever-tidy writes the lists".to_owned());
    }
    assert_none(&problems);
}

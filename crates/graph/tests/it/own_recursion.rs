//! Recursion of the workspace's own code, found by its own graph. Input sets how deep a recursion goes, and a stack that overflows
//! ends the program: so each circle of calls has to pass a function that is listed here with what limits it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    thread,
};

use retriever_graph::{
    EdgeKind, Graph, NodeId, NodeKind,
    indexing::{Language, SourceFile, extract, resolve},
};

use crate::tidy::sources;

/// (what limits the depth, the functions that it limits, by the end of their qualified names)
const LIMITS: &[(&str, &[&str])] = &[
    (
        "a depth, a number of hops or a list that it counts itself",
        &[
            "argument_compatibility::TypeInference::takes",
            "boosted_trees::BoostedTrees::add_part",
            "conditionals::Condition::one",
            "constructor_resolution::TypeInference::class_among",
            "declaration_hasher::DeclarationHasher::expr",
            "declaration_hasher::DeclarationHasher::ty",
            "documented_types::Reader::single",
            "imports::TypeInference::export",
            "indirect_calls::kept_by",
            "interface_fingerprint::Fingerprinter::expr",
            "interface_fingerprint::Fingerprinter::ty",
            "interface_satisfaction::InterfaceComparison::method_set",
            "lowering_context::LoweringContext::node",
            "macro_expansion::Expansion::bind_in",
            "macro_expansion::Expansion::value",
            "macro_expansion::is_named_by_call",
            "macro_expansion::item_groups",
            "macro_implementations::implementations",
            "macros::Group::read",
            "main_call_path::ChainSearch::extend",
            "member_lookup::TypeInference::add_ancestors",
            "member_lookup::TypeInference::linear",
            "method_signatures::types_differ",
            "name_lookup::TypeInference::passed_on",
            "named_events::LoweringContext::key",
            "overloads::TypeInference::accepts",
            "package_exports::OfferedNames::of_module",
            "project::config",
            "reference_edges::types_named_by",
            "string_annotations::text_type",
            "type_argument_inference::TypeInference::match_types",
            "type_narrowing::narrow",
            "types::LoweringContext::ty",
            "uses_of_imported_names::FileFacts::path_of",
            "uses_of_imported_names::FileFacts::type_of_bound",
            "value_flow::follow",
            "value_flow::print_at",
        ],
    ),
    (
        "levels of a file's syntax tree: `MAX_LEVELS` of `syntax_node.rs`",
        &[
            "assignments::LoweringContext::local_pattern",
            "binding_patterns::PatternReader::one",
            "binding_patterns::pattern",
            "binding_patterns::stable",
            "declarations::declared_names",
            "declarations::imports",
            "definitions::LoweringContext::supers",
            "expressions::elements",
            "expressions::initializers",
            "expressions::instance_of",
            "imports::tree",
            "local_variables::bind",
            "lowering_dialect::CSharp::pattern",
            "lowering_dialect::Kotlin::narrow",
            "members_of_heirs::TypeInference::heirs",
            "name_lookup::TypeInference::c_home",
            "name_lookup::TypeInference::c_unseen_member",
            "platform_bodies::TypeInference::declarations_of_body",
            "qualified_names::qualified_name",
            "resolve_expression::TypeInference::resolve_expr",
            "signatures::keep",
            "statements::case_pattern",
            "statements::caught_class",
            "statements::pattern",
            "type_narrowing::proofs",
            "value_flow::place",
            "variables::LoweringContext::pattern",
        ],
    ),
    (
        "evaluations inside one another: `MAX_DEPTH` of `evaluation_budget.rs`",
        &[
            "declared_types::TypeInference::bound_param",
            "declared_types::TypeInference::param_type",
            "expression_types::TypeInference::eval_type",
            "expression_types::TypeInference::type_of",
            "members::TypeInference::member",
            "names_in_declared_packages::TypeInference::relative_import",
        ],
    ),
    (
        "how deep a type of an expression is, which evaluations and annotations limit",
        &[
            "argument_type_overloads::TypeInference::are_apart",
            "inference_results::Ty::fill",
            "overloads::TypeInference::mentions",
            "resolution_rules::is_lock",
        ],
    ),
    (
        "once: what it is called with the second time does not go on",
        &[
            "answer_graph_question::answer_in_place",
            "argument_type_overloads::TypeInference::fits",
            "call_result_types::TypeInference::call_value",
            "chat_model::ChatModel::complete",
            "chat_model::ChatModel::name",
            "declared_types::TypeInference::type_of_referent",
            "element_types::TypeInference::element_of",
            "element_types::TypeInference::index_of",
            "element_types::TypeInference::key_of",
            "external_name_uses::answer",
            "file_facts_extraction::extract_within",
            "file_facts_extraction::parse_alone",
            "json_coercion::object",
            "known_interfaces::FileFacts::word_of",
            "languages_added_at_runtime::definition",
            "library_call_types::MethodCall::given_for",
            "name_lookup::TypeInference::under",
        ],
    ),
    (
        "folders of a path, whose length the system limits",
        &["project::ImportRoots::folder", "project::ensure"],
    ),
    (
        "levels of JSON or TOML, which their parsers limit",
        &[
            "cached_answer_dependencies::CallDependencies::add_texts",
            "cached_answer_dependencies::asks_everywhere",
            "parse_report::collect_violations",
            "parse_report::unwrap_report",
            "settings_layers::collect_settings",
            "settings_layers::collect_values",
            "text_tool_calls::collect",
            "toml::span",
            "without_nulls::strip",
        ],
    ),
    (
        "the program's own schemas",
        &["prompted_json_tool_calls::shape", "report_tool::say_once", "tool_schema::simplify"],
    ),
    ("places of a report, fewer with every call", &["duplicate_citations::merge_overlapping"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Returns the Rust files below a folder, by path from the workspace's root.
fn sources_of(folder: &Path) -> impl Iterator<Item = (String, String)> {
    let root = root();
    sources(folder).into_iter().map(move |(path, text)| {
        (path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), text)
    })
}

/// The graph of the code of every crate but the one that reads the workspace's sources.
fn own_code() -> Graph {
    let mut sources: Vec<(String, String)> = sources_of(&root().join("src")).collect();
    let mut manifests = Vec::new();
    manifests
        .push(("Cargo.toml".to_owned(), fs::read_to_string(root().join("Cargo.toml")).unwrap()));
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if name != "tidy" {
            sources.extend(sources_of(&folder.join("src")));
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            manifests.push((format!("crates/{name}/Cargo.toml"), manifest));
        }
    }
    sources.sort();
    let read = |part: &[(String, String)]| -> Vec<SourceFile> {
        let file = |(path, text): &(String, String)| SourceFile {
            path: path.clone(),
            facts: extract(Language::Rust, text),
        };
        part.iter().map(file).collect()
    };
    let (first, second) = sources.split_at(sources.len() / 2);
    let files = thread::scope(|threads| {
        let other = threads.spawn(|| read(second));
        let mut files = read(first);
        files.extend(other.join().unwrap());
        files
    });
    resolve(files, &manifests).unwrap()
}

/// Returns what each function calls, through traits too.
fn calls(graph: &Graph) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
    let functions = (0..graph.nodes().count() as u32).map(NodeId);
    let functions = functions.filter(|id| graph.kind(*id) == Some(NodeKind::Function));
    functions
        .map(|id| {
            let steps = graph.steps(id).into_iter().filter(|step| {
                step.kind.is_some_and(|kind| kind == EdgeKind::Calls || kind.is_inheritance())
            });
            (id, steps.map(|step| step.node).collect())
        })
        .collect()
}

/// Returns the functions that are in a circle of calls, or between two, when those of `left_out` are not called.
fn in_circles(
    calls: &BTreeMap<NodeId, BTreeSet<NodeId>>,
    left_out: &BTreeSet<NodeId>,
) -> BTreeSet<NodeId> {
    let mut open: BTreeSet<NodeId> =
        calls.keys().filter(|id| !left_out.contains(id)).copied().collect();
    loop {
        let called: BTreeSet<NodeId> =
            open.iter().flat_map(|id| &calls[id]).filter(|id| open.contains(id)).copied().collect();
        let goes_on = |id: &NodeId| calls[id].iter().any(|to| open.contains(to));
        let left: BTreeSet<NodeId> = called.iter().filter(|id| goes_on(id)).copied().collect();
        if left == open {
            return open;
        }
        open = left;
    }
}

#[test]
fn every_recursion_has_a_limit() {
    let graph = own_code();
    let calls = calls(&graph);
    let name = |id: &NodeId| graph.node(*id).unwrap().qname.clone();
    let is_listed = |id: &NodeId, listed: &str| {
        let name = name(id);
        name.ends_with(listed) && name[..name.len() - listed.len()].ends_with("::")
    };
    let listed: Vec<&str> = LIMITS.iter().flat_map(|(_, names)| *names).copied().collect();
    let limited: BTreeSet<NodeId> =
        calls.keys().filter(|id| listed.iter().any(|it| is_listed(id, it))).copied().collect();
    let open: Vec<String> = in_circles(&calls, &limited).iter().map(name).collect();
    assert!(open.is_empty(), "circles of calls without a limit that is listed:\n{open:#?}");
    // Each entry is needed: without it there is a circle.
    let circles = in_circles(&calls, &BTreeSet::new());
    let stale = listed.iter().filter(|it| !circles.iter().any(|id| is_listed(id, it)));
    assert_eq!(stale.collect::<Vec<_>>(), Vec::<&&str>::new(), "listed, and in no circle of calls");
}

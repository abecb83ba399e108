//! The parameters of a function, as signatures of all languages write them.

use pretty_assertions::assert_eq;
use retriever_graph::{ParameterList, behind_brackets};

#[test]
fn a_list_ends_with_its_parenthesis_and_an_arrow_or_a_comparison_is_no_bracket() {
    let cases: &[(&str, &[&str], bool)] = &[
        (")", &[], true),
        ("", &[], false),
        ("a, b) -> c", &["a", "b"], true),
        ("a: A,\n    b: B,\n) {", &["a: A", "b: B"], true),
        ("f: impl Fn(A) -> B, x: u32)", &["f: impl Fn(A) -> B", "x: u32"], true),
        ("a: () => void, b: Map<K, V>) {}", &["a: () => void", "b: Map<K, V>"], true),
        (
            "std::map<int, char> m, int n = (1, 2))",
            &["std::map<int, char> m", "int n = (1, 2)"],
            true,
        ),
        ("int flags = 1 << 2) const", &["int flags = 1 << 2"], true),
        (
            "(int (*)(int, int)), bool b = (x < y), char c)",
            &["(int (*)(int, int))", "bool b = (x < y)", "char c"],
            true,
        ),
        (
            "_ at: [Int: [A, B]], then: @escaping (A, B) -> C = { $0 })",
            &["_ at: [Int: [A, B]]", "then: @escaping (A, B) -> C = { $0 }"],
            true,
        ),
        ("é: Ü, b: List<", &["é: Ü", "b: List<"], false),
    ];
    for (text, parameters, is_whole) in cases {
        let expected = ParameterList { parameters: parameters.to_vec(), is_whole: *is_whole };
        assert_eq!(ParameterList::behind_parenthesis(text), expected, "{text}");
    }
    assert_eq!(behind_brackets("<T: (A) -> B>(x)"), Some("(x)"));
    assert_eq!(behind_brackets("[K, V]()"), Some("()"));
    assert_eq!(behind_brackets("<T"), None);
}

//! Pages through their public boundary.

use std::collections::BTreeSet;

use maud::html;
use pretty_assertions::assert_eq;
use retriever_page::{DiagramEdge, DiagramNode, GraphDiagram, SyntaxHighlighter, page};
use retriever_test_support::accessibility_faults;

const HOSTILE: &str =
    "</script></style></title><img src=x onerror=alert(1)>\"'\u{202e}gnp\u{1b}[31m\u{0}";

fn node(label: &str) -> DiagramNode {
    DiagramNode {
        label: label.to_owned(),
        place: format!("{label}:1"),
        link: Some(format!("#{label}")),
    }
}

fn edge(from: usize, to: usize) -> DiagramEdge {
    DiagramEdge { from, to, label: HOSTILE.to_owned(), is_indirect: false }
}

#[test]
fn hostile_text_stays_text_wherever_it_stands() {
    let lines = vec![HOSTILE.to_owned(), format!("// {HOSTILE}")];
    let picture = GraphDiagram { nodes: vec![node(HOSTILE), node("b")], edges: vec![edge(0, 1)] };
    for path in ["a.rs", "a.html", "a.js", "a.unknown"] {
        let body = html! {
            p title=(HOSTILE) { (HOSTILE) }
            @for line in SyntaxHighlighter::new().lines(path, &lines) { (line) }
            (picture.svg(HOSTILE))
        };
        let text = page(HOSTILE, &body);
        assert!(!text.contains("<img") && !text.contains("<script"), "{path}: {text}");
        assert_eq!(text.matches("</style>").count(), 1);
        assert_eq!(text.matches("</title>").count(), text.matches("<title>").count());
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{path}");
        assert!(!text.contains('\u{202e}') && text.contains("\\u{202e}"), "{path}");
    }
}

#[test]
fn hostile_names_cannot_leave_their_labels() {
    let picture =
        GraphDiagram { nodes: vec![node("a\"];x[\""), node(HOSTILE)], edges: vec![edge(0, 1)] };
    for line in picture.dot().lines().filter(|line| line.contains("label")) {
        let unescaped = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(unescaped.matches('"').count(), 2, "{line}");
    }
    for line in picture.mermaid().lines().skip(1) {
        assert_eq!(line.matches('"').count(), 2, "{line}");
        assert!(!line.contains("<img"), "{line}");
    }
}

#[test]
fn a_page_with_pictures_can_be_used_without_a_mouse_and_read_with_weak_eyes() {
    let linked = GraphDiagram { nodes: vec![node("a"), node("b")], edges: vec![edge(0, 1)] };
    let mut plain = linked.clone();
    plain.nodes.iter_mut().for_each(|node| node.link = None);
    for picture in [linked, plain] {
        let body = html! {
            h1 { "A title" }
            p #a { "a" } p #b { "b" }
            (picture.svg("two places"))
        };
        assert_eq!(accessibility_faults(&page("A title", &body)), Vec::<String>::new());
    }
}

#[test]
fn what_keeps_people_out_is_found() {
    let light = "--ink: #1f2328";
    let faults = |change: &dyn Fn(String) -> String| {
        let body = html! { h1 { "A title" } p { "text" } };
        accessibility_faults(&change(page("A title", &body)))
    };
    assert_eq!(faults(&|page| page), Vec::<String>::new());
    for (from, to, fault) in [
        (light, "--ink: #999", "light: ink on ground has 2.85"),
        ("--k: #ff7b72", "--k: #401010", "dark: k on ground"),
        ("[tabindex=\"0\"]:focus-visible { outline: 3px", "x { outline: 3px", "shows no focus"),
        ("<html lang=\"en\">", "<html>", "no language"),
        ("<p>text</p>", "<h3>text</h3>", "h3 after h1"),
        ("<p>text</p>", "<table><tr><td>x</td></tr></table>", "a table without headings"),
        ("<p>text</p>", "<table><tr><th>x</th></tr></table>", "without its scope"),
        ("<p>text</p>", "<a href=\"#nowhere\">x</a>", "a link to #nowhere"),
        ("<p>text</p>", "<a href=\"#content\"></a>", "a link without a text"),
        ("<p>text</p>", "<div class=\"wide\">x</div>", "that no key reaches"),
        ("<p>text</p>", "<svg></svg>", "a picture without"),
        ("<p>text</p>", "<nav>x</nav>", "a landmark without a name"),
        ("<p>text</p>", "<p id=\"content\">x</p>", "the id content twice"),
        ("<p>text</p>", "<h1>x</h1>", "2 h1 elements"),
    ] {
        let found = faults(&|page| {
            assert!(page.contains(from), "{from}");
            page.replace(from, to)
        });
        assert!(found.iter().any(|it| it.contains(fault)), "{to}: {found:?}");
    }
}

#[test]
fn a_page_loads_nothing() {
    let text = page("A title", &html! { p { "text" } });
    assert!(text.contains("default-src 'none'"));
    for loading in ["src=", "@import", "url(", "<link", "<script", "http://", "https://"] {
        assert!(!text.contains(loading), "{loading}");
    }
}

#[test]
fn code_is_highlighted_line_by_line_and_none_is_lost() {
    let lines: Vec<String> = ["/* a", "comment */ fn run() {", "    \"text\" // end", "}", ""]
        .map(str::to_owned)
        .to_vec();
    let shown = SyntaxHighlighter::new().lines("src/lib.rs", &lines);
    let plain: Vec<String> = shown.iter().map(|line| without_tags(&line.0)).collect();
    assert_eq!(plain, lines.iter().map(|line| line.replace('"', "&quot;")).collect::<Vec<_>>());
    assert!(shown[0].0.contains("class=\"c\""), "{}", shown[0].0);
    assert!(
        shown[1].0.contains("class=\"c\"") && shown[1].0.contains("class=\"f\""),
        "{}",
        shown[1].0
    );
    assert!(shown[2].0.contains("class=\"s\""), "{}", shown[2].0);
    for line in &shown {
        assert!(!has_neighbours_of_one_class(&line.0), "{}", line.0);
    }
}

/// Returns whether two tokens of one class stand side by side, which could be one.
fn has_neighbours_of_one_class(html: &str) -> bool {
    let tokens: Vec<&str> = html.split("<span class=\"").skip(1).collect();
    tokens.windows(2).any(|pair| {
        pair[0].ends_with("</span>") && pair[0].split('"').next() == pair[1].split('"').next()
    })
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if !is_tag => text.push(letter),
            _ => {}
        }
    }
    text
}

#[test]
fn every_box_of_a_picture_has_a_place_of_its_own() {
    let names = ["a", "b", "c", "d", "e"];
    let shapes: [&[(usize, usize)]; 5] = [
        &[],
        &[(0, 1), (1, 2), (2, 3), (3, 4)],
        &[(0, 1), (1, 0), (2, 2)],
        &[(0, 4), (1, 4), (2, 4), (3, 4)],
        &[(4, 0), (3, 4), (0, 3)],
    ];
    for shape in shapes {
        let edges = shape.iter().map(|(from, to)| edge(*from, *to)).collect();
        let picture = GraphDiagram { nodes: names.map(node).to_vec(), edges };
        let svg = picture.svg("a picture").into_string();
        let mut corners: Vec<&str> =
            svg.split("<rect ").skip(1).map(|part| part.split(" width").next().unwrap()).collect();
        assert_eq!(corners.len(), names.len());
        corners.sort_unstable();
        corners.dedup();
        assert_eq!(corners.len(), names.len(), "{shape:?}: {svg}");
        assert_eq!(svg.matches("marker-end").count(), shape.len());
    }
}

#[test]
fn an_arrow_leads_to_the_right_unless_it_closes_a_cycle() {
    type Case<'a> = (&'a [(usize, usize)], [usize; 4]);
    let cases: [Case<'_>; 3] = [
        // The box that the longest ways leave comes first.
        (&[(1, 0), (0, 1), (0, 2), (2, 3)], [1, 0, 2, 3]),
        // Of a short and a long way the long one counts.
        (&[(0, 1), (0, 2), (0, 3), (1, 2), (3, 1)], [0, 2, 3, 1]),
        (&[(0, 0), (0, 1), (1, 1), (2, 1)], [0, 1, 0, 0]),
    ];
    for (edges, columns) in cases {
        let edges = edges.iter().map(|(from, to)| edge(*from, *to)).collect();
        let picture = GraphDiagram { nodes: ["a", "b", "c", "d"].map(node).to_vec(), edges };
        let svg = picture.svg("a picture").into_string();
        let left = |part: &str| part.split('"').nth(1).unwrap().parse::<u32>().unwrap();
        let lefts: Vec<u32> = svg.split("<rect ").skip(1).map(left).collect();
        let different: BTreeSet<u32> = lefts.iter().copied().collect();
        let drawn: Vec<usize> =
            lefts.iter().map(|x| different.iter().position(|it| it == x).unwrap()).collect();
        assert_eq!(drawn, columns, "{svg}");
    }
}

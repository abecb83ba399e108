//! The frame of a page: head, policy, stylesheet. Every page is made here, so that no text of a repository reaches a
//! reader with control or direction characters in it.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use retriever_workspace::escape_control;

const STYLE: &str = include_str!("style.css");

/// The content security policy: no page may load anything or run a script.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Returns the page. Control and direction characters of its text are written as their code points.
pub fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "To the content" }
                main #content tabindex="-1" { (body) }
            }
        }
    };
    let lines: Vec<String> = page.into_string().split('\n').map(escape_control).collect();
    lines.join("\n")
}

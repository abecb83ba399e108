//! Tables for readers: rows under a header, plain, as Markdown or as HTML.

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStyle {
    /// Columns that are aligned by spaces.
    Plain,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

/// Rows of cells, under a header.
pub(super) struct TextTable {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(super) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    pub(super) fn write(&self, out: &mut String, style: TableStyle) {
        match style {
            TableStyle::Plain => {
                let widths = self.widths();
                self.write_rows(out, |cells| {
                    padded(cells, &widths).join("  ").trim_end().to_owned()
                });
            }
            TableStyle::Markdown => {
                let widths = self.widths();
                let rule = widths.iter().map(|width| "-".repeat(*width)).collect();
                let ruled = Self {
                    head: self.head.clone(),
                    rows: [rule].into_iter().chain(self.rows.iter().cloned()).collect(),
                };
                ruled
                    .write_rows(out, |cells| format!("| {} |", padded(cells, &widths).join(" | ")));
            }
            TableStyle::Html => {
                let row = |cells: &[String], start: &str, end: &str| {
                    let cells = cells.iter().map(|cell| format!("{start}{}{end}", escaped(cell)));
                    format!("<tr>{}</tr>\n", cells.collect::<String>())
                };
                let head = row(&self.head, "<th scope=\"col\">", "</th>");
                let rows = self.rows.iter().map(|cells| row(cells, "<td>", "</td>"));
                let rows: String = rows.collect();
                out.push_str(
                    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Figures\"><table>\n<thead>",
                );
                out.push_str(&head);
                out.push_str("</thead>\n<tbody>\n");
                out.push_str(&rows);
                out.push_str("</tbody></table></div>\n");
            }
        }
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.chain(self.head.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        (0..self.head.len()).map(width).collect()
    }

    fn write_rows(&self, out: &mut String, line: impl Fn(&[String]) -> String) {
        for cells in [&self.head].into_iter().chain(&self.rows) {
            out.push_str(&line(cells));
            out.push('\n');
        }
    }
}

fn padded(cells: &[String], widths: &[usize]) -> Vec<String> {
    cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect()
}

pub(super) fn heading(text: &str, style: TableStyle) -> String {
    match style {
        TableStyle::Plain => text.to_owned(),
        TableStyle::Markdown => format!("## {text}\n"),
        TableStyle::Html => format!("<h2>{}</h2>", escaped(text)),
    }
}

pub(super) fn paragraph(text: &str, style: TableStyle) -> String {
    match style {
        TableStyle::Plain | TableStyle::Markdown => text.to_owned(),
        TableStyle::Html => format!("<p>{}</p>", escaped(text)),
    }
}

pub(super) fn item(text: &str, style: TableStyle) -> String {
    match style {
        TableStyle::Plain | TableStyle::Markdown => format!("- {text}"),
        TableStyle::Html => format!("<p>{}</p>", escaped(text)),
    }
}

/// Returns `text` with the special characters of HTML escaped.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

pub(super) fn dash() -> String {
    "–".to_owned()
}

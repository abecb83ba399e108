//! The form of an issue says nothing of the code: its headings, the sentences of its template, and what machine it was.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the file that comes first for an issue whose last section has a heading.
fn first(heading: &str) -> String {
    let fixture = Fixture::new("");
    let describes = "    // describe the environment: platform and version of the bug\n    \
                     describe(platform, version);\n";
    let environment = format!(
        "pub fn describe_environment(platform: &str, version: &str) {{\n{}}}\n",
        describes.repeat(4)
    );
    fixture.write("src/environment.rs", environment);
    fixture.write("src/gutter.rs", "pub fn width(line: u32) -> u32 {\n    digits(line)\n}\n");
    let issue = format!(
        "The gutter is too narrow\n**Describe the bug**\nA clear and concise description of what the bug is.\n\
         Its width is wrong.\n\n{heading}\n\nplatform Linux, version 4\n\n### Version\n\n4.2\n\n\
         ### Expected behavior\n\nA wider one.\n"
    );
    let found = candidates(&fixture, &[Question::new(issue)]).remove(0);
    found.files()[0].as_str().to_owned()
}

#[test]
fn headings_templates_and_machines_lead_nowhere() {
    assert_eq!(first("### Environment"), "src/gutter.rs");
    assert_eq!(first("**Environment**:"), "src/gutter.rs");
}

#[test]
fn a_task_of_a_list_is_part_of_the_issue_and_a_confirmation_is_not() {
    let fixture = Fixture::new("");
    fixture.write("src/upload.rs", "pub fn retry_upload(part: u32) -> bool {\n    send(part)\n}\n");
    fixture.write(
        "src/search.rs",
        "pub fn searched_issues(existing: u32) -> u32 {\n    existing\n}\n",
    );
    let first = |line: &str| {
        let issue = format!("What is left\n\n{line}\n");
        let found = candidates(&fixture, &[Question::new(issue)]).remove(0);
        found.files().first().map(|path| path.as_str().to_owned())
    };
    assert_eq!(first("- [ ] retry the upload of a part").as_deref(), Some("src/upload.rs"));
    assert_ne!(first("- [x] I searched existing issues").as_deref(), Some("src/search.rs"));
}

//! Links from terminal text to places (OSC 8).

/// Returns the address of a path and line.
pub type PlaceLinkBuilder<'a> = dyn Fn(&str, u32) -> Option<String> + 'a;

/// Makes `shown` a link to a line of the file at `path`, if that has an address.
pub fn link_to_place(
    address: Option<&PlaceLinkBuilder<'_>>,
    (path, line): (&str, u32),
    shown: &str,
) -> String {
    match address.and_then(|address| address(path, line)) {
        Some(address) => format!("\u{1b}]8;;{address}\u{1b}\\{shown}\u{1b}]8;;\u{1b}\\"),
        None => shown.to_owned(),
    }
}

//! Names of SCIP symbols: `scheme manager package version descriptors`, as far as they have to be understood.

/// Whether it means something inside its document only.
pub(super) fn is_local(symbol: &str) -> bool {
    symbol.starts_with("local ")
}

/// Returns the part before the descriptors: scheme, manager, package and version.
pub(super) fn package(symbol: &str) -> &str {
    // A space inside one of the four parts is doubled.
    let mut parts = 0;
    let mut rest = symbol.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if c != ' ' {
            continue;
        }
        if rest.peek().is_some_and(|(_, next)| *next == ' ') {
            rest.next();
            continue;
        }
        parts += 1;
        if parts == 4 {
            return &symbol[..at];
        }
    }
    symbol
}

/// The last descriptor's name, without the marks of its kind.
pub(super) fn name(symbol: &str) -> &str {
    let descriptor = symbol.strip_suffix(['#', '/', '.', ':', '!']).unwrap_or(symbol);
    // A method ends with `(+1).`, a parameter is `(name)`, a type parameter `[name]`.
    let descriptor = match (descriptor.strip_suffix(')'), symbol.ends_with('.')) {
        (Some(method), true) => method.rfind('(').map_or(method, |open| &method[..open]),
        (Some(parameter), false) => parameter,
        (None, _) => descriptor.strip_suffix(']').unwrap_or(descriptor),
    };
    match descriptor.strip_suffix('`') {
        Some(quoted) => quoted.rfind('`').map_or(quoted, |open| &quoted[open + 1..]),
        None => {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '$');
            let start = descriptor
                .char_indices()
                .rev()
                .take_while(|(_, c)| plain(*c))
                .last()
                .map_or(descriptor.len(), |(at, _)| at);
            &descriptor[start..]
        }
    }
}

/// Whether `text` can name `symbol`, unless an import renames it.
pub(super) fn is_written(symbol: &str, text: &str) -> bool {
    // A file or module is written as its path, its package, or whatever it is imported as.
    if symbol.ends_with('/') || symbol.ends_with("/__init__:") {
        return true;
    }
    let name = name(symbol);
    // Indexers number what would else have the same name, and mark accessors, constructors and computed names.
    let rest =
        name.strip_prefix(text).map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let marked = name.starts_with(['<', '[', '"', '\'']);
    rest == Some("") || marked && (name.contains(text) || name.contains('>'))
}

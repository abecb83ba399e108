//! Text that the grammar would misread, rewritten at the same length.

/// Puts semicolons in place of the blanks before closing braces on lines that open the body of a class.
pub(super) fn ended(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let head = line.split_once('{').map_or("", |(head, _)| head);
        let is_head = |word: &str| ["class", "object", "interface"].contains(&word);
        let opens_class = line.contains(" }") && head.split_whitespace().any(is_head);
        let mut last = ' ';
        for (at, byte) in line.char_indices() {
            let is_end = opens_class && byte == ' ' && line[at..].starts_with(" }");
            plain.push(if is_end && !"{;".contains(last) { ';' } else { byte });
            last = if byte == ' ' { last } else { byte };
        }
    }
    plain
}

/// Puts a semicolon in place of the blank before a first word such as `in2` or `in_`, which the grammar takes for `in`, and
/// blanks lines that declare context parameters.
pub(super) fn separated(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let name = line.trim_start_matches([' ', '\t']);
        let blank = line.len() - name.len();
        let rest = name.strip_prefix("in");
        if name.starts_with("context(") && name.trim_end().ends_with(')') {
            let text = line.trim_end_matches('\n');
            plain.extend(std::iter::repeat_n(' ', text.len()));
            plain.push_str(&line[text.len()..]);
            continue;
        }
        if blank > 0
            && rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
        {
            plain.push_str(&line[..blank - 1]);
            plain.push(';');
            plain.push_str(name);
        } else {
            plain.push_str(line);
        }
    }
    plain
}

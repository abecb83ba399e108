#!/usr/bin/env python3
"""Derives adversarial shapes from the grammars: derive.py REGISTRY_SRC OUT_FOLDER

For each rule that can contain itself, every way around that cycle is one shape: the shortest text before and behind the
place where the rule stands again. For each repetition the shortest text of one element is a shape, too. A shape is a line
of five fields, separated by tabs and escaped like a Python string: `open` may be repeated any number of times, then `core`,
then `close` as often, all of it between `before` and `after`. REGISTRY_SRC is a folder with the sources of the grammars'
crates (`~/.cargo/registry/src/*`); only `grammar.json` is read.
"""
import glob
import json
import os
import re
import sys

GRAMMARS = {
    "c": ("tree-sitter-c-[0-9]*/src", {}),
    "cpp": ("tree-sitter-cpp-*/src", {"raw_string_delimiter": "", "raw_string_content": "x"}),
    "csharp": ("tree-sitter-c-sharp-*/src", {
        "_optional_semi": ";", "interpolation_regular_start": "$", "interpolation_verbatim_start": "$@",
        "interpolation_raw_start": '$"""', "interpolation_start_quote": '"', "interpolation_end_quote": '"',
        "interpolation_open_brace": "{", "interpolation_close_brace": "}", "interpolation_string_content": "x",
        "raw_string_start": '"""', "raw_string_end": '"""', "raw_string_content": "x"}),
    "go": ("tree-sitter-go-*/src", {}),
    "java": ("tree-sitter-java-*/src", {}),
    "javascript": ("tree-sitter-javascript-*/src", {
        "_automatic_semicolon": "\n", "_template_chars": "x", "_ternary_qmark": "?", "html_comment": "<!-- x\n",
        "escape_sequence": "\\n", "regex_pattern": "x", "jsx_text": "x"}),
    "kotlin": ("tree-sitter-kotlin-ng-*/src", {
        "_semi": "\n", "_class_member_semi": "\n", "block_comment": "/* x */", "_not_is": "!is", "_in": "in",
        "_q_dot": "?.", "_multiline_string_content": "x"}),
    "lua": ("tree-sitter-lua-*/src", {
        "_block_comment_start": "--[[", "_block_comment_content": "x", "_block_comment_end": "]]",
        "_block_string_start": "[[", "_block_string_content": "x", "_block_string_end": "]]"}),
    "php": ("tree-sitter-php-*/php/src", {
        "_automatic_semicolon": ";", "encapsed_string_chars": "x", "encapsed_string_chars_after_variable": "x",
        "execution_string_chars": "x", "execution_string_chars_after_variable": "x", "encapsed_string_chars_heredoc": "x",
        "encapsed_string_chars_after_variable_heredoc": "x", "_eof": "", "heredoc_start": "A\n", "heredoc_end": "\nA",
        "nowdoc_string": "x", "sentinel_error": ""}),
    "python": ("tree-sitter-python-*/src", {
        "_newline": "\n", "_indent": "\n\x01", "_dedent": "\x02", "string_start": '"', "_string_content": "x",
        "escape_interpolation": "{{", "string_end": '"', "comment": "# x\n"}),
    "ruby": ("tree-sitter-ruby-*/src", {
        "_line_break": "\n", "_no_line_break": "", "simple_symbol": ":x", "_string_start": '"', "_symbol_start": ':"',
        "_subshell_start": "`", "_regex_start": "/", "_string_array_start": "%w(", "_symbol_array_start": "%i(",
        "_heredoc_body_start": "\n", "string_content": "x", "heredoc_content": "x", "_string_end": '"', "heredoc_end": "A\n",
        "heredoc_beginning": "<<A\n", "_block_ampersand": "&", "_splat_star": "*", "_unary_minus": "-",
        "_unary_minus_num": "-", "_binary_minus": "-", "_binary_star": "*", "_singleton_class_left_angle_left_langle": "<<",
        "hash_key_symbol": "x", "_identifier_suffix": "", "_constant_suffix": "", "_hash_splat_star_star": "**",
        "_binary_star_star": "**", "_element_reference_bracket": "[", "_short_interpolation": "#"}),
    "rust": ("tree-sitter-rust-*/src", {
        "string_content": "x", "string_close": '"', "_raw_string_literal_start": 'r#"', "raw_string_literal_content": "x",
        "_raw_string_literal_end": '"#', "float_literal": "1.0", "_outer_block_doc_comment_marker": "*",
        "_inner_block_doc_comment_marker": "!", "_block_comment_content": "x", "_line_doc_content": "x\n", "_error_sentinel": ""}),
    "scala": ("tree-sitter-scala-*/src", {
        "_automatic_semicolon": "\n", "_indent": "\n\x01", "_outdent": "\x02", "_comma_outdent": ",",
        "_simple_string_start": '"', "_simple_string_middle": "x", "_simple_multiline_string_start": '"""',
        "_interpolated_string_middle": "x", "_interpolated_multiline_string_middle": "x", "_raw_string_start": '"',
        "_raw_string_middle": "x", "_raw_string_multiline_middle": "x", "_single_line_string_end": '"',
        "_multiline_string_end": '"""', "block_comment": "/* x */", "_suppress_block_comment": "", "error_sentinel": "",
        "_colon_eol": ":\n", "_postfix_op": "op", "_postfix_star": "*", "_floating_point_with_separators": "1.0",
        "_end_keyword": "end", "_control_tail_gate": "", "_xml_tag_start": "<", "_op_name": "+",
        "_using_directive_start": "//>", "_case_definition_keyword": "case", "_def_semicolon": "\n",
        "_wildcard_bound_start": "?", "_word_operator_eol": "op\n", "_op_left_or": "|", "_op_left_xor": "^",
        "_op_left_and": "&", "_op_left_eq": "==", "_op_left_rel": "<", "_op_left_colon": "::", "_op_left_add": "+",
        "_op_left_mul": "*", "_op_left_other": "?"}),
    "swift": ("tree-sitter-swift-*/src", {
        "multiline_comment": "/* x */", "raw_str_part": '#"x', "raw_str_continuing_indicator": "", "raw_str_end_part": '"#',
        "_implicit_semi": "\n", "_explicit_semi": ";", "_arrow_operator_custom": "->", "_dot_custom": ".",
        "_conjunction_operator_custom": "&&", "_disjunction_operator_custom": "||", "_nil_coalescing_operator_custom": "??",
        "_double_optional_custom": "??", "_eq_custom": "=", "_eq_eq_custom": "==", "_plus_then_ws": "+ ",
        "_minus_then_ws": "- ", "_bang_custom": "!", "_throws_keyword": "throws", "_rethrows_keyword": "rethrows",
        "default_keyword": "default", "where_keyword": "where", "catch_keyword": "catch", "_as_custom": "as",
        "_as_quest_custom": "as?", "_as_bang_custom": "as!", "_async_keyword_custom": "async", "_custom_operator": "+++",
        "_hash_symbol_custom": "#", "_directive_if": "\n#if", "_directive_elseif": "\n#elseif", "_directive_else": "\n#else",
        "_directive_endif": "\n#endif", "_fake_try_bang": "!"}),
    "typescript": ("tree-sitter-typescript-*/typescript/src", {
        "_automatic_semicolon": "\n", "_template_chars": "x", "_ternary_qmark": "?", "html_comment": "<!-- x\n",
        "escape_sequence": "\\n", "regex_pattern": "x", "jsx_text": "x", "_function_signature_automatic_semicolon": "\n",
        "__error_recovery": ""}),
    "tsx": ("tree-sitter-typescript-*/tsx/src", {
        "_automatic_semicolon": "\n", "_template_chars": "x", "_ternary_qmark": "?", "html_comment": "<!-- x\n",
        "escape_sequence": "\\n", "regex_pattern": "x", "jsx_text": "x", "_function_signature_automatic_semicolon": "\n",
        "__error_recovery": ""}),
}
# Shapes of one language that are kept; the shortest of each rule come first.
MOST = 60
PREC = {"PREC", "PREC_LEFT", "PREC_RIGHT", "PREC_DYNAMIC", "FIELD", "ALIAS", "RESERVED"}


def sample(pattern):
    """A short text that matches a regular expression of a grammar."""
    known = [(r"^\\r\?\\n", "\n"), (r"^\[ \\t\]", " "), (r"^\\s", " ")]
    for start, text in known:
        if re.match(start, pattern):
            return text
    text, at, depth = "", 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            code = pattern[at + 1]
            piece = {"d": "1", "w": "a", "s": " ", "n": "\n", "r": "", "t": " "}.get(code)
            at += 2
            if code in "pP":
                at = pattern.index("}", at) + 1
                piece = "a"
            elif code in "ux":
                at = pattern.index("}", at) + 1 if pattern[at : at + 1] == "{" else at + (4 if code == "u" else 2)
                piece = "a"
            elif piece is None:
                piece = code
        elif char == "[":
            end = at + 1
            if pattern[end] == "^":
                end += 1
            if pattern[end] == "]":
                end += 1
            while pattern[end] != "]":
                end += 2 if pattern[end] == "\\" else 1
            inside = pattern[at + 1 : end]
            at = end + 1
            if inside.startswith("^"):
                piece = next(c for c in "axz1 _" if c not in inside)
            elif "a-z" in inside or "\\p" in inside or "_" in inside or "\\w" in inside:
                piece = "a"
            elif "0-9" in inside or "\\d" in inside or "1" in inside:
                piece = "1"
            elif inside.startswith("\\"):
                piece = {"n": "\n", "s": " ", "t": " ", "r": " "}.get(inside[1], inside[1])
            else:
                piece = inside[0]
        elif char == "(":
            level, end = 1, at + 1
            while level:
                end_char = pattern[end]
                if end_char == "\\":
                    end += 1
                elif end_char == "[":
                    end = pattern.index("]", end + 1)
                elif end_char == "(":
                    level += 1
                elif end_char == ")":
                    level -= 1
                end += 1
            inside = re.sub(r"^\?[:=!]", "", pattern[at + 1 : end - 1])
            at = end
            piece = sample(top_choice(inside))
        elif char == ".":
            piece, at = "a", at + 1
        elif char in "^$":
            at += 1
            continue
        else:
            piece, at = char, at + 1
        count = 1
        if at < len(pattern) and pattern[at] in "*?":
            count, at = 0, at + 1
        elif at < len(pattern) and pattern[at] == "+":
            at += 1
        elif at < len(pattern) and pattern[at] == "{":
            end = pattern.index("}", at)
            count = int(re.match(r"\d+", pattern[at + 1 : end]).group() or 1)
            at = end + 1
        if at < len(pattern) and pattern[at] == "?":
            at += 1
        text += piece * count
    return text


def top_choice(pattern):
    """The shortest alternative of a regular expression."""
    parts, level, start, at = [], 0, 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = pattern.index("]", at + 1)
        elif char == "(":
            level += 1
        elif char == ")":
            level -= 1
        elif char == "|" and level == 0:
            parts.append(pattern[start:at])
            start = at + 1
        at += 1
    parts.append(pattern[start:])
    return min((part for part in parts if part), key=len, default="")


class Grammar:
    def __init__(self, grammar, external):
        self.rules = grammar["rules"]
        self.start = next(iter(self.rules))
        self.external = dict(external)
        for token in grammar["externals"]:
            if token["type"] == "STRING":
                self.external[token["value"]] = token["value"]
            elif token["name"] not in self.external:
                self.external[token["name"]] = token["name"].strip("_").replace("_modifier", "")
        self.shortest = {}
        changed = True
        while changed:
            changed = False
            for name, rule in self.rules.items():
                text = self.least(rule)
                if text is not None and (name not in self.shortest or len(text) < len(self.shortest[name])):
                    self.shortest[name] = text
                    changed = True

    def least(self, rule):
        """The shortest tokens of a rule, or None when they aren't known yet."""
        kind = rule["type"]
        if kind == "BLANK":
            return []
        if kind == "STRING":
            return [(rule["value"], False)]
        if kind == "PATTERN":
            return [(sample(top_choice(rule["value"])), False)]
        if kind == "SYMBOL":
            name = rule["name"]
            if name in self.external:
                return [(self.external[name], True)] if self.external[name] else []
            return self.shortest.get(name)
        if kind in PREC:
            return self.least(rule["content"])
        if kind in ("TOKEN", "IMMEDIATE_TOKEN"):
            inner = self.least(rule["content"])
            return None if inner is None else [("".join(text for text, _ in inner), kind == "IMMEDIATE_TOKEN")]
        if kind == "SEQ":
            parts = [self.least(member) for member in rule["members"]]
            return None if None in parts else sum(parts, [])
        if kind == "CHOICE":
            parts = [part for part in map(self.least, rule["members"]) if part is not None]
            return min(parts, key=len, default=None)
        if kind == "REPEAT":
            return []
        if kind == "REPEAT1":
            return self.least(rule["content"])
        raise ValueError(kind)

    def occurrences(self, rule):
        """The symbols in a rule with the shortest tokens around each."""
        kind = rule["type"]
        if kind == "SYMBOL" and rule["name"] in self.rules and rule["name"] not in self.external:
            yield rule["name"], [], []
        elif kind in PREC or kind in ("REPEAT", "REPEAT1"):
            yield from self.occurrences(rule["content"])
        elif kind == "CHOICE":
            for member in rule["members"]:
                yield from self.occurrences(member)
        elif kind == "SEQ":
            parts = [self.least(member) for member in rule["members"]]
            for at, member in enumerate(rule["members"]):
                others = parts[:at] + parts[at + 1 :]
                if None in others:
                    continue
                before, after = sum(parts[:at], []), sum(parts[at + 1 :], [])
                for name, inner, outer in self.occurrences(member):
                    yield name, before + inner, outer + after

    def repetitions(self, rule):
        """What is repeated in a rule, with the shortest tokens around it."""
        kind = rule["type"]
        if kind in ("REPEAT", "REPEAT1"):
            item = self.least(rule["content"])
            if item:
                yield item, [], []
        elif kind in PREC:
            yield from self.repetitions(rule["content"])
        elif kind == "CHOICE":
            for member in rule["members"]:
                yield from self.repetitions(member)
        elif kind == "SEQ":
            parts = [self.least(member) for member in rule["members"]]
            for at, member in enumerate(rule["members"]):
                if None in parts[:at] + parts[at + 1 :]:
                    continue
                for item, inner, outer in self.repetitions(member):
                    yield item, sum(parts[:at], []) + inner, outer + sum(parts[at + 1 :], [])

    def ways(self, start):
        """The shortest tokens around each rule that `start` leads to."""
        found = {start: ([], [])}
        open_rules = [start]
        while open_rules:
            open_rules.sort(key=lambda name: sum(map(len, found[name])))
            name = open_rules.pop(0)
            before, after = found[name]
            for inner, left, right in self.occurrences(self.rules[name]):
                way = (before + left, right + after)
                if inner not in found or sum(map(len, way)) < sum(map(len, found[inner])):
                    found[inner] = way
                    open_rules.append(inner)
        return found


def text(tokens):
    out = ""
    for token, immediate in tokens:
        if out and not immediate and not out.endswith(("\n", "\x01")):
            out += " "
        out += token
    return out


def shapes(grammar):
    from_start = grammar.ways(grammar.start)
    found = []
    for name, rule in grammar.rules.items():
        if name not in from_start or name not in grammar.shortest:
            continue
        before, after = from_start[name]
        seen = set()
        for inner, left, right in grammar.occurrences(rule):
            back = grammar.ways(inner).get(name)
            if back is None:
                continue
            opened, closed = left + back[0], back[1] + right
            if not opened and not closed:
                continue
            shape = (text(before), text(opened), text(grammar.shortest[name]), text(closed), text(after))
            if shape[1:4] not in seen:
                seen.add(shape[1:4])
                found.append((name, len(opened) + len(closed)) + shape)
        for item, left, right in grammar.repetitions(rule):
            shape = (text(before + left), text(item), "", "", text(right + after))
            found.append((name + "*", len(item)) + shape)
    unique = {}
    for entry in sorted(found, key=lambda entry: entry[1]):
        unique.setdefault(entry[3:6], entry)
    # The shortest of every rule before further ones of the same.
    rank = {}
    order = []
    for entry in unique.values():
        rank[entry[0]] = rank.get(entry[0], 0) + 1
        order.append((rank[entry[0]], entry[1], entry))
    order.sort(key=lambda item: item[:2])
    return sorted(entry for _, _, entry in order[:MOST])


def main():
    registry, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    for language, (path, external) in GRAMMARS.items():
        [source] = glob.glob(os.path.join(registry, path, "grammar.json"))
        with open(source) as file:
            grammar = Grammar(json.load(file), external)
        lines = []
        for name, _, *fields in shapes(grammar):
            escaped = [field.encode("unicode_escape").decode() for field in fields]
            lines.append("\t".join([name] + escaped) + "\n")
        with open(os.path.join(folder, language + ".shapes"), "w") as file:
            file.writelines(lines)
        print(language, len(lines))


main()

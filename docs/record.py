#!/usr/bin/env python3
"""Runs a command at a terminal of 100 columns and draws what it prints as an SVG: nothing is drawn by hand.

    docs/record.py docs/terminal.svg target/release/retriever -q ask --offline "how is a job queued?"

The file name of the program is shown, not its folder. Colours are those of the terminal's sixteen.
"""

import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios

COLUMNS, LINE, LETTER, MARGIN = 100, 18, 8.1, 16
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "35": "#c678dd", "36": "#56b6c2"}
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\]8;;[^\x1b]*\x1b\\")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, command = sys.argv[1], sys.argv[2:]
    shown = " ".join(quoted(word) for word in [os.path.basename(command[0]), *command[1:]])
    lines = [f"\x1b[2m$\x1b[0m \x1b[1m{shown}\x1b[0m", *run(command).rstrip("\n").split("\n")]
    with open(out, "w", encoding="utf-8") as file:
        file.write(drawing(lines))


def quoted(word):
    return f'"{word}"' if " " in word else word


def run(command):
    """Returns what the command prints at a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", PAGER="")
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 200, COLUMNS, 0, 0))
    text = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        text += read
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"record.py: the command failed:\n{text.decode(errors='replace')}")
    return text.decode().replace("\r\n", "\n")


def drawing(lines):
    width, height = COLUMNS * LETTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    rows = [row(line, MARGIN + (at + 0.75) * LINE) for at, line in enumerate(lines)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        'aria-label="A question and its code map in a terminal">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1e2127"/>\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5" fill="#d7dae0" xml:space="preserve">\n'
        + "\n".join(rows)
        + "\n</g>\n</svg>\n"
    )


def row(line, y):
    spans, style, at, column = [], "", 0, 0
    for found in [*SEQUENCE.finditer(line), None]:
        text = line[at : found.start() if found else len(line)]
        if text:
            # Leading blanks are not drawn by every viewer.
            x = MARGIN + (column + len(text) - len(text.lstrip())) * LETTER
            spans.append(f'<tspan x="{x:.1f}"{style}>{html.escape(text.lstrip())}</tspan>')
            column += len(text)
        if found:
            at = found.end()
            style = attributes(found[1]) if found[1] is not None else style
    return f'<text y="{y:.1f}">{"".join(spans)}</text>'


def attributes(codes):
    if codes == "1":
        return ' font-weight="bold"'
    if codes == "2":
        return ' opacity="0.6"'
    return f' fill="{COLOURS[codes]}"' if codes in COLOURS else ""


if __name__ == "__main__":
    main()

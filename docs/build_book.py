#!/usr/bin/env python3
"""Builds the manual as a book of web pages, by mdbook: build_book.py OUT

The book has README.md and pages of evals/ beside docs/, and mdbook takes one folder. So the pages of SUMMARY.md are staged with the
files that they link to, where they stand in the repository. A link that leads out of the book is an error.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
# Of the repository's own front page; the book has its list of pages at the side.
CONTENTS = ("](docs/SUMMARY.md)", "](docs/getting-started.md)")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)
        stage(source)
        subprocess.run(["mdbook", "build", source, "--dest-dir", out], check=True)
    broken = [f"{page.relative_to(out)}: {link}" for page in sorted(out.rglob("*.html")) for link in dead_links(page)]
    if broken:
        sys.exit("these links lead out of the book:\n" + "\n".join(broken))


def stage(source):
    """Copies the pages and what they link to, and writes what mdbook reads."""
    summary = (DOCS / "SUMMARY.md").read_text()
    pages = {(DOCS / link).resolve() for link, _ in LINK.findall(summary)}
    for page in sorted(pages):
        copy(page, source, page.read_text().replace(*CONTENTS))
        for link, _ in LINK.findall(page.read_text()):
            file = (page.parent / link).resolve()
            if "://" not in link and file.suffix != ".md" and file.is_file():
                copy(file, source)
    from_root = LINK.sub(lambda found: f"]({(DOCS / found[1]).resolve().relative_to(ROOT)})", summary)
    (source / "SUMMARY.md").write_text(from_root)
    shutil.copy(DOCS / "book.toml", source)


def copy(file, source, text=None):
    target = source / file.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        shutil.copyfile(file, target)
    else:
        target.write_text(text)


def dead_links(page):
    """Returns the links of a built page to files that were not built."""
    links = re.findall(r'(?:href|src)="([^"#?]+)[^"]*"', page.read_text())
    return [link for link in links if ":" not in link and not (page.parent / link).exists()]


if __name__ == "__main__":
    main()

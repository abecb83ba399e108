#!/usr/bin/env python3
"""Prints the Homebrew formula for a release, from its SHA256SUMS.

    homebrew.py --version 0.1.0 --repository https://github.com/OWNER/retriever --sums dist/SHA256SUMS > retriever.rb
"""

import argparse
import pathlib
import sys

TARGETS = [
    ("macos", "arm", "aarch64-apple-darwin"),
    ("macos", "intel", "x86_64-apple-darwin"),
    ("linux", "arm", "aarch64-unknown-linux-gnu"),
    ("linux", "intel", "x86_64-unknown-linux-gnu"),
]

FORMULA = """\
class Retriever < Formula
  desc "Explores a codebase so that a planner agent does not have to"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{sources}
  def install
    bin.install "retriever"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/retriever.bash" => "retriever"
    zsh_completion.install "completions/_retriever"
    fish_completion.install "completions/retriever.fish"
  end

  test do
    (testpath/"a.rs").write "fn main() {{}}"
    assert_match "a.rs", shell_output("#{{bin}}/retriever glob '*.rs'")
  end
end
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--repository", required=True)
    parser.add_argument("--sums", required=True)
    arguments = parser.parse_args()
    sums = dict(reversed(line.split()) for line in pathlib.Path(arguments.sums).read_text().splitlines() if line)
    sources = []
    for system in ("macos", "linux"):
        sources.append(f"  on_{system} do")
        for _, cpu, target in (row for row in TARGETS if row[0] == system):
            archive = f"retriever-{arguments.version}-{target}.tar.gz"
            if archive not in sums:
                sys.exit(f"homebrew.py: {arguments.sums} does not list {archive}")
            sources += [
                f"    on_{cpu} do",
                f'      url "{arguments.repository}/releases/download/v{arguments.version}/{archive}"',
                f'      sha256 "{sums[archive]}"',
                "    end",
            ]
        sources += ["  end", ""]
    print(FORMULA.format(version=arguments.version, repository=arguments.repository, sources="\n".join(sources)), end="")


if __name__ == "__main__":
    main()

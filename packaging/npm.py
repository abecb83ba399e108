#!/usr/bin/env python3
"""Lays out the npm packages: one for each platform with its program, and the one that people install, with man pages and
completions.

    npm.py --version 0.1.0 --out dist/npm --generator target/dist/retriever --program x86_64-unknown-linux-gnu=target/dist/retriever

`npm pack DIR` makes the archive of each; its bytes depend on the files only. Packages of platforms are published first, so that
the main package never names one that does not exist.
"""

import argparse
import json
import pathlib
import shutil
import sys

# No compiled module is left beside the scripts.
sys.dont_write_bytecode = True

import archive

HERE = pathlib.Path(__file__).resolve().parent
NAME = "retriever-code-map"
PLATFORMS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64", "glibc"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", "glibc"),
    "x86_64-unknown-linux-musl": ("linux", "x64", "musl"),
    "aarch64-unknown-linux-musl": ("linux", "arm64", "musl"),
    "x86_64-apple-darwin": ("darwin", "x64", None),
    "aarch64-apple-darwin": ("darwin", "arm64", None),
    "x86_64-pc-windows-msvc": ("win32", "x64", None),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", default="dist/npm")
    parser.add_argument("--generator", required=True, help="the program for this machine, which writes man pages and completions")
    parser.add_argument("--program", action="append", required=True, metavar="TRIPLE=FILE")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    for pair in arguments.program:
        triple, _, file = pair.partition("=")
        if triple not in PLATFORMS:
            sys.exit(f"npm.py: unknown triple {triple}; known: {', '.join(PLATFORMS)}")
        platform(out, arguments.version, triple, pathlib.Path(file))
    main_package(out, arguments.version, archive.generated(pathlib.Path(arguments.generator).resolve()))


def package_name(triple):
    system, cpu, libc = PLATFORMS[triple]
    return f"{NAME}-{system}-{cpu}" + ("-musl" if libc == "musl" else "")


def platform(out, version, triple, program):
    system, cpu, libc = PLATFORMS[triple]
    folder = fresh(out / package_name(triple))
    file = "retriever.exe" if system == "win32" else "retriever"
    (folder / "bin").mkdir()
    shutil.copyfile(program, folder / "bin" / file)
    (folder / "bin" / file).chmod(0o755)
    manifest = common(version) | {
        "name": package_name(triple),
        "description": f"The program of {NAME} for {triple}",
        "os": [system],
        "cpu": [cpu],
        "files": [f"bin/{file}"],
        "preferUnplugged": True,
    }
    if libc:
        manifest["libc"] = [libc]
    write(folder, manifest)


def main_package(out, version, generated):
    folder = fresh(out / NAME)
    (folder / "bin").mkdir()
    for path, data in generated:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(data)
    shutil.copyfile(HERE / "npm/retriever.js", folder / "bin/retriever.js")
    (folder / "bin/retriever.js").chmod(0o755)
    shutil.copyfile(HERE.parent / "README.md", folder / "README.md")
    write(
        folder,
        common(version)
        | {
            "name": NAME,
            "description": "Explores a codebase so that a planner agent does not have to: a question in, a verified code map out.",
            "keywords": ["agent", "code-search", "llm", "mcp", "retrieval"],
            "bin": {"retriever": "bin/retriever.js"},
            # npm links them when the package is installed for all projects.
            "man": [path for path, _ in generated if path.startswith("man/")],
            "files": ["bin/retriever.js", "README.md", "completions", "man"],
            "engines": {"node": ">=18"},
            "optionalDependencies": {package_name(triple): version for triple in PLATFORMS},
        },
    )


def common(version):
    return {"version": version, "license": "MIT OR Apache-2.0"}


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def write(folder, manifest):
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()

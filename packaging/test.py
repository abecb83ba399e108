#!/usr/bin/env python3
"""Makes the packages from a built program, installs each into an empty home, and asks there.

    test.py target/debug/retriever

Checks: two archives of the same files are one hash; the installer installs, refuses a wrong hash, and does nothing when it was
cut off; the npm packages install without a registry, run, and say what is missing when the program's package is; the formula
names every archive. A check that can't run here says so and why, and the last line counts them.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "0.0.0"
TARGETS = ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"]


class Failed(Exception):
    pass


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for check in (archives, installer, npm_packages, formula):
            try:
                reason = check(program, fresh(scratch / check.__name__))
            except Failed as failure:
                sys.exit(f"packaging: {check.__name__}: {failure}")
            skipped += reason is not None
            print(f"packaging: {check.__name__}: {'skipped: ' + reason if reason else 'ok'}")
    print(f"packaging: done, {skipped} skipped")


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
    run(["sh", script, "--uninstall"], home=home)
    expect(not (home / ".local/bin/retriever").exists(), "--uninstall leaves the program")

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
    run([HERE / "npm.py", "--version", VERSION, "--out", packages, "--program", f"{host()}={program}"])
    for package in [path for path in packages.iterdir() if path.is_dir()]:
        run(["npm", "pack", "--silent", package, "--pack-destination", packages], home=home)
    project = fresh(scratch / "installed")
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", project]
    run([*install, *packages.glob("*.tgz")], home=home)
    answers(project / "node_modules/.bin/retriever", home)
    cpu = "x64" if host().startswith("x86_64") else "arm64"
    shutil.rmtree(project / f"node_modules/retriever-code-map-linux-{cpu}")
    missing = run([project / "node_modules/.bin/retriever", "--version"], home=home, check=False)
    expect(missing.returncode == 1, "a missing program is no error")
    expect(f"the package retriever-code-map-linux-{cpu}" in missing.stderr, f"no clear sentence: {missing.stderr}")


def formula(program, scratch):
    sums = scratch / "SHA256SUMS"
    sums.write_text("".join(archive(program, scratch, target, stand_in(scratch)) for target in TARGETS))
    command = [HERE / "homebrew.py", "--version", VERSION, "--repository", "https://localhost/r", "--sums", sums]
    text = run(command).stdout
    for target in TARGETS:
        expect(f"retriever-{VERSION}-{target}.tar.gz" in text, f"the formula lacks {target}")


if __name__ == "__main__":
    main()

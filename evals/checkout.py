#!/usr/bin/env python3
"""Make the checkouts that the suites need, from upstream, without any history.

    evals/checkout.py OUT [--suite NAME]…

Writes OUT/<owner>__<name>@<commit12>/ for every repository of evals/corpora.toml, or for those of the named suites. A
folder that is there already is kept. There is no .git in it: an agent must not be able to read a later fix. Needs git
and Python 3.11. Exits with 1 when a checkout could not be made.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), *words], check=True, stdout=subprocess.DEVNULL)


def make(repository, target):
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    git(part, "init", "--quiet")
    git(part, "fetch", "--quiet", "--depth=1", repository["url"], repository["commit"])
    git(part, "checkout", "--quiet", "FETCH_HEAD")
    shutil.rmtree(part / ".git")
    part.rename(target)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--suite", action="append", default=[])
    arguments = parser.parse_args()
    corpora = tomllib.loads((HERE / "corpora.toml").read_text())["repository"]
    known = {suite for repository in corpora for suite in repository["suites"]}
    for suite in arguments.suite:
        if suite not in known:
            parser.error(f"no repository of corpora.toml is in the suite {suite}; there are {sorted(known)}")
    failed = False
    for repository in corpora:
        if arguments.suite and not set(arguments.suite) & set(repository["suites"]):
            continue
        flat = repository["name"].replace("/", "__")
        target = arguments.out / f"{flat}@{repository['commit'][:12]}"
        if target.is_dir():
            print(f"there  {target}")
            continue
        try:
            make(repository, target)
            print(f"made   {target}")
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"failed {target}: {error}", file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


main()

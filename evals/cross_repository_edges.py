#!/usr/bin/env python3
"""Draws edges from a user of a library into it, to be read: is each what the code says?

    evals/cross_repository_edges.py PROGRAM DATABASE LIBRARY USER [--edges 50] [--seed 18] [--seconds 300]

Publishes both folders to the graph database at the address DATABASE, asks `retriever serve` over all repositories who uses each
definition of the library whose name the user's files hold, and prints a draw of the edges with their lines. A question is about all
functions of one name in a file: of overloads the printed one is the first.
"""
import argparse, collections, http.client, json, os, random, re, subprocess, tempfile, time

WORD = re.compile(r"\w+")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("database")
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("user", type=os.path.abspath)
    parser.add_argument("--edges", type=int, default=50)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        edges = found_edges(options, home)
    keys = sorted(edges)
    random.Random(options.seed).shuffle(keys)
    for number, key in enumerate(keys[: options.edges], 1):
        path, line, target, edge = *key[:2], *edges[key]
        print(f"{number}. {edge['resolution']} {edge['relation']} {path}:{line}  {source(options.user, path, line)}")
        print(f"   -> {target['qname']} {target['path']}:{target['line']}  {source(options.library, target['path'], target['line'])}")


def found_edges(options, home):
    environment = {"HOME": home, "PATH": os.environ["PATH"], "RETRIEVER_GRAPH_DATABASE": options.database}
    names = {"library": f"example.com/{os.path.basename(options.library)}", "user": f"example.com/{os.path.basename(options.user)}"}
    for role, name in names.items():
        command = [options.program, "--root", getattr(options, role), "index", "--publish", "--quiet", "--repository", name]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    definitions = drawn_definitions(options, home, environment)
    config = os.path.join(home, "config.toml")
    with open(config, "w") as file:
        file.write(f'[graph]\neverywhere = true\n[[serve.roots]]\nname = "library"\npath = "{options.library}"\n')
    command = [options.program, "serve", "--listen", "127.0.0.1:0", "--offline", "--quiet", "--config", config]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    edges, asked, end = {}, 0, time.monotonic() + options.seconds
    try:
        connection = http.client.HTTPConnection(server.stdout.readline().strip().removeprefix("http://"), timeout=120)
        for qname, path in definitions:
            if time.monotonic() > end:
                break
            asked += 1
            for operation in ("callers", "usages"):
                for target, edge in answers(connection, {"operation": operation, "target": qname, "file": path}):
                    if edge["definition"]["repository"] == names["user"] and edge.get("package"):
                        site = edge.get("site", edge["definition"]["path"])
                        edges.update({(site, line, qname, path): (target, edge) for line in edge["lines"]})
    finally:
        server.terminate()
    kinds = collections.Counter(edge["resolution"] for _, edge in edges.values())
    print(f"{asked} of {len(definitions)} definitions asked, {len(edges)} edges: {dict(kinds)}")
    return edges


def drawn_definitions(options, home, environment):
    """Definitions whose names the user's files hold, in the order of the draw."""
    export = os.path.join(home, "export.jsonl")
    subprocess.run([options.program, "--root", options.library, "index", "--quiet", "--export", export], env=environment, check=True, stdout=subprocess.DEVNULL)
    words = set()
    for folder, _, files in os.walk(options.user):
        for file in files:
            with open(os.path.join(folder, file), errors="replace") as text:
                words.update(WORD.findall(text.read(1 << 20)))
    with open(export) as file:
        nodes = [json.loads(line)["node"] for line in file if line.startswith('{"kind":"node"')]
    is_asked = lambda node: node["kind"] not in ("file", "module") and node["name"] in words and not node["path"].startswith(("test", "spec"))
    found = sorted({(node["qname"], node["path"]) for node in nodes if is_asked(node)})
    random.Random(options.seed).shuffle(found)
    return found


def answers(connection, question):
    offset, total = 0, 1
    while offset < total:
        body = json.dumps({"root": "library", "everywhere": True, "limit": 100, "offset": offset, **question})
        connection.request("POST", "/v1/graph", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200 or not answer["answers"]:
            return
        yield from ((answer["target"], edge) for edge in answer["answers"])
        offset, total = offset + 100, answer["total"]


def source(root, path, line):
    try:
        with open(os.path.join(root, path), errors="replace") as file:
            return " / ".join(text.strip() for text in file.read().split("\n")[line - 1 : line + 1])[:200]
    except OSError:
        return "?"


if __name__ == "__main__":
    main()

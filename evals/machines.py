#!/usr/bin/env python3
"""What working trees and a remote index cost: CPU, time, disk and bytes of first indexes.

    evals/machines.py worktrees PROGRAM REPOSITORY COMMIT...
    evals/machines.py remote PROGRAM REPOSITORY PUBLISHED COMMIT... [--s3 MOTO_SERVER] [--questions FILE | --draw N] [--only PLACE...]

`worktrees` makes a working tree of each commit and indexes them one after the other with one cache. `remote` publishes the index
of PUBLISHED and begins with it at each COMMIT, each time with an empty cache: over file://, over http:// and, with a program that
has the feature `clouds`, from an S3 server (moto's); and, `beside`, without one where this machine has indexed PUBLISHED in another working tree,
which is what the change itself costs. Answers to the questions, a line each, are compared with those of a machine
that has no remote. CPU is user and system time of the process, bytes are those of the bodies that a server has sent; of S3, with heads.
"""
import argparse, contextlib, http.server, json, os, random, shutil, socket, socketserver, subprocess, tempfile, threading, time, urllib.request

S3 = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}


def git(*arguments):
    done = subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def working_trees(repository, commits, folder):
    """Makes a clone at the first commit and linked working trees at the others."""
    first = os.path.join(folder, "tree0")
    git("clone", "-q", "--shared", "-n", repository, first)
    git("-C", first, "remote", "set-url", "origin", "https://example.com/team/repository.git")
    commits = [git("-C", repository, "rev-parse", commit) for commit in commits]
    git("-C", first, "update-ref", "--no-deref", "HEAD", commits[0])
    trees = [first]
    for at, commit in enumerate(commits[1:], 1):
        trees.append(os.path.join(folder, f"tree{at}"))
        git("-C", first, "worktree", "add", "-q", "--no-checkout", "--detach", trees[-1], commit)
    for tree in trees:
        git("-C", tree, "read-tree", "HEAD")
        # A partial copy of a repository lacks some files.
        subprocess.run(["git", "-C", tree, "checkout-index", "-aqf"], stderr=subprocess.DEVNULL)
    time.sleep(0.2)
    return trees, commits


def run(program, tree, home, *arguments, **variables):
    """Returns what a process printed, and its CPU and wall seconds."""
    os.makedirs(home, exist_ok=True)
    environment = {"HOME": home, "PATH": os.environ["PATH"], **variables}
    started = time.time()
    process = subprocess.Popen([program, *arguments], cwd=tree, env=environment, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments}: status {status}")
    return out, usage.ru_utime + usage.ru_stime, time.time() - started


def disk(home):
    """Returns the bytes of the cache; a file with several names counts once."""
    blocks = {}
    for folder, _, files in os.walk(os.path.join(home, ".cache", "retriever")):
        for file in files:
            status = os.lstat(os.path.join(folder, file))
            blocks[status.st_ino] = status.st_blocks * 512
    return sum(blocks.values())


def worktrees(arguments, folder):
    trees, commits = working_trees(arguments.repository, arguments.commits, folder)
    home = os.path.join(folder, "home")
    first = None
    for tree, commit in zip(trees, commits):
        out, cpu, wall = run(arguments.program, tree, home, "index", "--format", "json")
        done, size = json.loads(out), disk(home)
        first = first or (cpu, size)
        print(f"{commit[:10]}  files {done['files']}  changed {done['changed']}  resolved {done['resolved']}  CPU {cpu:.2f} s ({cpu / first[0]:.2f})"
              f"  wall {wall:.2f} s  disk {size / 1e6:.2f} MB ({size / first[1]:.3f})", flush=True)


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent = 0
    lock = threading.Lock()

    @classmethod
    def count(cls, content):
        with cls.lock:
            cls.sent += len(content)

    def copyfile(self, source, target):
        content = source.read()
        Files.count(content)
        target.write(content)

    def log_message(self, *_):
        pass


def serve(folder):
    handler = lambda *arguments: Files(*arguments, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Counted(socketserver.BaseRequestHandler):
    """Passes a connection on to another port, and counts what comes back."""

    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.behind)) as behind:
            threading.Thread(target=self.copy, args=(self.request, behind), daemon=True).start()
            self.copy(behind, self.request)

    def copy(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
                if target is self.request:
                    Files.count(data)
            target.shutdown(socket.SHUT_WR)


def counted(port):
    """Returns a port that leads to another one."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Counted)
    server.behind, server.daemon_threads = port, True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def serve_s3(program, servers):
    """Starts moto's server with a bucket; returns the variables that lead to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([program, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    servers.callback(server.terminate)
    for _ in range(600):
        try:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/indexes", method="PUT",
                                             headers={"Host": f"127.0.0.1:{port}", "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"})
            urllib.request.urlopen(request)
            return {**S3, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{counted(port)}"}
        except OSError:
            time.sleep(0.1)
    raise SystemExit("moto's server does not start")


def remote(arguments, folder):
    with contextlib.ExitStack() as servers:
        publish_and_begin(arguments, folder, servers)


def publish_and_begin(arguments, folder, servers):
    trees, commits = working_trees(arguments.repository, arguments.commits, folder)
    objects = os.path.join(folder, "remote")
    os.makedirs(objects)
    places = [("file", f"file://{objects}", {}), ("http", serve(objects), {})]
    if arguments.s3:
        variables = serve_s3(arguments.s3, servers)
        places.append(("s3", "s3://indexes/team", variables))
    questions = open(arguments.questions).read().splitlines() if arguments.questions else []
    publishable = [place for place in places if place[0] != "http"]
    places = [place for place in [*places, ("unreachable", "http://10.255.255.1", {})] if not arguments.only or place[0] in arguments.only]
    for name, address, variables in publishable:
        out, cpu, wall = run(arguments.program, trees[0], os.path.join(folder, f"publisher-{name}"), "index", "--publish",
                             "--format", "json", "--remote", address, **variables)
        done = json.loads(out)["published_index"]
        print(f"publish {name}: CPU {cpu:.2f} s  wall {wall:.2f} s  {done['objects']} objects, {done['bytes'] / 1e6:.2f} MB")
    beside = [("beside", None, {})] if not arguments.only or "beside" in arguments.only else []
    for tree, commit in list(zip(trees, commits))[1:]:
        bare = None
        for name, address, variables in [("none", None, {}), *places, *beside]:
            home = os.path.join(folder, "home-" + name + commit[:8])
            if address:
                variables = {**variables, "RETRIEVER_REMOTE": address}
            if name == "beside":
                run(arguments.program, trees[0], home, "index", "--quiet")
            Files.sent = 0
            out, cpu, wall = run(arguments.program, tree, home, "index", "--format", "json", **variables)
            done = json.loads(out)
            bare = bare or (cpu, wall)
            same = ""
            if arguments.draw and not questions:
                questions = drawn_questions(arguments.program, tree, home, arguments.draw)
            if questions:
                answers = [run(arguments.program, tree, home, "explore", question, "--format", "json", **variables)[0] for question in questions]
                known = answers if address is None else known
                same = f"  same answers {sum(a == b for a, b in zip(answers, known))} of {len(answers)}"
            print(f"{commit[:10]}  {name:<12} changed {done['changed']}  resolved {done['resolved']}  CPU {cpu:.2f} s ({cpu / bare[0]:.2f})"
                  f"  wall {wall:.2f} s ({wall / bare[1]:.2f})  {Files.sent / 1e6:.2f} MB over HTTP{same}", flush=True)
            shutil.rmtree(home)


def drawn_questions(program, tree, home, count):
    """Asks about definitions of the graph, a third each about uses, purpose and callees."""
    export = home + ".jsonl"
    run(program, tree, home, "index", "--quiet", "--export", export)
    with open(export) as file:
        records = (json.loads(line) for line in file if line.startswith('{"kind":"node"'))
        names = sorted({record["node"]["name"] for record in records if record["node"]["kind"] not in ("file", "field", "variable")})
    os.remove(export)
    forms = ["where is {} used", "what does {} do", "what does {} call, and who decides that"]
    names = random.Random(0).sample(names, min(count, len(names)))
    return [forms[at % len(forms)].format(name) for at, name in enumerate(names)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["worktrees", "remote"])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("repository")
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--s3", metavar="MOTO_SERVER")
    parser.add_argument("--questions", metavar="FILE")
    parser.add_argument("--draw", metavar="N", type=int, default=0)
    parser.add_argument("--only", metavar="PLACE", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        globals()[arguments.what](arguments, folder)


if __name__ == "__main__":
    main()

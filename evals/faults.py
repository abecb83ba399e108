#!/usr/bin/env python3
"""What a remote index survives: whether anything wrong is answered, and whether anything published is lost.

    evals/faults.py PROGRAM REPOSITORY COMMIT COMMIT... [--rounds N] [--questions FILE] [--only CHECK...]

Each check compares the exported graph, and the answers to the questions, of machines with an empty cache with those of a machine
that has no remote: 16 processes that publish and read at once; publications that are killed; web servers that hang, cut short, lie
about lengths, fail, or give the objects of others; a remote and a cache on a full disk (needs root); a store whose clock is wrong.
`--only faulty_servers` takes one commit. What a server costs is the median over the rounds of pairs with and without a remote.
"""
import argparse, http.server, json, os, random, shutil, signal, statistics, subprocess, tempfile, threading, time

from machines import run, working_trees


class Checks:
    """The trees of some commits, with what is right of each."""

    def __init__(self, arguments, folder):
        self.program, self.folder, self.rounds = arguments.program, folder, arguments.rounds
        self.questions = open(arguments.questions).read().splitlines() if arguments.questions else []
        self.trees, self.commits = working_trees(arguments.repository, arguments.commits, folder)
        self.number, self.wrong, self.lock = 0, 0, threading.Lock()
        self.right = [self.answers(tree, self.home())[0] for tree in self.trees]

    def home(self):
        with self.lock:
            self.number += 1
        return os.path.join(self.folder, f"home{self.number}")

    def answers(self, tree, home, **variables):
        """Returns the exported graph with all answers, how many files were extracted, and the wall seconds of the index."""
        export = home + ".jsonl"
        started = time.time()
        out = run(self.program, tree, home, "index", "--format", "json", "--export", export, **variables)[0]
        wall = time.time() - started
        explored = [run(self.program, tree, home, "explore", question, "--format", "json", **variables)[0] for question in self.questions]
        with open(export, "rb") as file:
            graph = file.read()
        os.remove(export)
        return (graph, explored), json.loads(out or "{}").get("changed"), wall

    def read(self, at, address, **variables):
        """Lets an empty machine begin with the remote; returns how many files it extracted, and the wall seconds."""
        home = self.home()
        found, changed, wall = self.answers(self.trees[at], home, RETRIEVER_REMOTE=address, **variables)
        shutil.rmtree(home, ignore_errors=True)
        if found != self.right[at]:
            with self.lock:
                self.wrong += 1
        return changed, wall

    def publisher(self, at, address, home=None):
        """Starts a publication."""
        home = home or self.home()
        os.makedirs(home, exist_ok=True)
        command = [self.program, "index", "--publish", "--format", "json", "--remote", address]
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        return subprocess.Popen(command, cwd=self.trees[at], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def publish(self, at, address, home=None):
        process = self.publisher(at, address, home)
        return process.communicate()[1].decode(), process.returncode

    def remote(self):
        return tempfile.mkdtemp(dir=self.folder)

    def report(self, what, text):
        print(f"{what:<28} wrong {self.wrong}  {text}", flush=True)
        self.wrong = 0


def lost(checks, address):
    """Publications that an empty machine does not find whole."""
    return sum(checks.read(at, address)[0] != 0 for at in range(len(checks.trees)))


def at_once(checks):
    remote = checks.remote()
    failed = []
    for _ in range(checks.rounds):
        def work(number):
            at = number // 2 % len(checks.trees)
            try:
                status = checks.publish(at, "file://" + remote)[1] if number % 2 else checks.read(at, "file://" + remote) and 0
            except SystemExit as error:
                status = error
            failed.extend([status] if status else [])
        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    checks.report("16 processes at once", f"failed {len(failed)}  lost {lost(checks, 'file://' + remote)}  rounds {checks.rounds}")


def killed(checks):
    remote = checks.remote()
    address = "file://" + remote
    checks.publish(0, address)
    home = checks.home()
    # Indexed, so that what is killed is the publication.
    run(checks.program, checks.trees[1], home, "index", "--format", "json")
    kills = 0
    for number in range(checks.rounds * 10):
        process = checks.publisher(1, address, home)
        time.sleep(random.random() * 0.4)
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if number % 5 == 0:
            checks.read(1, address)
    not_whole = checks.read(0, address)[0] != 0
    checks.publish(1, address, home)
    not_whole += checks.read(1, address)[0] != 0
    checks.report("kill -9 while publishing", f"killed {kills}  lost {not_whole}")


class Faulty(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.translate_path(self.path)
        is_object = "/objects/" in self.path
        fault = self.fault if is_object or self.fault == "hangs" else "none"
        if fault == "hangs":
            time.sleep(30)
        if fault == "another's objects":
            others = sorted(os.listdir(os.path.dirname(path)))
            path = os.path.join(os.path.dirname(path), others[others.index(os.path.basename(path)) - 1])
        try:
            with open(path, "rb") as file:
                body = file.read()
        except OSError:
            return self.send_error(404)
        length = len(body)
        if fault == "cuts short":
            body = body[: length // 2]
        if fault == "more than it says":
            body += bytes(100)
        if fault == "less than it says":
            length += 100
        if fault == "flips a bit":
            body = body[: length // 2] + bytes([body[length // 2] ^ 1]) + body[length // 2 + 1 :]
        self.send_response(500 if fault == "fails" else 200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if fault == "hangs inside":
            self.wfile.write(body[: length // 2])
            self.wfile.flush()
            time.sleep(30)
        try:
            self.wfile.write(body)
        except OSError:
            pass
        self.close_connection = len(body) != length

    def log_message(self, *_):
        pass


def faulty_servers(checks):
    remote = checks.remote()
    checks.publish(0, "file://" + remote)
    faults = ["none", "hangs", "hangs inside", "cuts short", "more than it says", "less than it says", "flips a bit", "fails", "another's objects"]
    for fault in faults:
        handler = type("Handler", (Faulty,), {"fault": fault})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *arguments: handler(*arguments, directory=remote))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        measure_server(checks, fault, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    # An address that nobody has.
    measure_server(checks, "unreachable", "http://10.255.255.1")


def measure_server(checks, fault, address):
    extra = []
    for _ in range(checks.rounds):
        bare = checks.answers(checks.trees[0], checks.home())[2]
        changed, wall = checks.read(0, address)
        extra.append(wall - bare)
    checks.report(f"server: {fault}", f"extracted {changed}  wall {statistics.median(extra) * 1000:+.0f} ms to none, at most {max(extra) * 1000:+.0f}")


def full_disk(checks):
    remote = checks.remote()
    checks.publish(0, "file://" + remote)
    size = sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(remote) for file in files)
    for share in (0.1, 0.4, 0.7, 0.9):
        place, kilobytes = checks.remote(), int(size * share / 1024) + 1
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place], stderr=subprocess.DEVNULL).returncode:
            return checks.report("full disk", "not root: not checked")
        try:
            changed, _ = checks.read(0, "file://" + remote, XDG_CACHE_HOME=os.path.join(place, "cache"))
            checks.report(f"full cache of {kilobytes} kB", f"extracted {changed}")
            shutil.rmtree(os.path.join(place, "cache"), ignore_errors=True)
            said, status = checks.publish(1, "file://" + place)
            changed = checks.read(1, "file://" + place)[0]
            checks.report(f"full remote of {kilobytes} kB", f"status {status}  extracted {changed}  {said.strip()[:90]}")
        finally:
            subprocess.run(["umount", "-l", place])


def wrong_clock(checks):
    for years in (-10, 10):
        remote = checks.remote()
        address = "file://" + remote
        checks.publish(0, address)
        then = time.time() + years * 365 * 86400
        for folder, _, files in os.walk(remote):
            [os.utime(os.path.join(folder, file), (then, then)) for file in files]
        checks.publish(1, address)
        run(checks.program, checks.trees[1], checks.home(), "index", "--prune-remote", "--keep", "30d", "--remote", address, "--format", "json")
        # What was published ten years ago may go; what is newer may not.
        not_found = [at for at in (0, 1) if checks.read(at, address)[0] != 0]
        checks.report(f"objects of {years:+} years", f"lost {[at for at in not_found if at == 1 or years > 0]}  pruned {not_found.count(0)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("repository")
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--questions", metavar="FILE")
    checks = [at_once, killed, faulty_servers, full_disk, wrong_clock]
    parser.add_argument("--only", metavar="CHECK", nargs="+", choices=[check.__name__ for check in checks])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subject = Checks(arguments, folder)
        for check in checks:
            if not arguments.only or check.__name__ in arguments.only:
                check(subject)


if __name__ == "__main__":
    main()

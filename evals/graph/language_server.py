"""A language server as a source of truth: the part of its protocol that the oracles need."""
import json
import os
import subprocess
import threading

# Seconds that one answer may take.
PATIENCE = 120


class Server:
    """A language server on stdin and stdout."""

    def __init__(self, command, root, options=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.answers, self.told, self.arrived, self.last = {}, set(), threading.Condition(), 0
        threading.Thread(target=self.listen, daemon=True).start()
        uri = 'file://' + root
        self.wait(self.ask('initialize', {
            'processId': os.getpid(),
            'rootUri': uri,
            'workspaceFolders': [{'uri': uri, 'name': 'root'}],
            'initializationOptions': options or {},
            'capabilities': {'workspace': {'configuration': True}},
        }))
        self.tell('initialized', {})

    def send(self, message):
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({'method': method, 'params': params})

    def ask(self, method, params):
        self.last += 1
        self.send({'id': self.last, 'method': method, 'params': params})
        return self.last

    def wait(self, number):
        with self.arrived:
            self.arrived.wait_for(lambda: number in self.answers, PATIENCE)
            return self.answers.pop(number, None)

    def wait_until_told(self, method):
        """Waits for a notification of the server."""
        with self.arrived:
            return self.arrived.wait_for(lambda: method in self.told, PATIENCE)

    def listen(self):
        while True:
            size = 0
            while (header := self.process.stdout.readline()) not in (b'\r\n', b''):
                if header.lower().startswith(b'content-length'):
                    size = int(header.split(b':')[1])
            if not header:
                return
            message = json.loads(self.process.stdout.read(size))
            if 'id' in message and 'method' in message:
                items = message['params']['items'] if message['method'] == 'workspace/configuration' else []
                self.send({'id': message['id'], 'result': [{} for _ in items] or None})
            elif 'id' in message:
                with self.arrived:
                    self.answers[message['id']] = message.get('result')
                    self.arrived.notify_all()
            else:
                with self.arrived:
                    self.told.add(message['method'])
                    self.arrived.notify_all()

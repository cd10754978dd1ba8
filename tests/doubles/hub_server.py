"""A Hugging Face hub of one's own: the two endpoints that reading a data set needs."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "4f1c2d3e" * 5


@contextmanager
def hub(repositories: dict[str, Path], *, gated: tuple[str, ...] = ()) -> Iterator[str]:
    """Serve folders as data sets; yields the address for ``HF_ENDPOINT``."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def log_message(self, format: str, *args: object) -> None:
            return

        def _answer(self, *, body: bool) -> None:
            path = self.path.partition("?")[0]
            for name, folder in repositories.items():
                files = sorted(p for p in folder.rglob("*") if p.is_file())
                if path.startswith(f"/api/datasets/{name}/revision/{'0' * 40}"):
                    break
                if path.startswith(f"/api/datasets/{name}"):
                    pinned = re.search("/revision/([0-9a-f]{40})$", path)
                    siblings = [{"rfilename": str(f.relative_to(folder))} for f in files]
                    facts = {
                        "id": name,
                        "sha": pinned[1] if pinned else COMMIT,
                        "siblings": siblings,
                        "private": False,
                        "tags": [],
                    }
                    self._send(json.dumps(facts).encode(), {"Content-Type": "application/json"}, body)
                    return
                if found := re.match(f"/datasets/{name}/resolve/([0-9a-f]{{40}})/(.+)", path):
                    if name in gated and "Authorization" not in self.headers:
                        self._send(b"", {"X-Error-Code": "GatedRepo"}, body, status=401)
                        return
                    data = (folder / found[2]).read_bytes()
                    headers = {"ETag": f'"{hash(data)}"', "X-Repo-Commit": found[1]}
                    self._send(data, headers, body)
                    return
            self._send(b"", {"X-Error-Code": "RepoNotFound"}, body, status=404)

        def _send(self, data: bytes, headers: dict[str, str], body: bool, status: int = 200) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if body:
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""A file server on loopback that answers as the model hub does."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer:
    """Serves `files` by path."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.url = ""


@contextmanager
def serve(files: dict[str, bytes]) -> Iterator[FileServer]:
    state = FileServer(files)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(body=True)

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def answer(self, *, body: bool) -> None:
            path = self.path.split("?")[0]
            if path not in state.files:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content = state.files[path]
            start = int(self.headers["Range"].removeprefix("bytes=").split("-")[0]) if "Range" in self.headers else 0
            if start >= len(content) > 0:
                self.send_response(416)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            rest = content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.end_headers()
            if body:
                self.wfile.write(rest)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def hub_files(repository: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Lay files out as the model hub serves them: the repository's description and each file by revision."""
    siblings = [
        {
            "rfilename": name,
            "size": len(content),
            "lfs": {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134},
        }
        for name, content in files.items()
    ]
    config = json.loads(files.get("config.json", b"{}"))
    about = {"id": repository, "modelId": repository, "sha": "0" * 40, "siblings": siblings, "config": config}
    served = {f"/api/models/{repository}": json.dumps(about).encode()}
    for revision in ("main", "0" * 40):
        served |= {f"/{repository}/resolve/{revision}/{name}": content for name, content in files.items()}
    return served

"""Downloads that can be interrupted, continued and trusted."""

from __future__ import annotations

import http.client
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from sparse_coverage.errors import ModelError
from sparse_coverage.files import sha256_of
from sparse_coverage.progress import progress_bar

ATTEMPTS = 3
BLOCK = 1 << 18


def download(url: str, target: Path, *, sha256: str, label: str) -> Path:
    """Fetch a URL into `target` unless it is there already; the file appears only complete and verified.

    What arrived before an interruption waits in `target.part`, and the next call goes on from there.
    """
    if target.exists() and sha256_of(target) == sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    if urllib.parse.urlsplit(url).scheme == "file":
        shutil.copyfile(urllib.request.url2pathname(urllib.parse.urlsplit(url).path), part)
    else:
        _fetch_with_retries(url, part, label)
    found = sha256_of(part)
    if found != sha256:
        part.unlink()
        raise ModelError(f"{label}: the download's sha256 is {found}, expected {sha256}. It was discarded; try again.")
    part.replace(target)
    return target


def _fetch_with_retries(url: str, part: Path, label: str) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _fetch(url, part, label)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 500:
                raise ModelError(f"{label}: the server answered {error.code} {error.reason}.") from None
            if attempt == ATTEMPTS:
                kept = part.stat().st_size if part.exists() else 0
                raise ModelError(
                    f"{label}: the download failed {ATTEMPTS} times ({error}). {kept:,} bytes are kept; the next try goes on from there."
                ) from None
            time.sleep(0.5 * attempt)
        else:
            return


def _fetch(url: str, part: Path, label: str) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            return  # everything had arrived; the checksum decides
        raise
    with response:
        resumed = response.status == http.HTTPStatus.PARTIAL_CONTENT
        have = have if resumed else 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        with part.open("ab" if resumed else "wb") as stream, progress_bar(label, total, bytes_=True) as advance:
            advance(have)
            received = have
            while block := response.read(BLOCK):
                stream.write(block)
                received += len(block)
                advance(len(block))
    if total is not None and received < total:
        raise ConnectionError(f"the connection closed after {received:,} of {total:,} bytes")

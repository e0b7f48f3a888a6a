"""Who may ask for what: names the server answers to, keys, the origin of changes, the size of requests, and headers that protect a page.

All of it is decided before a route sees the request.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparse_coverage.dataclass_json import JsonScan
from sparse_coverage.errors import InputError
from sparse_coverage.server.errors import Refusal, TooLargeError, refusal_of, refuse, too_large
from sparse_coverage.server.settings import ServerSettings

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
UPLOAD_HEADER = "x-sparse-coverage"
"""Sent with an upload: a page of another origin cannot send it without being asked first, and it is told no."""
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:/@\s]+))(?::[0-9]{0,5})?")
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_GUARDED = ("/v1/", "/metrics", "/mcp")
_OPEN = ("/v1/health", "/v1/ready")
"""What may be asked without a key; and the page itself, which asks for the key."""


BODY_WITHIN, UPLOAD_WITHIN = 60.0, 600.0
"""So many seconds a body may take to come in."""
MOST_VALUES = 500_000
"""How many values a body of JSON may hold."""


class Safety:
    """The first thing a request meets."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._names = {name.lower().strip("[]") for name in settings.names}
        self._key = None if settings.key is None else settings.key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, begun = Headers(scope=scope), False

        async def send_safely(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                sent = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name not in sent:
                        sent[name] = value
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refuse(refusal)(scope, receive, send_safely)
            return
        limit = self._settings.limits
        most = limit.upload if _is_upload(headers) else limit.body
        try:
            await self._app(scope, _bounded(receive, most, _is_upload(headers)), send_safely)
        except Exception as error:
            if begun:
                raise
            await refuse(refusal_of(error, self._settings))(scope, receive, send_safely)

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        return (
            self._host(headers)
            or self._length(headers)
            or self._authority(scope["path"], headers)
            or (None if scope["method"] in _SAFE else self._change(scope["method"], headers))
        )

    def _host(self, headers: Headers) -> Refusal | None:
        host = headers.get("host", "")
        if _name_of(host) in self._names:
            return None
        return Refusal(
            400, f"This server does not answer to the name '{host[:100]}'.", "Allow it with: serve --name NAME"
        )

    def _length(self, headers: Headers) -> Refusal | None:
        limits = self._settings.limits
        most = limits.upload if _is_upload(headers) else limits.body
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            return too_large(most)
        return None

    def _authority(self, path: str, headers: Headers) -> Refusal | None:
        guarded = path.startswith(_GUARDED) and path not in _OPEN
        if self._key is None or not guarded:
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), self._key):
            return None
        return Refusal(401, "This server wants a key.", "Send it in the header Authorization: Bearer KEY")

    def _change(self, method: str, headers: Headers) -> Refusal | None:
        """Refuse what a page of another origin may have sent: browsers say where a request comes from."""
        origin = headers.get("origin")
        if origin is not None and not self._is_own(origin, headers.get("host", "")):
            return Refusal(403, "This request comes from a page of another origin.")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return Refusal(403, "This request comes from a page of another site.")
        # Browsers ask before they send other methods to another origin, or this type, or this header; and they are told no.
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method != "POST" or kind == "application/json" or headers.get(UPLOAD_HEADER) == "1":
            return None
        return Refusal(
            415,
            f"A body of the type '{kind[:100]}' is not taken.",
            "Send application/json; an upload also needs the header X-Sparse-Coverage: 1",
        )

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            given = urlsplit(origin)
            return given.scheme in ("http", "https") and given.netloc.lower() == host.lower()
        except ValueError:
            return False


def _bounded(receive: Receive, most: int, is_upload: bool) -> Receive:
    """Count what comes in, since a length that a client states need not be true, nor be there; of JSON also values and levels.

    A body that is not there in time is refused.
    """
    seen, scan, is_json, complete = 0, JsonScan(MOST_VALUES), not is_upload, False
    seconds = UPLOAD_WITHIN if is_upload else BODY_WITHIN
    until = asyncio.get_running_loop().time() + seconds

    async def receive_some() -> Message:
        nonlocal seen, complete
        if complete:
            return await receive()
        left = until - asyncio.get_running_loop().time()
        try:
            message = await asyncio.wait_for(receive(), max(0.0, left))
        except asyncio.TimeoutError:
            late = f"The request was not there within {seconds:g} seconds."
            raise HTTPException(408, late, {"connection": "close"}) from None
        if message["type"] == "http.request":
            complete = not message.get("more_body", False)
            body = message.get("body", b"")
            seen += len(body)
            if seen > most:
                raise TooLargeError(most)
            if is_json:
                try:
                    scan.feed(body)
                except InputError as error:
                    raise HTTPException(413, f"The request cannot be taken. {error}") from None
        return message

    return receive_some


def _is_upload(headers: Headers) -> bool:
    return headers.get("content-type", "").lower().startswith("multipart/form-data")


def _name_of(host: str) -> str:
    """Return the name in a Host header, without its port.

    >>> _name_of("localhost:8765"), _name_of("[::1]:8765"), _name_of("[::1].example.com")
    ('localhost', '::1', '')
    """
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]).lower() if found else ""

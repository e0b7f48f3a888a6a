"""Errors as answers: one shape for all, with what to do where that is known."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from sparse_coverage.dataclass_json import record
from sparse_coverage.errors import (
    AlreadyThereError,
    InputError,
    MismatchError,
    NoDocumentError,
    SparseCoverageError,
)
from sparse_coverage.index.manifest import BeingWrittenError
from sparse_coverage.projects import StaleError, UnknownError
from sparse_coverage.server.indexes import UnknownIndexError
from sparse_coverage.server.settings import BeyondLimitsError, ServerSettings
from sparse_coverage.server.work import BusyError, OvertimeError, StoppedError
from sparse_coverage.workspace.requests import RequestError

logger = logging.getLogger("sparse_coverage.server")


class ErrorText(BaseModel):
    """What was wrong, and what to do about it where that is known."""

    message: str
    what_to_do: str | None = None


class ErrorAnswer(BaseModel):
    """The answer to a request that failed."""

    error: ErrorText


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    message: str
    what_to_do: str = ""
    retry_after: int | None = None

    def record(self) -> dict[str, Any]:
        """Return the body of the answer."""
        # A message may quote the request, and JSON can name half of a character, which no answer can carry.
        message = self.message.encode("utf-8", "replace").decode()
        told = {"message": message} | ({"what_to_do": self.what_to_do} if self.what_to_do else {})
        return {"error": told}


class NotAllowedError(Exception):
    """What was asked for is turned off."""


class TooLargeError(HTTPException):
    """A body is larger than the limit. A class of its own, because any other error while reading counts as a damaged body."""

    def __init__(self, most: int) -> None:
        super().__init__(413, too_large(most).message)


def too_large(most: int) -> Refusal:
    """Return what is said to a body that is too large."""
    return Refusal(413, f"The request is larger than {most:,} bytes.", "Send less at a time.")


_WHAT = {
    400: "What was asked for cannot be done; the message says why.",
    401: "A key is wanted, and there is none or a wrong one.",
    403: "Not allowed here.",
    404: "There is no such index, document or passage.",
    408: "The request took too long to come in.",
    409: "The state of things does not allow it, such as an index that is being changed.",
    413: "The request is too large.",
    415: "The type of the body is not taken.",
    422: "The request does not have the form that is described here, or asks for more than the limits allow.",
    429: "The server has as much to do as it can take on. Retry-After says when to come again.",
    503: "The server cannot do it now.",
    504: "It took longer than it may.",
}


def may_answer(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors that a route may answer with, for its description; every route may refuse a request."""
    every = sorted({400, 401, 403, 408, 413, 415, 422, 429, 503, 504, *statuses})
    return {status: {"model": ErrorAnswer, "description": _WHAT[status]} for status in every}


_LESS = "Ask for less at a time."
_STATUS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], int, str], ...] = (
    (NotAllowedError, 403, ""),
    (BeyondLimitsError, 422, _LESS),
    (RequestError, 422, ""),
    ((UnknownIndexError, NoDocumentError, UnknownError), 404, ""),
    (InputError, 400, ""),
    ((MismatchError, BeingWrittenError, AlreadyThereError, StaleError), 409, ""),
    (SparseCoverageError, 503, ""),
)
"""The status of each kind of error, the first that fits, and what to do about it."""


def refusal_of(error: Exception, settings: ServerSettings) -> Refusal:
    """Return what is answered to an error; it calls each index by its name instead of by its folder."""
    refusal = _refusal(error)
    message = refusal.message
    for name, folder in settings.indexes.items():
        for path in {str(folder), str(folder.resolve())}:
            message = message.replace(path, name)
    return replace(refusal, message=message)


def _refusal(error: Exception) -> Refusal:
    if isinstance(error, BusyError):
        return Refusal(429, str(error), f"Try again in {error.seconds} s.", error.seconds)
    if isinstance(error, OvertimeError):
        return Refusal(504, "This took longer than a request may take.", _LESS)
    if isinstance(error, StoppedError):
        return Refusal(503, "The work was stopped.", "Ask again.")
    if isinstance(error, sqlite3.Error):
        return refused_by_disk(error)
    for kinds, status, what_to_do in _STATUS:
        if isinstance(error, kinds):
            return Refusal(status, str(error), what_to_do)
    # Nobody outside may learn more of it than that it happened; the log has the rest.
    logger.error("A request failed.", exc_info=error)
    return Refusal(500, "Something went wrong in the server. Its log says what.")


def refused_by_disk(why: object) -> Refusal:
    """Return what is said where the file of a project fails."""
    return Refusal(503, f"The project cannot be read or written: {why}", "Look at the disk of the server.")


def refuse(refusal: Refusal) -> Response:
    """Return the answer."""
    headers = {} if refusal.retry_after is None else {"retry-after": str(refusal.retry_after)}
    if refusal.status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse(refusal.record(), refusal.status, headers)


def add_error_answers(app: FastAPI) -> None:
    """Give every error of an application its answer."""

    async def by_kind(request: Request, error: Exception) -> Response:
        return refuse(refusal_of(error, request.app.state.settings))

    async def unreadable(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        return refuse(Refusal(422, f"The request cannot be read: {told}"))

    async def stale(request: Request, error: Exception) -> Response:
        assert isinstance(error, StaleError)
        return JSONResponse(Refusal(409, str(error)).record() | {"current": record(error.current)}, 409)

    async def by_status(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        answer = refuse(Refusal(error.status_code, str(error.detail)))
        answer.headers.update(error.headers or {})
        return answer

    for kind in (SparseCoverageError, BusyError, OvertimeError, StoppedError, NotAllowedError, sqlite3.Error):
        app.add_exception_handler(kind, by_kind)
    app.add_exception_handler(StaleError, stale)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(HTTPException, by_status)

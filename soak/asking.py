"""Those who ask: requests at random, their answers checked for form and time, then compared with those of fresh indexes."""

from __future__ import annotations

import json
from queue import Empty
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx
from documents import request
from truth import LAG, NAME, comparable
from world import BOUND, Answer, World

_SEEN = 40
_OURS = (400, 401, 403, 404, 409, 413, 415, 422, 429, 503, 504)


def ask(world: World, number: int) -> None:
    """Ask until the soak ends."""
    chance = Random(f"{world.seed} asker {number}")
    seen: list[str] = []
    with httpx.Client(base_url=world.server.address, timeout=20 * BOUND) as client:
        while not world.stop.is_set():
            kind, body = request(chance, seen)
            found = send(world, client, "POST", f"/v1/indexes/{NAME}/{kind}", body, kind)
            if found is None:
                sleep(0.2)
                continue
            answer, begun, ended = found
            if allowed_refusal(world, kind, body, answer, begun):
                continue
            content = comparable(answer.json()) if answer.status_code == 200 else None
            if kind == "search" and content is not None:
                seen = (seen + [one["id"] for hit in content["hits"] for one in hit["passages"]])[-_SEEN:]
            world.answers.put(Answer(kind, body, answer.status_code, content, begun, ended))


def send(
    world: World, client: httpx.Client, method: str, path: str, body: Any, kind: str
) -> tuple[httpx.Response, float, float] | None:
    """Send a request; return the answer and when it was asked for and given, or None where nobody answers for now."""
    begun = monotonic()
    try:
        answer = client.request(method, path, json=body)
    except httpx.TransportError as error:
        if not world.down(begun) and not world.faults.felt("damage", begun):
            world.tally.violation(f"{kind}: no answer though nothing was killed: {error!r}")
        world.tally.count("refused", "server killed")
        return None
    ended = monotonic()
    world.tally.count("operations", kind)
    if not world.down(begun):
        world.tally.took(ended - begun)
        if ended - begun > world.bound:
            world.tally.violation(f"{kind}: the answer took {ended - begun:.1f} s, over {world.bound:.0f} s")
    if answer.status_code != 200 and not _is_ours(answer):
        world.tally.violation(f"{kind}: {answer.status_code} {answer.text[:500]} to {json.dumps(body)[:500]}")
    return answer, begun, ended


def _is_ours(answer: httpx.Response) -> bool:
    try:
        return answer.status_code in _OURS and bool(answer.json()["error"]["message"].strip())
    except (ValueError, KeyError, TypeError):
        return False


def allowed_refusal(world: World, kind: str, body: dict[str, Any], answer: httpx.Response, begun: float) -> bool:
    """Tell whether an answer is a refusal that may come at any time, or while a fault lasts; such an answer compares with nothing."""
    status = answer.status_code
    reason = ""
    if status == 429:
        reason = "busy"
    elif status in (400, 409, 503) and world.faults.felt("damage", begun):
        reason = "damage told"
    elif status == 504 and world.pace.factor > 1.5:
        reason = "too slow a machine"
    if reason:
        world.tally.count("refused", reason)
    elif status in (409, 422, 503, 504):
        world.tally.violation(f"{kind}: refused without a reason: {status} {answer.text[:500]}")
        return True
    return bool(reason)


def compare(world: World) -> None:
    """Compare answers with those of fresh indexes, until there are none left after the end."""
    while True:
        try:
            answer = world.answers.get(timeout=0.5)
        except Empty:
            if world.stop.is_set():
                return
            continue
        check(world, answer)


def check(world: World, answer: Answer) -> None:
    """Compare one answer."""
    given = answer.status, answer.content
    lag = LAG * world.pace.factor
    tried = []
    for state in world.ledger.candidates(answer.begun, answer.ended, lag):
        expected = world.references.answer(state, answer.kind, answer.body)
        if expected == given:
            world.tally.count("answers compared", answer.kind)
            return
        tried.append((state, expected))
    world.tally.count("answers compared", answer.kind)
    world.tally.count("differences", answer.kind)
    path = world.scratch / f"difference-{world.tally.total('differences')}.json"
    path.write_text(json.dumps({"asked": [answer.kind, answer.body], "given": given, "expected": tried}, indent=1))
    world.tally.violation(
        f"{answer.kind}: the answer is that of none of {len(tried)} states; {json.dumps(answer.body)[:300]}; see {path}"
    )

"""Serving on Milvus (extra [milvus]): a file of milvus-lite, one server or a distributed one, all through the same API."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sparse_coverage.engines.engine import (
    NOWHERE,
    SHOWN,
    AllOf,
    AnyOf,
    Asking,
    Between,
    Condition,
    EngineError,
    EngineHealth,
    Failover,
    FoundPoint,
    OneOf,
    Point,
    PointQuery,
    Vector,
    all_of,
    documents_but,
    first_line,
)
from sparse_coverage.errors import InputError, require_package

_PAGE = 4096
# What a string field of Milvus holds at most, in bytes; statistics are cut into pieces of this length.
_LONGEST_TEXT = 65_535
_LONGEST_NAME = 1024
_MOST_FACTS = 4096
_PASSING = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"}


class MilvusCollection(Asking):
    """A collection on Milvus.

    `uri` is the path of a milvus-lite file (it ends in `.db`) or the address of a server, such as http://127.0.0.1:19530.
    A text longer than 65,535 bytes, the most that Milvus keeps, is shown without its end; ranking is not touched by that.
    """

    engine = "Milvus"
    limit = 16_384

    def __init__(
        self, uri: str, name: str, *, shards: int = 1, token: str = "", timeout: float = 60.0, patience: float = 60.0
    ) -> None:
        require_package("pymilvus", "Milvus", "milvus")
        import pymilvus

        self.name = name
        self._shards = shards
        self._types: Any = pymilvus.DataType
        try:
            self._client: Any = pymilvus.MilvusClient(uri, token=token, timeout=timeout)
        except Exception as error:
            raise EngineError(f"Milvus at {uri} cannot be opened ({first_line(error)}).") from error
        self._nodes = Failover([(uri, self._client)], _passes, patience)

    def health(self) -> EngineHealth:
        """Ask for the version. Milvus looks after its own nodes: what it answers, it answers for all of them."""
        version = self._ask("Asking for the version", lambda client: client.get_server_version())
        return EngineHealth(str(version), 1, 1, ())

    def exists(self) -> bool:
        """Tell whether the collection is there."""
        return bool(self._ask("Looking for the collection", lambda client: client.has_collection(self.name)))

    def create(self, dimension: int) -> None:
        """Make the collection with exact indexes, if it is not there."""
        if self.exists():
            return
        types = self._types
        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", types.VARCHAR, is_primary=True, max_length=36)
        for field in ("centers", "words"):
            schema.add_field(field, types.SPARSE_FLOAT_VECTOR)
        if dimension:
            schema.add_field("vectors", types.FLOAT_VECTOR, dim=dimension)
        for field in ("passage", "document", "section", "number", "digest"):
            schema.add_field(field, types.VARCHAR, max_length=_LONGEST_NAME)
        for field in ("text", "title"):
            schema.add_field(field, types.VARCHAR, max_length=_LONGEST_TEXT)
        schema.add_field("metadata", types.JSON)
        schema.add_field(
            "facts", types.ARRAY, element_type=types.VARCHAR, max_capacity=_MOST_FACTS, max_length=_LONGEST_NAME
        )
        for field in ("published", "priority"):
            schema.add_field(field, types.INT64)
        index = self._client.prepare_index_params()
        for field in ("centers", "words"):
            index.add_index(field, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        if dimension:
            index.add_index("vectors", index_type="FLAT", metric_type="IP")
        self._ask(
            "Making the collection",
            lambda client: client.create_collection(
                self.name, schema=schema, index_params=index, num_shards=self._shards, consistency_level="Strong"
            ),
        )

    def drop(self) -> None:
        """Delete the collection with everything in it."""
        self._ask("Deleting the collection", lambda client: client.drop_collection(self.name))

    def inventory(self) -> Iterator[tuple[str, str]]:
        """Yield document and digest of every point."""
        pages = self._ask(
            "Listing what is there",
            lambda client: client.query_iterator(
                self.name, batch_size=_PAGE, filter='document != ""', output_fields=["document", "digest"]
            ),
        )
        try:
            while rows := self._ask("Listing what is there", lambda _: pages.next()):
                for row in rows:
                    yield row["document"], row["digest"]
        finally:
            pages.close()

    def upload(self, points: Sequence[Point]) -> None:
        """Write points."""
        self._upsert("Uploading", points)

    def delete(self, documents: Sequence[str], keep: Collection[str] = ()) -> None:
        """Delete the points of some documents, those with a digest in `keep` excepted."""
        wanted = expression(documents_but(documents, keep))
        self._ask("Deleting", lambda client: client.delete(self.name, filter=wanted))

    def write_statistics(self, text: str, dimension: int) -> None:
        """Keep the statistics as points without a document, each with a piece of the text."""
        pieces = [text[first : first + _LONGEST_TEXT] for first in range(0, len(text), _LONGEST_TEXT)]
        vectors: dict[str, Vector] = {"centers": {NOWHERE: 1.0}}
        vectors |= {"vectors": [0.0] * dimension} if dimension else {}
        count = str(len(pieces))
        points = (
            Point(f"statistics-{place}", "", "", count, piece, "", {}, [], place, 0, "", vectors)
            for place, piece in enumerate(pieces)
        )
        self._upsert("Writing the statistics", points)
        # What is not yet in a sealed segment is searched without an index.
        self._ask("Sealing segments", lambda client: client.flush(self.name))

    def read_statistics(self) -> str | None:
        """Return the statistics, or None where none were written yet."""
        rows = self._query('document == ""', ["text", "section", "published"])
        pieces = {row["published"]: row["text"] for row in rows}
        if not pieces:
            return None
        count = int(next(row["section"] for row in rows if row["published"] == 0))
        return "".join(pieces[place] for place in range(count))

    def search(self, requests: Sequence[PointQuery]) -> list[list[FoundPoint]]:
        """Return the best points of each request, exactly: nothing of the query is dropped."""
        return [self._search(request) for request in requests]

    def show(self, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Return what points are shown with, by id."""
        return {row["id"]: row for row in self._get(ids, SHOWN)}

    def scores(self, ids: Sequence[str], request: PointQuery) -> dict[str, float]:
        """Return the exact scores of some points, added up here: Milvus would read all lists of the query for a few points."""
        scored = {row["id"]: _product(request.vector, row[request.part]) for row in self._get(ids, [request.part])}
        return {id_: score for id_, score in scored.items() if score > 0}

    def facts_of(self, document: str) -> list[str]:
        """Return the facts of a document; none if it is not there."""
        rows = self._query(expression(AnyOf("document", (document,))), ["facts"], limit=1)
        return [str(fact) for fact in rows[0]["facts"]] if rows else []

    def sizes(self, documents: Sequence[str], condition: Condition | None) -> dict[str, int]:
        """Return how many points each of some documents has, or how many of them meet a condition."""
        chosen = all_of([condition, AnyOf("document", tuple(documents))])
        rows = self._query("" if chosen is None else expression(chosen), ["document"], limit=self.limit)
        return dict(Counter(row["document"] for row in rows))

    def size(self) -> int:
        """Return how many points the collection holds, the statistics left out."""
        return int(self._query('document != ""', ["count(*)"], limit=None)[0]["count(*)"])

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _upsert(self, what: str, points: Iterable[Point]) -> None:
        rows = [
            {
                **point.payload(),
                "id": point.id,
                "words": {NOWHERE: 1.0},
                **point.vectors,
                "passage": _name(point.passage, "A passage's id"),
                "document": _name(point.document, "A document's id"),
                "section": _name(point.section, "The name of a section"),
                "text": _cut(point.text),
                "title": _cut(point.title),
                "facts": _facts(point),
            }
            for point in points
        ]
        self._ask(what, lambda client: client.upsert(self.name, rows))

    def _search(self, request: PointQuery) -> list[FoundPoint]:
        (hits,) = self._ask(
            "Searching",
            lambda client: client.search(
                self.name,
                [request.vector],
                anns_field=request.part,
                limit=request.limit,
                filter="" if request.condition is None else expression(request.condition),
                output_fields=["document"],
                search_params={
                    "metric_type": "IP",
                    "params": {} if request.part == "vectors" else {"drop_ratio_search": 0.0},
                },
            ),
        )
        found = [FoundPoint(hit["id"], hit["entity"]["document"], float(hit["distance"])) for hit in hits]
        return [point for point in found if point.score > 0]

    def _query(self, condition: str, fields: list[str], limit: int | None = _PAGE) -> list[dict[str, Any]]:
        limits = {} if limit is None else {"limit": limit}
        rows: list[dict[str, Any]] = self._ask(
            "Reading", lambda client: client.query(self.name, filter=condition, output_fields=fields, **limits)
        )
        return rows

    def _get(self, ids: Sequence[str], fields: list[str]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for first in range(0, len(ids), _PAGE):
            part = list(ids[first : first + _PAGE])
            rows += self._ask(
                "Reading",
                lambda client, part=part: client.get(self.name, ids=part, output_fields=["id", *fields]),  # type: ignore[misc]
            )
        return rows


def expression(condition: Condition) -> str:
    """Return a condition in the language of Milvus.

    >>> from sparse_coverage.engines.engine import NoneOf
    >>> expression(AllOf((AnyOf("facts", ("country=EP",)), NoneOf(Between("published", 1, 20001231)))))
    '(array_contains_any(facts, ["country=EP"])) and (not (published >= 1 and published <= 20001231))'
    """
    if isinstance(condition, AnyOf):
        values = json.dumps(list(condition.values), ensure_ascii=False)
        if condition.field == "facts":
            return f"array_contains_any(facts, {values})"
        return f"{condition.field} in {values}"
    if isinstance(condition, Between):
        return f"{condition.field} >= {condition.first} and {condition.field} <= {condition.last}"
    if isinstance(condition, AllOf):
        return " and ".join(f"({expression(part)})" for part in condition.parts)
    if isinstance(condition, OneOf):
        return " or ".join(f"({expression(part)})" for part in condition.parts)
    return f"not ({expression(condition.part)})"


def _passes(error: Exception) -> bool:
    """Tell whether an error may pass: nobody answers, or the server is overloaded or starting."""
    code = getattr(error, "code", None)
    status = code() if callable(code) else code
    return getattr(status, "name", "") in _PASSING or type(error).__name__ == "MilvusUnavailableException"


def _product(one: Vector, other: Any) -> float:
    if isinstance(one, list):
        return float(sum(first * second for first, second in zip(one, other, strict=True)))
    return float(sum(weight * one[place] for place, weight in other.items() if place in one))


def _name(value: str, what: str) -> str:
    if len(value.encode()) > _LONGEST_NAME:
        raise InputError(f"{what} may have {_LONGEST_NAME} bytes on Milvus; this one has more: {value[:80]} …")
    return value


def _facts(point: Point) -> list[str]:
    if len(point.facts) > _MOST_FACTS:
        raise InputError(
            f"{point.document} has {len(point.facts):,} terms to filter by (classes, family members); Milvus keeps {_MOST_FACTS:,}."
        )
    return [_name(fact, "A value to filter by") for fact in point.facts]


def _cut(text: str) -> str:
    """Return a text, without its end where it is longer than Milvus keeps."""
    return text.encode("utf-8", "replace")[:_LONGEST_TEXT].decode("utf-8", "ignore")

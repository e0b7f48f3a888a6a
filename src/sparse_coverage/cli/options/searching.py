"""Options of a search: what to search with, what may be found at all, how much is shown, what ranks, and the files to write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparse_coverage.cli.options import F, NamesIn, count_option, gathered, path_option, together
from sparse_coverage.cli.options.inputs import claims_option, read_query
from sparse_coverage.errors import InputError
from sparse_coverage.present.export_kinds import Export
from sparse_coverage.systems import RERANKERS

if TYPE_CHECKING:
    from sparse_coverage.search.results import Hit
    from sparse_coverage.workspace import ElementText

_FILTER: dict[str, Any] = {
    "metavar": "EXPRESSION", "help": "Which documents may be found: an expression, see `search --help`."
}  # fmt: skip
filter_option = click.option("--filter", "expression", **_FILTER)


def _listed(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the publication numbers of files, or of lists as they were typed."""
    if not given:
        return ()
    from sparse_coverage.patents.numbers import numbers_in, read_numbers
    from sparse_coverage.patents.queries import looks_like_file

    found: list[str] = []
    for one in given:
        name = one.removeprefix("@")
        path = Path(name)
        is_file = one.startswith("@") or looks_like_file(one) or path.is_file()
        if is_file and not path.is_file():
            raise click.BadParameter(
                f"there is no such file: {name}. Name one with a list of publication numbers, or type the numbers."
            )
        listed = read_numbers(path) if is_file else numbers_in(one)
        found += [*listed.numbers, *listed.others]
    return tuple(dict.fromkeys(found))


filter_options = gathered(
    "filters",
    "workspace:Filters",
    click.option("--before", metavar="DATE", help="Only what was published before DATE (2001-05-17, 2001-05, 2001)."),
    click.option(
        "--not-family-of", metavar="ID", multiple=True, help="Leave out the document ID and its family. Repeatable."
    ),
    click.option(
        "--only",
        metavar="FILE|LIST",
        multiple=True,
        callback=_listed,
        help="Only documents of this list of publication numbers: a file (text, CSV, Excel), or numbers with commas.",
    ),
    click.option("--filter", **_FILTER),
)
k_option = count_option("-k", default=10, help="How many documents to show.")
passages_option = count_option("--passages", default=3, help="How many passages of each.")


ranking_option = click.option(
    "--ranking",
    type=NamesIn("systems:RANKINGS", what="ranking", open=True),
    default="combined",
    help="What ranks: combined (centers, words and the meaning of whole passages added up, as far as the index keeps them), one of "
    "them alone, or a side of the index.",
    show_default=True,
)
request_options = gathered(
    "request",
    "workspace.requests:RankedRequest",
    k_option,
    passages_option,
    click.option(
        "--no-group",
        "group",
        flag_value=False,
        default=True,
        show_default=False,
        help="A row for each document, not one for each family (A1 and B1 of one application are one, too).",
    ),
    click.option(
        "--at-least",
        type=click.Choice(["close", "related"]),
        help="Leave out documents that are less close to QUERY than this, in absolute terms (measured for minilm and gte-small).",
    ),
    filter_options,
    gathered(
        "marks",
        "workspace:Marked",
        click.option(
            "--relevant",
            metavar="ID",
            multiple=True,
            help="A document or passage of an earlier answer that is relevant: more like it. Repeatable.",
        ),
        click.option(
            "--not-relevant", metavar="ID", multiple=True, help="One that is not: less of what it is about. Repeatable."
        ),
    ),
    ranking_option,
)
"""What a search is told beside its query: an option here and the field of its name in `RankedRequest` are one."""
rerank_options = together(
    click.option(
        "--rerank",
        "rerank_by",  # not the field `rerank` of a request: `passages` lists passages instead
        type=NamesIn("cli.options.searching:RERANK", what="reranker", open=True),
        help="Rank the best documents again: by a side of the index, or by a model that reads claim and passage together "
        "(cross-encoder:NAME, an ONNX folder or hub id). With `passages`, list the best of all their passages instead (the paper's "
        "two stages).",
    ),
    count_option("--top", "rerank_top", default=100, help="How many documents --rerank takes."),
)
RERANK = (*RERANKERS, "passages")
"""What --rerank takes: what ranks documents again, or that passages are listed instead."""


features_option = path_option(
    "--features",
    "elements",
    exists=True,
    dir_okay=False,
    help="Your own split of the claim: one feature a line, in the words of the claim; a label and a tab may come first. In a search, "
    "a line that begins with ! counts twice, one with - is left out.",
)
_WEIGHTS = {"!": 2, "-": 0}


def read_features(path: Path) -> tuple[ElementText, ...]:
    """Return the features that a user wrote down, one a line."""
    from sparse_coverage.workspace import ElementText

    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save it as UTF-8.") from None
    found = []
    for line in lines:
        weight = _WEIGHTS.get(line[:1], 1)
        label, tab, text = line[weight != 1 :].strip(" ").partition("\t")
        if (text or label).strip() and not line.startswith("#"):
            found.append(ElementText((text if tab else label).replace("\t", " "), label if tab else "", weight))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options that say what to search with, beside the query itself."""

    like: str | None
    claims: str | None
    keep_family: bool
    queries: Path | None
    run: Path | None
    elements: Path | None

    def require_one(self, query: str | None, expression: str | None) -> None:
        """Refuse no query, and more than one. An expression may stand alone."""
        given = [
            name for name, value in (("QUERY", query), ("--like", self.like), ("--queries", self.queries)) if value
        ]
        if len(given) > 1 or not (given or expression):
            told = f"not {' and '.join(given)} together" if given else "and there is none of them"
            raise click.UsageError(f"Search with QUERY, --like, --queries or --filter alone, {told}.")
        if self.elements and not query:
            raise click.UsageError("--features names the features of QUERY, the text of a claim.")
        if self.run and not self.queries:
            raise click.UsageError("--run writes the rankings of --queries. For one query use --json or --report.")

    def one(self, query: str | None) -> dict[str, Any]:
        """Return what a search is asked with, as fields of its request: what was typed, or a document of the index."""
        from sparse_coverage.patents.numbers import parse_number

        if query is None and self.like is None:
            return {}
        if query is None:
            return {"like": self.like, "claims": self.claims, "keep_family": self.keep_family}
        if parse_number(query):
            click.echo(f"Note: searching for the words '{query}'. For the document: --like '{query}'.", err=True)
        read = read_query(query, claims=self.claims)
        return {"query": read.text, "source": read.source, "elements": self.features(read.text)}

    def features(self, text: str) -> tuple[ElementText, ...]:
        """Return the features of a claim that a user wrote down; one that is not in it is refused."""
        from sparse_coverage.charts.elements import given_elements, read_claims

        if self.elements is None:
            return ()
        found = read_features(self.elements)
        given = given_elements(read_claims(text), [f"{one.label}\t{one.text}" for one in found])
        return tuple(replace(one, label=known.label) for one, known in zip(found, given, strict=True))

    def many(self) -> tuple[dict[str, Any], int]:
        """Return the queries of a file or folder as fields of a request, and how many could not be read; these are told."""
        from sparse_coverage.evaluation.trec import read_queries
        from sparse_coverage.patents.queries import listed_in

        assert self.queries is not None
        problems: list[str] = []
        if not self.queries.exists():
            raise InputError(f"{self.queries}: there is no such file or folder.")
        if numbers := listed_in(self.queries):
            return {"like": numbers}, 0
        found = {query.id: query.text for query in read_queries(self.queries, self.claims, problems.append)}
        for problem in problems:
            click.echo(f"left out {problem}", err=True)
        return {"queries": found}, len(problems)


asked_options = gathered(
    "asked",
    QueryOptions,
    click.option(
        "--like", metavar="ID", help="Search with a document of the index: its claims, without its own family."
    ),
    claims_option,
    click.option("--keep-family", is_flag=True, help="With --like: do not leave out the document and its family."),
    path_option(
        "--queries",
        metavar="FILE|FOLDER",
        help="Search with many: lines of JSON (id, text) or of id, tab, text; TREC topics; patents; a list of "
        "publication numbers of the index; a folder, a query a file.",
    ),
    path_option("--run", dir_okay=False, help="Write the rankings of --queries as a TREC run."),
    features_option,
    check=lambda asked, given: asked.require_one(given["query"], given.get("filter")),
)


@dataclass(frozen=True, slots=True)
class Exports:
    """The files to write beside what is printed, each with its kind."""

    files: Mapping[Path, Export]

    def __bool__(self) -> bool:
        return bool(self.files)

    @property
    def with_passages(self) -> bool:
        """Whether anything is to be written that shows passages and why they were found."""
        return any(kind.passages for kind in self.files.values())

    def write(self, *results: Any) -> Iterable[Path]:
        """Write the files, and return where they are."""
        from sparse_coverage.files import write_bytes

        for path, kind in self.files.items():
            write_bytes(path, kind.make(*results))
        return self.files.keys()


def report_option(kinds: Mapping[str, Export]) -> Callable[[F], F]:
    """Return the option that names files of these kinds; they reach the command as its argument `exports`."""
    endings = ", ".join(f".{name}" for name in kinds)

    def told_apart(context: click.Context, parameter: click.Parameter, given: tuple[Path, ...]) -> Exports:
        for path in given:
            if path.suffix.lower()[1:] not in kinds:
                raise click.BadParameter(
                    f"{path}: a report is written as {endings}. Give the file one of these endings."
                )
        return Exports({path: kinds[path.suffix.lower()[1:]] for path in given})

    return click.option(
        "--report",
        "exports",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=told_apart,
        help=f"Also write a report into this file: {endings}. Word, Excel and PDF need the extra [office]. Repeatable.",
    )


def write_rankings(path: Path, rankings: Mapping[str, Sequence[Hit]], tag: str, depth: int) -> None:
    """Write the documents found for several queries as a TREC run."""
    from sparse_coverage.evaluation.collection import Ranking
    from sparse_coverage.evaluation.trec import write_run

    run = {
        id_: Ranking(tuple(hit.document for hit in hits), tuple(hit.score for hit in hits))
        for id_, hits in rankings.items()
    }
    write_run(path, run, tag, depth=depth)

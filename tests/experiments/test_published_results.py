"""What a researcher takes away can be computed again: runs with the collection's own ids, tables that name what varied, stamps."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from small_collection import small_collection
from typed_commands import output, run

from sparse_coverage import Hit, Variant, evaluate, load_collection, load_encoder
from sparse_coverage.cli.options.research import CollectionOptions, Means
from sparse_coverage.dataclass_json import record
from sparse_coverage.encoding import Encoder, Tokens, TokenVectors
from sparse_coverage.errors import InputError
from sparse_coverage.experiments.bench import Workbench
from sparse_coverage.experiments.cache import unit_key
from sparse_coverage.experiments.comparison import Output
from sparse_coverage.experiments.options import SystemOptions
from sparse_coverage.experiments.provenance import methods, surroundings
from sparse_coverage.experiments.reproduce import run_experiment
from sparse_coverage.experiments.sweep import load_definition
from sparse_coverage.present.tables import LONG, Table, TableCell, latex_table
from sparse_coverage.search import PassageHit
from sparse_coverage.spans import SpanUnit, get_unit
from sparse_coverage.spans.span import Indices, TokenPlaces

OWN = [f"US200500123{number}A1" for number in range(40, 46)]


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A BEIR folder whose ids are publication numbers in one word."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    texts = ["valve spring", "pump noise", "rubber device", "headset filter", "plunger housing", "lamp switch"]
    lines = [json.dumps({"_id": id_, "title": "", "text": text}) for id_, text in zip(OWN, texts, strict=True)]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    queries = [json.dumps({"_id": f"q{n}", "text": text}) for n, text in enumerate(texts[:3])]
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n", encoding="utf-8")
    judged = "".join(f"q{n}\t{OWN[n]}\t1\n" for n in range(3))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged, encoding="utf-8")
    return folder


def test_runs_keep_the_ids_of_the_collection_and_recompute_with_other_tools(beir: Path, tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("bm25s")
    found = evaluate(
        load_collection(str(beir)), ["bm25"], ["MAP"], cache=tmp_path / "cache", output=Output(tmp_path / "runs")
    )
    lines = [line.split() for line in (tmp_path / "runs" / "bm25.run").read_text("utf-8").splitlines()]
    assert {line[2] for line in lines} <= set(OWN)
    qrels = [ir_measures.Qrel(f"q{n}", OWN[n], 1) for n in range(3)]
    scored = [ir_measures.ScoredDoc(line[0], line[2], float(line[4])) for line in lines]
    there = ir_measures.calc_aggregate([ir_measures.AP], qrels, scored)[ir_measures.AP]
    assert there == pytest.approx(found.rows["bm25"].means()["MAP"])
    assert there == 1.0


def test_a_system_and_its_own_run_differ_by_nothing_at_any_depth(cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    words = ("evaluate", "demo", "--cache", cache, "--system", "bm25", "--depth", 5, "--json")
    output(run(*words, "--runs", tmp_path))
    record = output(run(*words, "--run", tmp_path / "bm25.run"))
    here, there = record["systems"].values()
    assert record["depth"] == 5
    assert here["per_query"].keys() == there["per_query"].keys() >= {"MAP", "MAP(D)"}
    assert here["per_query"] == there["per_query"]
    assert (
        here["measures"]["MAP"]["mean"]
        < output(run(*words[:-3], "--json"))["systems"]["bm25"]["measures"]["MAP"]["mean"]
    )
    longest = max(int(line.split()[3]) for line in (tmp_path / "bm25.run").read_text("utf-8").splitlines())
    assert longest == 5


def test_every_seed_has_its_own_run_and_all_means_recompute(
    bench: Workbench, options: SystemOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ir_measures")
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from recompute import differences

    rows = {"ours": Variant("default", encoder=options.encoder, size=40), "BM25": "bm25"}
    measures = ["MAP", "nDCG@2", "MAP(D)", "PassageR@3"]
    found = evaluate(bench.collection, rows, measures, seeds=2, bench=bench, output=Output(tmp_path))
    assert {path.name for path in tmp_path.glob("*[!s].run")} == {"ours-seed=0.run", "ours-seed=1.run", "BM25.run"}
    table = json.loads(json.dumps(record(found.record())))
    values = {name: sum(map(len, row["per_query"].values())) for name, row in table["systems"].items()}
    means = 2 * len(measures)  # of the values, and as the table says
    assert differences(bench.collection, table, tmp_path) == (sum(values.values()) + 2 * means + 2 * len(measures), [])
    table["systems"]["ours"]["seeds"][1]["MAP"] += 0.01
    _, [told] = differences(bench.collection, table, tmp_path)
    assert told.startswith("ours MAP, seed 1: ")
    (tmp_path / "BM25.run").unlink()
    assert "no run: BM25.run" in differences(bench.collection, table, tmp_path)[1]


def test_every_number_of_a_report_recomputes_from_its_runs(
    swept: Path, few: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ir_measures")
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    from recompute import differences_of_report

    report = tmp_path / "report"
    words = ("reproduce", swept, "--collection", few, "--cache", cache, "--seeds", 2, "-o", report)
    assert run(*words).exit_code == 0
    assert "no runs" in differences_of_report(load_collection(str(few)), report)[1][0]
    assert run(*words, "--runs").exit_code == 0
    rows = json.loads((report / "sweep" / "rows.json").read_text(encoding="utf-8"))
    assert [len(row["runs"]) for row in rows] == [2, 2, 2, 1]
    assert {name.partition("rho=")[2].partition("-")[0] for row in rows[:3] for name in row["runs"]} == {
        "0.0",
        "0.01",
        "0.3",
    }
    assert [row["stamps"].get("seed") for row in rows] == [[0, 1]] * 3 + [None]
    count, different = differences_of_report(load_collection(str(few)), report)
    assert different == []
    assert count > 4 * 3 * 4  # rows, measures, queries
    table = report / "sweep" / "sweep.csv"
    cells = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    text = table.read_text(encoding="utf-8").replace(cells[1]["MAP"], "12.345678")
    table.write_text(text, encoding="utf-8")
    told = differences_of_report(load_collection(str(few)), report)[1]
    assert any(one.startswith("sweep.csv, line 2, MAP: 12.345678 in the table") for one in told)
    assert all(one.startswith("sweep.csv") for one in told)


@pytest.fixture
def swept(bench: Workbench, options: SystemOptions, tmp_path: Path) -> Path:
    """A sweep of rho, as a file."""
    path = tmp_path / "sweep.toml"
    path.write_text(
        f'title = "Sweep"\n[[rows]]\nsystem = "paper"\nencoder = "{options.encoder}"\nsize = 40\nrho = [0.0, 0.01, 0.3]\n'
        '[[rows]]\nsystem = "bm25"\n',
        encoding="utf-8",
    )
    return path


def test_a_table_has_a_column_for_each_setting_that_varies(bench: Workbench, swept: Path) -> None:
    pytest.importorskip("bm25s")
    result = run_experiment(load_definition(str(swept)), bench, "small")
    table = result.table
    place = table.columns.index("rho")
    assert [row[place] for row in table.rows] == ["0", "0.01", "0.3", "–"]
    assert "rho" in latex_table(table)
    assert [row["rho"] for row in csv.DictReader(table.csv().splitlines())] == ["0", "0.01", "0.3", "–"]
    told = {
        **surroundings(),
        "collection": "small",
        "queries": 4,
        "documents": 6,
        "passages": 18,
        "by": "passage",
        "seeds": [0],
        "encoders": bench.encoders(),
        "learned_from": "the collection itself",
    }
    text, _ = methods(result, told)
    assert "as published but for rho" in text
    assert "Sparse Coverage as published~" not in text
    sparse = next(one for one in result.rows.values() if one.variant.system == "paper")
    assert sparse.stamps["V"] == 40
    assert f"{sparse.stamps['spans']:,}" in " ".join(table.notes)
    assert f"$V={sparse.stamps['V']}$" in text
    assert sparse.stamps["code"] in text


def test_nothing_that_is_set_is_dropped_in_silence(cache: Path) -> None:
    refused = run("evaluate", "demo", "--cache", cache, "--system", "bm25", "--set", "alpha=3")
    assert "--set alpha means nothing to bm25" in str(refused.exception)
    with pytest.raises(InputError, match=r"bm25 does not read alpha. Its settings are: rank, k1, b"):
        Variant("bm25", alpha=3.0)
    with pytest.raises(InputError, match="There is no setting 'alhpa'"):
        Variant("paper", alhpa=3.0)
    with pytest.raises(InputError, match="object is no system"):
        Variant(object())  # type: ignore[arg-type]


def test_words_take_their_parameters(bench: Workbench) -> None:
    rows = evaluate(bench.collection, [Variant("bm25", k1=0.9, b=b) for b in (0.4, 0.75)], "MAP", bench=bench).rows
    assert list(rows) == ["bm25 k1=0.9 b=0.4", "bm25 k1=0.9 b=0.75"]
    with pytest.raises(InputError, match="at most 1"):
        Variant("bm25", b=2)


def test_a_measure_that_was_not_measured_is_an_error(bench: Workbench) -> None:
    found = evaluate(bench.collection, "bm25", "map", bench=bench)
    assert found.values("ap").keys() == {"bm25"}  # another name of it
    for ask in (found.values, found.compare, lambda measure: found.plot("x", measure)):
        with pytest.raises(InputError, match=r"R@5 was not measured: choose one of MAP"):
            ask("R@5")
    with pytest.raises(InputError, match="must name one row"):
        found.compare("MAP", against="nobody")
    for wrong in ({"seeds": 0}, {"depth": 0}):
        with pytest.raises(InputError, match="must be at least 1"):
            evaluate(bench.collection, "bm25", "MAP", bench=bench, **wrong)


def test_what_was_really_used_is_stamped(bench: Workbench, options: SystemOptions) -> None:
    results = evaluate(bench.collection, {"mine": Variant("paper", encoder=options.encoder)}, ["MAP"], bench=bench)
    stamps = results.rows["mine"].stamps
    assert stamps.keys() >= {"V", "spans", "precision", "weights", "seed", "code"}
    assert 0 < stamps["V"] < stamps["spans"]  # the size was not given
    again = evaluate(bench.collection, {"mine": Variant("paper", encoder=options.encoder)}, ["MAP"], bench=bench)
    assert again.rows["mine"].stamps == stamps  # kept with the result


def test_every_setting_may_be_repeated_and_any_other_option_says_that_it_may_not(cache: Path) -> None:
    refused = run("evaluate", "demo", "--cache", cache, "--seed", 1, "--seed", 2)
    assert "--seed may be given once only" in str(refused.exception)
    planned = run(
        "evaluate",
        "demo",
        "--cache",
        cache,
        "--system",
        "bm25",
        "--set",
        "rank=best",
        "--set",
        "rank=top-mean:3",
        "--json",
    )
    assert list(output(planned)["systems"]) == ["bm25 rank=best", "bm25 rank=top-mean:3"]


def test_the_printed_command_keeps_the_brackets_of_a_unit(tmp_path: Path, tiny_checkpoint: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        f'[[rows]]\nsystem = "paper"\nencoder = "{tiny_checkpoint}"\nunit = "np[spacy]"\n', encoding="utf-8"
    )
    shown = run("reproduce", path, "--collection", "demo", "--cache", tmp_path, "--dry-run")
    assert "np[spacy]" in shown.output


def test_measures_can_be_chosen_in_reproduce_and_in_the_file(tmp_path: Path, cache: Path) -> None:
    pytest.importorskip("bm25s")
    path = tmp_path / "own.toml"
    path.write_text('measures = ["P@5"]\n[[rows]]\nsystem = "bm25"\n', encoding="utf-8")
    run("reproduce", path, "--cache", cache, "-o", tmp_path / "one")
    assert "P@5" in (tmp_path / "one" / "own" / "own.csv").read_text(encoding="utf-8")
    run("reproduce", path, "--cache", cache, "-o", tmp_path / "two", "--measure", "MRR")
    assert (tmp_path / "two" / "own" / "own.csv").read_text(encoding="utf-8").splitlines()[0].count("MRR") >= 1


def test_tables_have_no_empty_columns_and_long_ones_go_over_several_pages() -> None:
    short = Table("t", "t", ("Topic", "MAP"), (("a", TableCell(1.0)), ("b", TableCell(2.0))))
    assert short.csv() == "Topic,MAP\na,1.0\nb,2.0\n"
    long = Table("t", "t", ("Topic", "MAP"), tuple((str(n), TableCell(float(n))) for n in range(LONG + 1)))
    text = latex_table(long)
    assert "\\begin{longtable}" in text
    assert text.index("\\endfirsthead") < text.index("\\endhead") < text.index("0 & 0.00")
    assert "longtable" not in latex_table(short)


def test_nothing_is_bold_that_says_nothing_and_no_number_is_broken_at_80_columns(cache: Path) -> None:
    pytest.importorskip("bm25s")
    found = evaluate(load_collection("demo"), ["bm25", Variant("bm25", rank="top-mean:3")], cache=cache)
    assert found.says_nothing("R@100")  # there are 68 documents
    assert found.says_nothing("PassageR@1000")  # and 913 passages
    assert not found.says_nothing("MAP")
    assert 1 not in found.table().best
    shown = run(
        "evaluate",
        "demo",
        "--cache",
        cache,
        "--system",
        "bm25",
        "--set",
        "rank=best",
        "--set",
        "rank=top-mean:2",
    )
    low, high = (
        f"{100 * found.rows['bm25'].interval('MAP').low:.1f}",
        f"{100 * found.rows['bm25'].interval('MAP').high:.1f}",
    )
    assert f"{low}-{high}" in shown.output


class Backwards:
    """Turns the order around."""

    def rerank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        assert all(isinstance(passage, PassageHit) and passage.text for hit in hits for passage in hit.passages)
        return list(reversed(hits))


def test_evaluation_from_python_takes_objects_and_gives_arrays(
    bench: Workbench, options: SystemOptions, tmp_path: Path
) -> None:
    pytest.importorskip("bm25s")
    systems = {
        "words": "bm25",
        "mine": Variant("paper", encoder=bench.encoder(options.encoder), size=40),
        "turned": Variant("bm25", rerank=Backwards(), top=3),
        "object": bench.index(options),
    }
    results = evaluate(bench.collection, systems, ["MAP", "R@1"], bench=bench, against="words")
    assert list(results.rows) == list(systems)
    values = results.values("MAP")
    assert all(isinstance(one, np.ndarray) and one.shape == (4,) for one in values.values())
    assert values["turned"].mean() < values["words"].mean() == 1.0
    assert {one.first for one in results.compare("MAP")} == {"words"}
    tested = {one.second: one.p_holm for one in results.compare("MAP")}
    assert {str(row[0]): row[1].p for row in results.table().rows} == {"words": None, **tested}  # type: ignore[union-attr]
    assert any("† differs from words" in note for note in results.table().notes)
    half = results.only(results.queries[:2])
    assert half.values("MAP")["mine"].shape == (2,)
    with pytest.raises(InputError, match="no judged query"):
        results.only(["nobody"])
    with pytest.raises(InputError, match="Two rows are called 'bm25'"):
        evaluate(bench.collection, ["bm25", "bm25"], ["MAP"], bench=bench)
    assert "words" in results.table().markdown() == str(results.table()) == repr(results)
    with pytest.raises(InputError, match="nothing to evaluate"):
        evaluate(bench.collection, [], bench=bench)
    pytest.importorskip("matplotlib")
    assert {path.suffix for path in results.plot(tmp_path / "map", "MAP")} == {".pdf", ".svg", ".png"}


class Named:
    """An encoder under another name, with weights of its own."""

    def __init__(self, inner: Encoder, name: str, fingerprint: str) -> None:
        self._inner, self.name, self.fingerprint = inner, name, fingerprint
        self.precision, self.dimension = inner.precision, inner.dimension

    def tokenize(self, text: str) -> Tokens:
        return self._inner.tokenize(text)

    def encode(self, texts: Iterable[str]) -> Iterator[TokenVectors]:
        return self._inner.encode(texts)


class Every(SpanUnit):
    """Every so-manieth token is a span."""

    name = "every"

    def __init__(self, step: int = 1) -> None:
        self.step = step

    def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
        first = np.arange(0, len(places.lexical), self.step)
        return first, first + 1


def test_objects_of_one_name_are_not_taken_for_each_other(bench: Workbench, options: SystemOptions) -> None:
    inner = bench.encoder(options.encoder)
    first, second = Named(inner, "mine", "a"), Named(inner, "mine", "b")
    pairs: list[tuple[str, object, object]] = [
        ("encoder", first, second),
        ("encoder", "mine", second),
        ("unit", Every(1), Every(2)),
    ]
    for kind, one, other in pairs:
        rows = {"one": Variant("paper", size=20, **{kind: one}), "two": Variant("paper", size=20, **{kind: other})}
        with pytest.raises(InputError, match=f"Two {kind}s are called '"):
            evaluate(bench.collection, rows, "MAP", bench=bench)
    taken = Every()
    taken.name = "token"
    with pytest.raises(InputError, match="Two units are called 'token'"):
        evaluate(bench.collection, Variant("paper", unit=taken), "MAP", bench=bench)
    assert bench.use(first) == "mine"
    with pytest.raises(InputError, match="Two encoders are called 'mine'"):
        bench.use(second)


def test_a_unit_that_was_changed_is_measured_anew(tiny_checkpoint: Path, tmp_path: Path) -> None:
    class Fewer(Every):
        def runs(self, text: str, places: TokenPlaces) -> tuple[Indices, Indices]:
            first = np.arange(0, len(places.lexical), 3)
            return first, first + 1

    def spans(unit: SpanUnit) -> int:
        row = Variant("paper", encoder=str(tiny_checkpoint), size=20, unit=unit)
        found: int = evaluate(small_collection(), {"mine": row}, "MAP", cache=tmp_path).rows["mine"].stamps["spans"]
        return found

    assert spans(Every(1)) > spans(Every(2)) > spans(Fewer(1))  # all are called "every"
    assert unit_key(Every(1)) == unit_key(Every(1))
    with pytest.raises(InputError, match="no span unit 'every'"):  # it was known to the evaluation alone
        get_unit("every")


def test_a_figure_keeps_the_points_of_its_name(bench: Workbench, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = evaluate(bench.collection, "bm25", "MAP", bench=bench)
    drawn = found.plot(tmp_path / "rho=0.1", "MAP") + found.plot(tmp_path / "map.pdf", "MAP")
    assert {path.name for path in drawn} == {f"{n}.{s}" for n in ("rho=0.1", "map") for s in ("pdf", "svg", "png")}


def test_all_values_as_a_frame(tmp_path: Path) -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = evaluate(small_collection(), ["bm25"], ["MAP"], cache=tmp_path).frame()
    assert list(frame.columns) == ["MAP"]
    assert len(frame) == 4


def test_a_sweep_is_tuned_on_one_part_and_reported_on_the_other(
    bench: Workbench, options: SystemOptions, tmp_path: Path
) -> None:
    path = tmp_path / "sweep.toml"
    rows = (
        f'[[rows]]\nsystem = "paper"\nencoder = "{options.encoder}"\nsize = 40\nrho = [0.0, 0.3]\nalpha = [1.0, 2.0]\n'
    )
    path.write_text(
        f'measures = ["MAP", "R@1"]\n[split]\ntuned = ["q0", "q1"]\nmeasure = "MAP"\n{rows}', encoding="utf-8"
    )
    result = run_experiment(load_definition(str(path)), bench, "small")
    assert result.table.columns == ("System", "alpha", "rho", "MAP tuned", "MAP held out", "R@1 held out", "Best")
    assert [row[-1] for row in result.table.rows].count("★") == 1
    [best] = [row for row in result.table.rows if row[-1] == "★"]
    assert isinstance(best[-3], TableCell)
    told = result.table.notes[1]
    assert f"it has {best[-3].ours:.2f}" in told
    first = next(iter(result.rows.values()))
    assert first is not None
    tuned, held, recall = result.table.rows[0][-4:-1]
    values = first.values["MAP"]
    assert isinstance(recall, TableCell)
    assert recall.ours == pytest.approx(50 * (first.values["R@1"]["q2"] + first.values["R@1"]["q3"]))
    assert isinstance(tuned, TableCell)
    assert isinstance(held, TableCell)
    assert tuned.ours == pytest.approx(50 * (values["q0"] + values["q1"]))
    assert held.ours == pytest.approx(50 * (values["q2"] + values["q3"]))
    pytest.importorskip("matplotlib")
    drawn = {path.stem for draw in result.figures for path in draw(tmp_path / "figures")}
    assert drawn == {"effect-of-alpha", "effect-of-rho"}
    for wrong in ("tuned = 2.0", "nobody = 1", 'measure = "P@3"'):
        path.write_text(f'measures = ["MAP"]\n[split]\n{wrong}\n{rows}', encoding="utf-8")
        with pytest.raises(InputError, match=r"split|tuned"):
            run_experiment(load_definition(str(path)), bench, "small")


def test_as_published_is_the_letter_of_the_paper_in_one_switch(tmp_path: Path, tiny_checkpoint: Path) -> None:
    means = Means(CollectionOptions(25_000, 0, tmp_path), ("epo/",), None, None, as_published=True)
    assert (means.reading.ancestors, means.reading.by) == ("independent", "title+paragraph")
    assert (means.years, means.with_text, means.max_documents) == ("2000-2010", True, 300_000)
    assert means.units(["token"]) == ("all-tokens",)
    plain = Means(CollectionOptions(25_000, 0, tmp_path), ("epo/",), None, None)
    assert (plain.reading.ancestors, plain.years, plain.units(["token"])) == ("all", "", ("token",))
    shown = run("reproduce", "main", "--cache", tmp_path, "--encoder", tiny_checkpoint, "--as-published", "--dry-run")
    assert "--unit all-tokens" in shown.output
    assert "--as-published" in shown.output
    text = "A valve, comprising: a spring."
    tokens = load_encoder(str(tiny_checkpoint)).tokenize(text)
    every, words = (get_unit(name).locate(text, tokens) for name in ("all-tokens", "token"))
    assert len(every[0]) == len(tokens) > len(words[0])  # commas and colons are spans too

"""Parts that belong together: answers of a service, tables of one source, and metadata beside full texts."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from sparse_coverage.cli.patents import inspect_command as command
from sparse_coverage.patents import Patent, Problem, read_patents

EXPORTS = Path(__file__).parent / "exports"


def test_the_answers_for_one_publication_become_one_document() -> None:
    parts = [EXPORTS / f"ops-{name}.xml" for name in ("search", "claims", "description", "biblio")]
    whole, other = read_patents(parts)
    assert (whole.id, whole.title, whole.language) == ("EP-1234567-A1", "Quiet valve", "en")
    assert [claim.number for claim in whole.claims] == [1, 2]
    assert [(p.number, p.text) for p in whole.description] == [
        ("0001", "Valves are loud."),
        ("0002", "This one is quiet."),
    ]
    assert whole.ipc == ("F16K 31/06",)
    assert other.id == "WO-2020086066-A1"


def test_the_tables_of_patentsview_become_one_document(tmp_path: Path) -> None:
    tables = {
        "g_claims.tsv": "patent_id\tclaim_sequence\tclaim_text\n6543210\t1\t2. The pump of claim 1.\n6543210\t0\t1. A pump.\n",
        "g_patent.tsv": "patent_id\tpatent_title\tpatent_date\twipo_kind\n6543210\tPump\t2003-04-08\tB2\n",
        "g_patent_abstract.tsv": "patent_id\tpatent_abstract\n6543210\tIt lifts.\n",
    }
    for name, content in tables.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    [patent] = read_patents(tmp_path)
    assert (patent.id, patent.title, patent.abstract[0].text) == ("US-6543210-B2", "Pump", "It lifts.")
    assert [(c.number, c.text, c.depends_on) for c in patent.claims] == [
        (1, "A pump.", ()),
        (2, "The pump of claim 1.", (1,)),
    ]
    assert len({claim.xpath for claim in patent.claims}) == 2


def records(path: Path, *wanted: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in wanted), encoding="utf-8")
    return path


def test_a_table_of_metadata_fills_in_what_is_lacking_and_counts_what_did_not_match(tmp_path: Path) -> None:
    texts = records(
        tmp_path / "texts.jsonl", {"id": "EP-1234567-A1", "description": "Loud."}, {"id": "EP-7654321-A1", "title": "t"}
    )
    table = tmp_path / "list.csv"
    table.write_text(
        "Publication Number;Title;Publication Date;IPC\nEP 1 234 567;Valve;20.11.2002;F16K 31/06\nUS6543210B2;Pump;;\n",
        encoding="utf-8",
    )
    notes: list[Problem] = []
    found: list[Patent] = list(read_patents(texts, metadata=table, on_note=notes.append))
    assert [(p.id, p.title, p.publication_date, p.ipc) for p in found] == [
        ("EP-1234567-A1", "Valve", "2002-11-20", ("F16K 31/06",)),
        ("EP-7654321-A1", "t", "", ()),
    ]
    told = "metadata: 1 documents matched, 1 have none, 1 rows belong to no document (US-6543210-B2)"
    assert notes[-1].cause == told
    shown = CliRunner().invoke(command, [str(texts), "--metadata", str(table), "--json"])
    assert told in shown.stderr
    assert json.loads(shown.stdout)["years"] == {"2002": 1, "unknown": 1}


def test_all_rows_of_all_tables_of_patentsview_come_together(tmp_path: Path) -> None:
    tables = {
        "g_brf_sum_text.tsv": "patent_id\tsummary_text\n10000000\tA summary.\n",
        "g_claims.tsv": "patent_id\tclaim_sequence\tclaim_text\n10000000\t0\tA laser.\n10000000\t1\tThe laser of claim 1.\n",
        "g_cpc.tsv": "patent_id\tcpc_group\n10000000\tG01S7/493\n10000000\tG01S17/89\n",
        "g_detail_desc_text.tsv": "patent_id\tdescription_text\n10000000\tIn detail.\n",
        "g_patent.tsv": "patent_id\tpatent_title\twipo_kind\n10000000\tLaser\tB2\n",
        "g_us_patent_citation.tsv": "patent_id\tcitation_sequence\tcitation_patent_id\n10000000\t0\t5093563\n10000000\t1\t5751830\n",
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (patent,) = read_patents(tmp_path)
    assert (patent.id, patent.title) == ("US-10000000-B2", "Laser")
    assert [(claim.number, claim.text, claim.depends_on) for claim in patent.claims] == [
        (1, "A laser.", ()),
        (2, "The laser of claim 1.", (1,)),
    ]
    assert [(one.text, one.xpath[-4:]) for one in patent.description] == [
        ("A summary.", "p[1]"),
        ("In detail.", "p[2]"),
    ]
    assert patent.cpc == ("G01S 7/493", "G01S 17/89")
    assert patent.citations == ("US-5093563", "US-5751830")

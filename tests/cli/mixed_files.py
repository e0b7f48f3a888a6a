"""A folder as users have them: patents as XML, JSON lines, CSV, Word and PDF, and a scan without text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

XML = """<?xml version="1.0" encoding="UTF-8"?>
<patent-document ucid="EP-1000001-A1" country="EP" doc-number="1000001" kind="A1" lang="EN" date="19990317" family-id="77">
<bibliographic-data><technical-data><classifications-ipcr><classification-ipcr>F16K  31/06</classification-ipcr>
</classifications-ipcr><invention-title lang="EN">Valve with a plunger</invention-title></technical-data></bibliographic-data>
<abstract lang="EN"><p>A valve with a plunger that is biased by a spring.</p></abstract>
<description lang="EN">
<p num="0001">The invention relates to valves in general, as they are used in the brakes of vehicles and in household machines of
every kind, where water or another fluid is to be shut off for a time and let through again afterwards, by hand or otherwise.</p>
<p num="0002">Many valves are loud, because their closing member strikes the seat. They are also heavy, since a coil is needed
to lift the member. Rubber and oil have been proposed against the noise, and electronics that lower the current early, but
what they cost is rarely repaid by the comfort of those who live beside the machine or drive the vehicle. Here the
plunger is biased by a spring against the valve seat, and a chamber damps its last millimetre.</p>
</description>
<claims lang="EN">
<claim num="1"><claim-text>A valve comprising a plunger, a spring that biases the plunger, and a valve seat.</claim-text></claim>
<claim num="2"><claim-text>The valve of claim 1, wherein a damping chamber slows the plunger.</claim-text></claim>
<claim num="3"><claim-text>A pump comprising a housing and a rotor.</claim-text></claim>
<claim num="4"><claim-text>The valve of claim 2, wherein the chamber is filled with oil.</claim-text></claim>
</claims></patent-document>
"""
RECORDS = (
    {
        "id": "EP 1000002 A1", "title": "Pump housing", "abstract": "A pump housing with a sensor for the noise of the pump.",
        "publication_date": "2001-05-17", "ipc": ["F04B 39/00"], "lang": "en",
    },
    {
        "id": "US 2003/0012345 A1", "title": "Rubber device", "abstract": "Rubber wherein the rubber is vulcanised at 150 degrees.",
        "claims": ["A rubber device.", "The device of claim 1, vulcanised."], "lang": "en",
    },
)  # fmt: skip
TABLE = "Publication Number;Title;Abstract;Date\nEP 1000003 B1;Seal;A plunger biased by a spring seals the pump.;01.02.2004\n"
PAGES = (
    "EP 1 000 005 A1", "DESCRIPTION", "[0001] A lamp with a reflector, a socket and a switch that is built into the handle of",
    "the lamp.", "[0002] The switch is closed by a spring.", "CLAIMS", "1. A lamp comprising a reflector and a socket.",
    "2. The lamp of claim 1, comprising a switch in the handle.",
)  # fmt: skip


def text_pdf(lines: tuple[str, ...], placed: Sequence[tuple[int, int, str]] = ()) -> bytes:
    """Return a PDF of one page with these lines; without any, a page as blank as a scan is to a reader of text.

    `placed` are texts at places of their own, counted from the lower left corner.
    """
    shown = "".join(f"({line.replace('(', '').replace(')', '')}) Tj T* " for line in lines)
    others = "".join(f" BT /F1 9 Tf {left} {up} Td ({text}) Tj ET" for left, up, text in placed)
    stream = f"BT /F1 9 Tf 12 TL 40 800 Td {shown}ET{others}".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(objects) + 1, len(content)
    return content + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, start,
    )  # fmt: skip


def write_word_file(path: Path) -> None:
    """Write a Word file whose claims are numbered by Word itself."""
    import docx

    document = docx.Document()
    document.add_heading("Headset with a microphone", 0)
    document.add_paragraph("[0001] Noise is reduced in a headset by means of a microphone and a filter.")
    document.add_heading("Claims", 1)
    document.add_paragraph("A headset comprising a microphone and a filter.", style="List Number")
    document.add_paragraph("The headset of claim 1, wherein the filter is adaptive.", style="List Number")
    document.save(str(path))


def write_mixed_folder(folder: Path) -> Path:
    """Write all of them into a new folder."""
    folder.mkdir()
    (folder / "a.xml").write_text(XML, encoding="utf-8")
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    (folder / "b.jsonl").write_text(lines, encoding="utf-8")
    (folder / "c.csv").write_text(TABLE, encoding="utf-8")
    write_word_file(folder / "WO 2001 012345 A1.docx")
    (folder / "EP1000005A1.pdf").write_bytes(text_pdf(PAGES))
    (folder / "scan.pdf").write_bytes(text_pdf(()))
    return folder

"""Ten thousand damaged files: patents or problems come out, nothing else."""

import io
import random

from sparse_coverage.patents import Patent, Problem, passages
from sparse_coverage.patents.readers.records import to_record
from sparse_coverage.patents.readers.xml_documents import split_documents
from sparse_coverage.patents.reading.context import Limits, Piece, Settings
from sparse_coverage.patents.reading.read import PieceToRead, carry_out

FILES = 10_000
SEED = 20130901
SNIPPETS = [
    b"<", b">", b"&", b"&#0;", b"&#xD800;", b"&lt;", b"]]>", b"<![CDATA[", b"<!--", b"-->", b"<?xml version='1.0'?>", b"<?pi",
    b'<!DOCTYPE a [<!ENTITY b "c">]>', b"<!ENTITY", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b'"', b"'", b"<p>", b"</p>",
    b"<p/>", b'<claim num="99999999999999999999">', b'<claim num="-1">', b"</claim>", b"<claims>", b'lang="xx"', b'xmlns="u:v"',
    b"<x:y xmlns:x='z'/>", b"claims 1 to 9999", b"any preceding claim", b"19999999", b"<sup>\xe2\x81\xbb</sup>", b"<math><mfrac/></math>",
    b"encoding='utf-7'", b"encoding='nonsense'", b"99/99/99", b"<number>", b"<B541>", b"</SDOBI>", b"\n" * 50, b"<b>" * 300,
]  # fmt: skip


def mutate(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        place = chance.randrange(len(data) + 1)
        length = chance.choice([0, 1, 1, 5, 30, 200])
        kind = chance.randrange(6)
        if kind == 0:
            data[place : place + length] = b""
        elif kind == 1:
            data[place:place] = chance.choice(SNIPPETS)
        elif kind == 2:
            data[place : place + length] = chance.randbytes(length)
        elif kind == 3:
            other = chance.randrange(len(data) + 1)
            data[place:place] = data[other : other + length * 3]
        elif kind == 4:
            data[place : place + length] = chance.choice(SNIPPETS)
        else:
            data = data[:place] if chance.random() < 0.2 else data
    return bytes(data)


def test_mutated_files_give_patents_or_problems_and_nothing_else(xml_samples):
    chance = random.Random(SEED)
    samples = [content.encode() for content in xml_samples.values()]
    limits = Limits()
    patents = problems = 0
    for number in range(FILES):
        content = mutate(chance.choice(samples), chance)
        for piece in split_documents(io.BytesIO(content), limits.document_bytes, 512):
            assert isinstance(piece, Piece)
            outcome = carry_out(
                PieceToRead(f"{number}.xml", "xml", piece), Settings(chance.choice(["en", "any", "de"]))
            )
            if outcome.patent is None:
                problems += 1
                assert isinstance(outcome.problem, Problem)
                assert outcome.problem.line >= 1
                assert outcome.problem.cause
            else:
                patents += 1
                assert isinstance(outcome.patent, Patent)
                ids = [passage.id for passage in passages(outcome.patent)]
                assert ids
                assert len(set(ids)) == len(ids)
                assert to_record(outcome.patent)["id"] == outcome.patent.id
    # The mutations are neither all harmless nor all fatal, so both ways are tried.
    assert patents > FILES // 10
    assert problems > FILES // 10

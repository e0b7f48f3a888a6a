"""What a patent has in several languages is one document, found in each of them."""

from __future__ import annotations

from pathlib import Path

from hash_encoder import HashEncoder

from sparse_coverage import Index, SparseCoverage
from sparse_coverage.patents import Patent
from sparse_coverage.patents.patent import Claim, in_other_language
from sparse_coverage.search.stored import stored_patent


def claim(text: str) -> Claim:
    return Claim(1, text, "/patent-document/claims/claim[1]")


GRANT = Patent(
    "EP-1-B1",
    claims=(claim("A valve comprising a plunger that is biased by a spring."),),
    language="en",
    translations=(
        *in_other_language("claims", "de", [claim("Ventil mit einem Kolben, der durch eine Feder belastet ist.")]),
        *in_other_language("claims", "fr", [claim("Soupape comprenant un piston chargé par un ressort de rappel.")]),
    ),
)
OTHER = Patent("EP-2-B1", claims=(claim("A pump with a rotor that has blades of rubber."),), language="en")


def test_a_grant_is_found_in_each_of_its_languages_and_kept_whole(tmp_path: Path) -> None:
    model = SparseCoverage.fit([GRANT, OTHER], encoder=HashEncoder(), size=8)
    index = Index.build(tmp_path / "index", model, [GRANT, OTHER])
    words = index.ranked_by("words")
    for query, place in (
        ("das Ventil und die Kolben mit den Federn", "claims-de/claim[1]"),
        ("les soupapes et les pistons avec des ressorts", "claims-fr/claim[1]"),
        ("the valves and the plungers of the springs", "claims/claim[1]"),
    ):
        [best] = words.search(query, 1)
        assert (best.document, best.passages[0].id) == (GRANT.id, f"{GRANT.id}/{place}"), query
    kept = stored_patent(index.store, 0)
    assert (kept.claims, kept.translations) == (GRANT.claims, GRANT.translations)
    assert kept.description == ()

"""A text may end without a full stop, as titles do: its last phrase is found all the same."""

from __future__ import annotations

import pytest

TITLES = """
treatment of type 2 diabetes
both ends
Apparatus for distribution of a gas into a body of liquid
Carrying bag with solar cell and lighting
Air bubble generator having enlarged exhaust nozzles
Removal of perchlorate with ion exchange resins
Bioreactor for tissue growth and conditioning
Effluent treatment processes
Sludge treatment prior to digestion
Self-cleaning filter system for aqua-culture
Plate for minimizing off-gassing
Fermentation of hydrolysed substrates
Water purifier with UV lamp and adsorbent
Regeneration of used coagulant
Talaromyces xylanases
Method for cutting fluids using ultrasound
Alumina catalyst
METHOD FOR TREATING TEXTILES
METHOD AND APPARATUS FOR CONTROLLING A PUMP
Filter press and method of operating same
Wiring pattern inspected in parallel
Portable battery unit and inverter circuit
Reduction of membrane fouling
Method of drying organic liquid electrolytes
Seat belt buckle and process therefor
Lactam antibiotics and use thereof
Image sensor, camera and vehicle
Antenna array of a mobile terminal
Nucleic acid encoding an interleukin-6 receptor
Device housing (10)
Valve according to claim 1
Robot arm gripping objects
""".strip().splitlines()


@pytest.mark.parametrize("title", TITLES)
def test_a_full_stop_at_the_end_changes_no_phrase(phrases, title):
    assert phrases(title) == phrases(f"{title}.")


@pytest.mark.parametrize("title", TITLES)
def test_a_blank_line_ends_a_sentence_as_a_full_stop_does(phrases, title):
    assert phrases(f"{title}\n\nA drum turns.") == phrases(f"{title}. A drum turns.")


@pytest.mark.parametrize(
    ("title", "last"),
    [
        ("treatment of type 2 diabetes", "type 2 diabetes"),
        ("both ends", "ends"),
        ("Removal of perchlorate with ion exchange resins", "ion exchange resins"),
        ("Sludge treatment prior to digestion", "digestion"),
        ("Seat belt buckle and process therefor", "process"),
    ],
)
def test_the_last_phrase_of_a_title_is_whole(phrases, title, last):
    assert phrases(title)[-1] == last

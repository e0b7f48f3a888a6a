from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.text import NAMES, guess_language

CLAIMS = {
    "en": "A valve comprising a housing and a plunger, wherein the plunger is biased by a spring and moves in the housing.",
    "de": "Ventil mit einem Gehäuse und einem Kolben, wobei der Kolben durch eine Feder belastet ist und sich in dem Gehäuse bewegt.",
    "fr": "Soupape comprenant un boîtier et un piston, caractérisée en ce que le piston est sollicité par un ressort dans le boîtier.",
    "es": "Válvula que comprende una carcasa y un émbolo, caracterizada porque el émbolo es empujado por un muelle en la carcasa.",
    "it": "Valvola che comprende un alloggiamento e un pistone, in cui il pistone è spinto da una molla della valvola.",
    "nl": "Klep met een behuizing en een zuiger, waarbij de zuiger door een veer wordt belast en zich in het ventiel beweegt.",
    "pt": "Válvula que compreende uma carcaça e um êmbolo, caracterizado pelo fato de que o êmbolo é empurrado por uma mola na carcaça.",
    "ja": "ばねによって付勢されたプランジャを備える弁であって、前記プランジャがハウジング内を移動する弁。",
    "zh": "一种阀门，包括壳体和柱塞，其特征在于所述柱塞由弹簧偏置并在壳体内移动。",
    "ko": "스프링에 의해 편향된 플런저를 포함하는 밸브로서, 상기 플런저는 하우징 내에서 이동하는 밸브.",
    "ru": "Клапан, содержащий корпус и плунжер, отличающийся тем, что плунжер поджат пружиной и перемещается в корпусе.",
}


@pytest.mark.parametrize("language", NAMES)
def test_the_language_of_a_claim(language: str) -> None:
    assert guess_language(CLAIMS[language]) == language


@pytest.mark.parametrize(
    "text", ["", "solenoid valve", "1 2 3", "Ventil", "H2O CO2 NaCl", "polyethylene glycol 400 stearate"]
)
def test_in_doubt_nothing_is_told(text: str) -> None:
    assert guess_language(text) == ""


@given(st.text())
def test_any_text_has_a_known_language_or_none(text: str) -> None:
    assert guess_language(text) in {"", *NAMES}

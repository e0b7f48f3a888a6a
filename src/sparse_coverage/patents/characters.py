"""Characters that patents name or raise. No DTD is ever loaded, so the names of characters are resolved here.

HTML 5 took over nearly all ISO 8879 names (`alpha`, `plus`, `frac15`). What it lacks is the ISO alphabet for Greek text
(`agr`, `Dgr`), which USPTO files up to 2004 use.
"""

from __future__ import annotations

import html.entities

SUPERSCRIPTS = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
"""To be used with `str.translate` on text of nothing but these characters."""

_GREEK_NAMES = (
    "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr khgr psgr ohgr"
)


def _greek_letters() -> dict[str, str]:
    """Name the Greek letters in alphabetical order, as Unicode has them (final sigma before sigma)."""
    letters = {}
    for offset, name in enumerate(_GREEK_NAMES.split()):
        letters[name] = chr(0x3B1 + offset)
        if name != "sfgr":
            # `THgr` and `EEgr`: the capital names write every letter before `gr` in capitals.
            letters[name[:-2].upper() + "gr"] = chr(0x391 + offset)
    return letters


_CHARACTERS = {name[:-1]: text for name, text in html.entities.html5.items() if name.endswith(";")} | _greek_letters()


def entity_text(name: str) -> str:
    """Return the character that an entity names; an unknown name stays as it was written, so that nothing is lost.

    >>> entity_text("Dgr") + entity_text("frac12") + entity_text("unheard-of")
    'Δ½&unheard-of;'
    """
    return _CHARACTERS.get(name, f"&{name};")

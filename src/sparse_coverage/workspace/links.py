"""Where the publication of a number can be read in public: Espacenet and Google Patents."""

from __future__ import annotations

import re

from sparse_coverage.patents.numbers import parse_number

_US_APPLICATION = re.compile(r"((?:19|20)\d{2})0(\d{6})")


def public_links(id_: str) -> dict[str, str]:
    """Return the addresses of a publication by the names of the sites; none for an id that is no publication number.

    >>> public_links("EP-0049154-A1")["Google Patents"]
    'https://patents.google.com/patent/EP0049154A1'
    >>> public_links("US-20230007979-A1")["Espacenet"]
    'https://worldwide.espacenet.com/patent/search?q=pn%3DUS2023007979A1'
    >>> public_links("cranfield-17")
    {}
    """
    found = parse_number(id_)
    if found is None:
        return {}
    # Espacenet writes applications of the United States with six digits behind the year.
    number = _US_APPLICATION.sub(r"\1\2", found.number) if found.country == "US" else found.number
    return {
        "Espacenet": f"https://worldwide.espacenet.com/patent/search?q=pn%3D{found.country}{number}{found.kind}",
        "Google Patents": f"https://patents.google.com/patent/{found.country}{found.number}{found.kind}",
    }

"""Units of measure and of counting: what follows a quantity, and never the number of a claim or of a part in a drawing."""

from __future__ import annotations

import re

# To be matched where the number ends, on lower-case text.
UNIT = re.compile(
    r"""\s*-?(?:mm|cm|dm|km|m|[µμu]m|nm|pm|inch(?:es)?|feet|foot|ft|mils?|ml|[µμu]l|l|cl|dl|lit(?:er|re)s?|g|kg|mg|[µμ]g|ng
        |tons?|s|ms|ns|[µμ]s|secs?|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|[kmg]?hz|volts?|[mk]?v
        |amps?|amperes?|watts?|[mk]?w|ohms?|degrees?|celsius|kelvin|percent|per\s+cent|wt|vol|m?mol|moles?|ppm|ppb|m?bars?
        |[kmgh]?pa|psi|newtons?|[kmg]?bits?|[kmg]?bytes?|[kmg]b|db|dpi|rpm|times|fold|parts?|carbon|atoms?|layers?
        |prozent|stunden?|tage|minuten|sekunden|teile|heures?|jours?|fois)\b | \s*[%°‰å]
        | \s+(?:or\s+(?:more|fewer|less|greater|higher)(?!\s+\w+ly\b)|oder\s+mehr|ou\s+plus)\b""",
    re.X,
)

"""The figures of the method's page, drawn from the method itself, on points of the plane in the place of span vectors."""

from __future__ import annotations

import math
import random
from xml.sax.saxutils import escape

Point = tuple[float, float]
INK, GREY, PAPER, CENTER, QUERY, FOUND = "#111827", "#6b7280", "#fbfaf7", "#b45309", "#1d4ed8", "#047857"
_CLUSTERS = ((70, 80, 16), (150, 60, 12), (120, 150, 20), (205, 150, 14), (55, 205, 11), (190, 225, 16))


def drawings() -> dict[str, str]:
    """Return the figures by their file names."""
    return {
        "images/method-spans.svg": spans(),
        "images/method-centers.svg": centers(),
        "images/method-activation.svg": activation(),
        "images/method-score.svg": score(),
    }


def spans() -> str:
    """A claim cut into spans, by token and by noun phrase."""
    words = ["A", "washing", "machine", "comprising", "a", "rotating", "drum"]
    phrases = {1: 2, 5: 2}  # where a noun phrase begins, and how many words it has
    parts, x = [], 150.0
    places = []
    for word in words:
        width = 11 + 8.6 * len(word)
        places.append((x, width))
        parts += [_box(x, 34, width, 30, "#eaf1f6"), _text(x + width / 2, 54, word)]
        x += width + 8
    for first, count in phrases.items():
        start = places[first][0]
        end = places[first + count - 1][0] + places[first + count - 1][1]
        parts += [
            _box(start, 92, end - start, 30, "#ffe8a3"),
            _text((start + end) / 2, 112, " ".join(words[first : first + count])),
        ]
    for place, (start, width) in enumerate(places):
        if place not in {1, 2, 5, 6}:
            parts += [_box(start, 150, width, 30, "#eaf1f6"), _text(start + width / 2, 170, words[place])]
    for first, count in phrases.items():
        start = places[first][0]
        end = places[first + count - 1][0] + places[first + count - 1][1]
        parts += [
            _box(start, 150, end - start, 30, "#ffe8a3"),
            _text((start + end) / 2, 170, " ".join(words[first : first + count])),
        ]
    for y, unit in ((54, "token"), (112, "np"), (170, "np+token")):
        parts.append(_text(30, y, unit, anchor="start", color=GREY))
    return _svg(740, 205, "A claim cut into spans: by token, by noun phrase, and both", parts)


def centers() -> str:
    """Farthest-first: three moments of the traversal, the same sequence each time."""
    points = _cloud()
    chosen = farthest_first(points, 14)
    parts = []
    for panel, count in enumerate((2, 6, 14)):
        left = 20 + panel * 270
        parts.append(f'<clipPath id="p{panel}"><rect x="{left}" y="36" width="250" height="250" rx="8"/></clipPath>')
        parts.append(f'<rect x="{left}" y="36" width="250" height="250" rx="8" fill="#fff"/>')
        parts.append(_text(left + 125, 24, f"the first {count} centers", color=GREY))
        parts += [_dot((left + x, y + 20), 2.4, "#9ca3af") for x, y in points]
        radius = max(min(math.dist(point, points[one]) for one in chosen[:count]) for point in points)
        circles = [_circle((left + points[one][0], points[one][1] + 20), radius, CENTER) for one in chosen[:count]]
        parts.append(f'<g clip-path="url(#p{panel})">{"".join(circles)}</g>')
        for order, one in enumerate(chosen[:count], 1):
            x, y = left + points[one][0], points[one][1] + 20
            parts += [_dot((x, y), 4.6, CENTER), _text(x + 7, y - 5, str(order), anchor="start", size=11, color=CENTER)]
        parts.append(_text(left + 125, 300, f"every span within {radius:.0f} of a center", size=12, color=GREY))
    return _svg(830, 315, "Farthest-first: each new center is the span farthest from all centers so far", parts)


def activation() -> str:
    """Radii: each center covers its own cell; a span activates the centers that cover it."""
    points, chosen = _cloud(), farthest_first(_cloud(), 8)
    held = [points[one] for one in chosen]
    cells: list[list[float]] = [[] for _ in held]
    for point in points:
        distances = [math.dist(point, center) for center in held]
        cells[distances.index(min(distances))].append(min(distances))
    radii = [max(6.0, percentile(cell, 99)) for cell in cells]
    scale, left, top = 1.45, 24.0, 16.0

    def at(point: Point) -> Point:
        return left + point[0] * scale, top + point[1] * scale

    def covers(point: Point) -> list[tuple[float, int]]:
        return sorted(
            (math.dist(point, center), place)
            for place, center in enumerate(held)
            if math.dist(point, center) <= radii[place]
        )

    inside = max(
        ((float(x), float(y)) for x in range(60, 220, 4) for y in range(60, 220, 4)),
        key=lambda point: (len(covers(point)), min(covers(point), default=(0.0, 0))),
    )
    outside = (250.0, 60.0)
    covering = covers(inside)
    clip = '<clipPath id="left"><rect x="14" y="14" width="430" height="377" rx="8"/></clipPath>'
    parts = [clip, '<rect x="14" y="14" width="430" height="377" rx="8" fill="#fff"/>']
    parts += [_dot(at(point), 2.6, "#9ca3af") for point in points]
    for place, (center, radius) in enumerate(zip(held, radii, strict=True)):
        active = any(place == other for _, other in covering)
        circle = _circle(at(center), radius * scale, FOUND if active else CENTER, fill=active)
        parts += [f'<g clip-path="url(#left)">{circle}</g>', _dot(at(center), 5, FOUND if active else CENTER)]
    for distance, place in covering:
        (x1, y1), (x2, y2) = at(inside), at(held[place])
        parts.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{QUERY}" stroke-width="1.6"/>')
        parts.append(_text((x1 + x2) / 2 + 14, (y1 + y2) / 2 - 6, f"{1 - distance / 100:.2f}", size=12, color=QUERY))
    for point, name in ((inside, "x"), (outside, "y")):
        parts += [
            _dot(at(point), 5, QUERY),
            _text(at(point)[0] + 8, at(point)[1] + 15, name, anchor="start", color=QUERY),
        ]
    notes = [
        (CENTER, "a center, and the circle of its radius:"),
        (GREY, "the 99th percentile of the distances"),
        (GREY, "of the spans that are nearest to it"),
        (FOUND, f"the span x activates {len(covering)} centers: those whose"),
        (GREY, "circle holds it, the K most similar of them,"),
        (GREY, "each with its similarity as the weight"),
        (QUERY, "no circle holds the span y: preset paper"),
        (GREY, "drops it and counts it; the default lets it"),
        (GREY, "activate its nearest centers"),
    ]
    parts += [
        _text(470, 70 + 26 * row + 10 * (row // 3), note, anchor="start", size=14, color=color)
        for row, (color, note) in enumerate(notes)
    ]
    return _svg(800, 405, "Radii and activation: a span activates the centers whose radius covers it", parts)


def score() -> str:
    """A query and a passage as sparse vectors, and what their shared centers add."""
    names = ["drum", "motor", "water", "of the", "spin cycle", "noise"]
    query, passage, idf = (0.9, 0, 0.7, 0.8, 0.85, 0), (0.8, 0.75, 0, 0.9, 0.7, 0.6), (2.4, 2.1, 1.9, 0, 3.0, 2.2)
    parts = []
    for row, (label, color) in enumerate(
        (
            ("the claim", QUERY),
            ("the passage", CENTER),
            ("idf², 0 for stop centers", GREY),
            ("adds to the score", FOUND),
        )
    ):
        base = 90 + row * 84
        parts.append(_text(20, base - 14, label, anchor="start", color=color, size=14))
        parts.append(f'<path d="M210 {base}H790" stroke="#d1d5db"/>')
        for place, name in enumerate(names):
            weights = (
                query[place],
                passage[place],
                idf[place] ** 2 / 10,
                query[place] * passage[place] * idf[place] ** 2 / 8,
            )
            height, x = weights[row] * 52, 225 + place * 96
            if height:
                parts.append(f'<rect x="{x}" y="{base - height:.1f}" width="34" height="{height:.1f}" fill="{color}"/>')
                value = (
                    query[place],
                    passage[place],
                    idf[place] ** 2,
                    query[place] * passage[place] * idf[place] ** 2,
                )[row]
                parts.append(_text(x + 17, base - height - 4, f"{value:.1f}", size=11, color=color))
            if row == 3:
                parts.append(_text(x + 17, base + 20, name, size=13))
    total = sum(a * b * c * c for a, b, c in zip(query, passage, idf, strict=True))
    parts.append(
        _text(20, 378, f"together {total:.1f}, divided by √(number of spans)", anchor="start", size=14, color=FOUND)
    )
    return _svg(820, 395, "The score: the sum over the centers that claim and passage share", parts)


def farthest_first(points: list[Point], count: int) -> list[int]:
    """Return the points chosen one after another: each is the farthest from those before it; ties go to the first."""
    chosen = [0]
    nearest = [math.dist(point, points[0]) for point in points]
    while len(chosen) < count:
        chosen.append(max(range(len(points)), key=lambda place: (nearest[place], -place)))
        nearest = [min(old, math.dist(point, points[chosen[-1]])) for old, point in zip(nearest, points, strict=True)]
    return chosen


def percentile(values: list[float], share: float) -> float:
    """Return a percentile with linear interpolation."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    low = math.floor(place)
    return ordered[low] + (ordered[math.ceil(place)] - ordered[low]) * (place - low)


def _cloud() -> list[Point]:
    chance = random.Random(5)
    return [(x + chance.gauss(0, spread), y + chance.gauss(0, spread)) for x, y, spread in _CLUSTERS for _ in range(26)]


def _svg(width: int, height: int, label: str, parts: list[str]) -> str:
    body = "\n  ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Georgia, serif" font-size="15" '
        f'role="img" aria-label="{escape(label)}">\n  <rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>\n  {body}\n</svg>'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "middle", size: int = 15, color: str = INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}">{escape(text)}</text>'
    )


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="6" fill="{fill}" stroke="#374151"/>'


def _dot(point: Point, radius: float, color: str) -> str:
    return f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="{radius}" fill="{color}"/>'


def _circle(point: Point, radius: float, color: str, *, fill: bool = False) -> str:
    opacity = 0.12 if fill else 0.05
    return (
        f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="{radius:.1f}" fill="{color}" fill-opacity="{opacity}" '
        f'stroke="{color}" stroke-opacity="0.6"/>'
    )

# SPDX-License-Identifier: Apache-2.0
"""Line charts as SVG: ours in full lines, the paper's dashed in the same colour."""
from math import ceil, floor, log10
from xml.sax.saxutils import escape

COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7a4ea3", "#8a6d1d", "#555555")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 64, 190, 34, 46


class Chart:
    """`lines`: (title, ys, paper); numbers of a line may be None. The places on the x axis stand side by side."""

    def __init__(self, title, x_title, y_title, xs, lines, logarithmic=False):
        self.title, self.x_title, self.y_title, self.xs = title, x_title, y_title, list(xs)
        self.lines, self.logarithmic = lines, logarithmic

    def svg(self):
        values = [y for _, ys, _ in self.lines for y in ys if y is not None and (y > 0 or not self.logarithmic)]
        low, high = self._range(values or [1.0])
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
                 f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
                 f'<text x="{LEFT}" y="18" font-size="13" font-weight="bold">{escape(self.title)}</text>']
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for tick in self._ticks(low, high):
            y = self._y(tick, low, high)
            parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for i, x in enumerate(self.xs):
            parts.append(f'<text x="{self._x(i):.1f}" y="{bottom + 16}" text-anchor="middle">{escape(str(x))}</text>')
        parts.append(f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(self.x_title)}</text>')
        parts.append(f'<text transform="translate(14 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(self.y_title)}</text>')
        colours = {}
        for row, (name, ys, paper) in enumerate(self.lines):
            colour = colours.setdefault(name, COLOURS[len(colours) % len(COLOURS)])
            parts += self._line(ys, low, high, colour, paper)
            y = TOP + 14 + 16 * row
            parts.append(f'<line x1="{right + 12}" x2="{right + 34}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2"'
                         + (' stroke-dasharray="5 4"' if paper else "") + "/>")
            parts.append(f'<text x="{right + 40}" y="{y}">{escape(name + (", paper" if paper else ""))}</text>')
        parts.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#333333"/>')
        return "\n".join([*parts, "</svg>", ""])

    def _line(self, ys, low, high, colour, paper):
        points = [(self._x(i), self._y(y, low, high)) for i, y in enumerate(ys)
                  if y is not None and (y > 0 or not self.logarithmic)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        style = ' stroke-dasharray="5 4"' if paper else ""
        dots = [] if paper else [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
        return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{style}/>', *dots]

    def _x(self, i):
        room = WIDTH - RIGHT - LEFT
        return LEFT + room * (i + 0.5) / max(1, len(self.xs))

    def _y(self, value, low, high):
        scale = log10 if self.logarithmic else float
        share = (scale(value) - scale(low)) / (scale(high) - scale(low))
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

    def _range(self, values):
        if self.logarithmic:
            low, high = 10.0 ** floor(log10(min(values))), 10.0 ** ceil(log10(max(values)))
            return low, high if high > low else 10 * low
        low, high = min(0.0, min(values)), max(values)
        return low, high if high > low else low + 1

    def _ticks(self, low, high):
        if self.logarithmic:
            return [10.0 ** e for e in range(round(log10(low)), round(log10(high)) + 1)]
        step = 10.0 ** floor(log10((high - low) / 4))
        step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
        return [round(step * i, 10) for i in range(ceil(low / step), floor(high / step) + 1)]

#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""Renders image.ppm: mountains at dusk over a lake, with film grain. Standard library only.

Usage: render.py OUTPUT.ppm        (same bytes every time)
"""
import math
import random
import sys

SIZE = 512
rng = random.Random(20240229)


def lattice(cells):
    return [[rng.random() for _ in range(cells + 2)] for _ in range(cells + 2)]


def smooth(t):
    return t * t * (3 - 2 * t)


def value_noise(table, x, y):
    cells = len(table) - 2
    x, y = x * cells, y * cells
    i, j = int(x), int(y)
    u, v = smooth(x - i), smooth(y - j)
    top = table[j][i] * (1 - u) + table[j][i + 1] * u
    low = table[j + 1][i] * (1 - u) + table[j + 1][i + 1] * u
    return top * (1 - v) + low * v


LATTICES = [lattice(4 << k) for k in range(6)]


def clouds(x, y):
    return sum(value_noise(t, x, y) / (2 << k) for k, t in enumerate(LATTICES))


def ridge(levels, rough):
    """Midpoint displacement: a mountain line with SIZE + 1 heights."""
    heights, step, amount = [rng.random(), rng.random()], 1.0, 1.0
    for _ in range(levels):
        grown = []
        for a, b in zip(heights, heights[1:]):
            grown += [a, (a + b) / 2 + (rng.random() - 0.5) * amount]
        heights = grown + [heights[-1]]
        amount *= rough
    return heights


def mix(a, b, t):
    return tuple(p * (1 - t) + q * t for p, q in zip(a, b))


FAR, NEAR = ridge(9, 0.52), ridge(9, 0.55)
HORIZON = 0.62
SUN = (0.68, 0.44)


def shade(x, y):
    """Colour of the scene above the lake at x, y in [0, 1)."""
    column = min(int(x * SIZE), SIZE)
    sky = mix((38, 52, 110), (250, 168, 96), min(y / HORIZON, 1.0) ** 1.6)
    glow = math.exp(-((x - SUN[0]) ** 2 + (y - SUN[1]) ** 2) * 40)
    colour = mix(sky, (255, 236, 190), 0.8 * glow)
    if (x - SUN[0]) ** 2 + (y - SUN[1]) ** 2 < 0.0016:
        colour = (255, 246, 220)
    cover = max(0.0, clouds(x, min(y * 1.7, 0.999)) - 0.45) * 2.2
    colour = mix(colour, (232, 190, 190), min(cover, 0.75))
    if y > HORIZON - 0.08 - 0.16 * FAR[column]:
        slope = clouds(x, 0.999 - y)
        colour = mix((88, 84, 128), (176, 136, 140), slope)
    if y > HORIZON - 0.02 - 0.12 * NEAR[column]:
        slope = clouds(min(x * 0.9 + 0.05, 0.999), y)
        colour = mix((22, 30, 42), (58, 66, 58), slope)
    return colour


def main():
    rows = bytearray()
    for row in range(SIZE):
        y = row / SIZE
        for col in range(SIZE):
            x = col / SIZE
            if y < HORIZON:
                colour = shade(x, y)
            else:
                depth = (y - HORIZON) / (1 - HORIZON)
                wave = math.sin(240 * depth ** 0.6 + 9 * clouds(x, y)) * 0.012 * depth
                mirrored = HORIZON - (y - HORIZON) * 1.4
                colour = mix(shade(min(max(x + wave, 0.0), 0.999), max(mirrored + wave, 0.0)),
                             (18, 30, 58), 0.35 + 0.25 * depth)
            grain = rng.gauss(0, 3.0)
            rows += bytes(min(255, max(0, int(c + grain + rng.gauss(0, 1.0)))) for c in colour)
    with open(sys.argv[1], "wb") as out:
        out.write(b"P6\n%d %d\n255\n" % (SIZE, SIZE) + rows)


main()

#!/usr/bin/env python3
"""Makes the pictures that the processors' results are compared with.

Needs Pillow and numpy: python3 make-references.py. The result is the same each time. All follow the formulas in
floating-point numbers.

All pictures are premultiplied here, and divided by their alpha when they are written: reading them restores the same
values.
"""
import math
import os

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))


def limited(p):
    """Without overshoot."""
    p = np.clip(p, 0, 255)
    return np.minimum(p, p[..., 3:])


def write(name, premultiplied):
    """Rounds values from 0 to 255, and writes a file."""
    p = np.floor(limited(premultiplied) + 0.5)
    a = p[..., 3:]
    straight = np.where(a > 0, np.floor((p[..., :3] * 255 + np.floor(a / 2)) / np.maximum(a, 1)), 0)
    pixels = np.concatenate([np.minimum(straight, 255), a], axis=2).astype(np.uint8)
    Image.fromarray(pixels, "RGBA").save(os.path.join(HERE, name + ".png"), optimize=True)


def source(width, height, seed):
    """Gradients, hard edges and some noise, with holes and soft alpha; premultiplied."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    colors = np.stack([
        255 * x / max(1, width - 1), 255 * y / max(1, height - 1), np.where((x // 7 + y // 5) % 2 == 0, 230, 20)
    ], axis=2)
    colors += random.integers(-20, 21, colors.shape)
    distance = np.hypot(x - width * 0.4, y - height * 0.6)
    alpha = np.clip(255 - (distance - min(width, height) * 0.35) * 12, 0, 255)
    alpha = np.where(x > width * 0.75, 255, alpha)
    alpha = np.where((y < 3) & (x < width / 2), [[0]], alpha)
    alpha = np.floor(alpha)
    alpha[-1, : min(width, 4)] = [0, 1, 254, 255][: min(width, 4)]
    straight = np.floor(np.clip(colors, 0, 255))
    return np.concatenate([np.floor((straight * alpha[..., None] + 127) / 255), alpha[..., None]], axis=2)


def noise(width, height, seed):
    """All alpha values, and as many pixels with the special ones; premultiplied."""
    random = np.random.default_rng(seed)
    alpha = random.integers(0, 256, (height, width, 1)).astype(float)
    special = random.choice([0, 1, 254, 255], (height, width, 1))
    alpha = np.where(random.random((height, width, 1)) < 0.5, special, alpha)
    straight = random.choice(np.concatenate([np.arange(256), [0] * 40, [255] * 40]), (height, width, 3))
    return np.concatenate([np.floor((straight * alpha + 127) / 255), alpha], axis=2)


def lanczos(x):
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


def cubic(x):
    x = np.abs(x)
    return np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, np.where(x < 2, ((-0.5 * x + 2.5) * x - 4) * x + 2, 0))


def resized(p, width, height, kernel):
    """Unlike Pillow, doesn't clamp overshoot between the two directions."""
    for axis, target in ((1, width), (0, height)):
        count = p.shape[axis]
        scale = count / target
        places = np.arange(count)[None, :] + 0.5 - (np.arange(target)[:, None] + 0.5) * scale
        weights = kernel(places / max(1, scale))
        weights /= weights.sum(axis=1, keepdims=True)
        p = np.moveaxis(np.tensordot(weights, p, (1, axis)), 0, axis)
    return p


def blurred(p, sigma):
    """A Gaussian function, with the pixels at the edges continued."""
    reach = math.ceil(5 * sigma)
    kernel = np.exp(-np.arange(-reach, reach + 1) ** 2 / (2 * sigma * sigma))
    kernel /= kernel.sum()
    for axis in (0, 1):
        p = np.moveaxis(p, axis, 0)
        padded = np.concatenate([p[:1]] * reach + [p] + [p[-1:]] * reach)
        p = sum(weight * padded[i:i + len(p)] for i, weight in enumerate(kernel))
        p = np.moveaxis(p, 0, axis)
    return p


def coverage(width, height, radii, inset=0.0, steps=32):
    """Of a rectangle with round corners: radii at the top left, top right, bottom left, bottom right."""
    tl, tr, bl, br = radii
    factor = min([1] + [side / total for side, total in
                        [(width, tl + tr), (width, bl + br), (height, tl + bl), (height, tr + br)] if total > side])
    n = np.arange(0.5, steps) / steps
    x = (np.arange(width)[:, None] + n).ravel()[None, :]
    y = (np.arange(height)[:, None] + n).ravel()[:, None]
    inside = (x >= inset) & (x <= width - inset) & (y >= inset) & (y <= height - inset)
    for radius, left, top in [(tl, 1, 1), (tr, 0, 1), (bl, 1, 0), (br, 0, 0)]:
        radius = radius * factor - inset
        if radius <= 0:
            continue
        cx = inset + radius if left else width - inset - radius
        cy = inset + radius if top else height - inset - radius
        corner = ((x < cx) if left else (x > cx)) & ((y < cy) if top else (y > cy))
        inside &= ~corner | ((x - cx) ** 2 + (y - cy) ** 2 <= radius ** 2)
    return inside.reshape(height, steps, width, steps).mean(axis=(1, 3))[..., None]


def premultiplied(r, g, b, a=255):
    return np.array([r * a / 255, g * a / 255, b * a / 255, a])


def shaped(p, radii, border=0.0, color=None):
    height, width = p.shape[:2]
    outer = coverage(width, height, radii)
    if color is None:
        return p * outer
    inner = coverage(width, height, radii, border)
    over = color + p * (1 - color[3] / 255)
    return p * inner + over * (outer - inner)


def soft_light(cb, cs):
    d = np.where(cb <= 0.25, ((16 * cb - 12) * cb + 4) * cb, np.sqrt(cb))
    return np.where(cs <= 0.5, cb - (1 - 2 * cs) * cb * (1 - cb), cb + (2 * cs - 1) * (d - cb))


def hard_light(cb, cs):
    return np.where(cs <= 0.5, cb * 2 * cs, cb + (2 * cs - 1) - cb * (2 * cs - 1))


def safe(a, b):
    return a / np.where(b == 0, 1, b)


BLEND = {
    "normal": lambda cb, cs: cs,
    "multiply": lambda cb, cs: cb * cs,
    "screen": lambda cb, cs: cb + cs - cb * cs,
    "overlay": lambda cb, cs: hard_light(cs, cb),
    "darken": np.minimum,
    "lighten": np.maximum,
    "colorDodge": lambda cb, cs: np.where(cb == 0, 0, np.where(cs == 1, 1, np.minimum(1, safe(cb, 1 - cs)))),
    "colorBurn": lambda cb, cs: np.where(cb == 1, 1, np.where(cs == 0, 0, 1 - np.minimum(1, safe(1 - cb, cs)))),
    "hardLight": hard_light,
    "softLight": soft_light,
    "difference": lambda cb, cs: np.abs(cb - cs),
    "exclusion": lambda cb, cs: cb + cs - 2 * cb * cs,
}

COMPOSE = {
    "sourceIn": lambda sa, da: (da, 0), "sourceOut": lambda sa, da: (1 - da, 0),
    "sourceAtop": lambda sa, da: (da, 1 - sa), "destinationOver": lambda sa, da: (1 - da, 1),
    "destinationIn": lambda sa, da: (0, sa), "destinationOut": lambda sa, da: (0, 1 - sa),
    "destinationAtop": lambda sa, da: (1 - da, sa), "xor": lambda sa, da: (1 - da, 1 - sa),
    "lighter": lambda sa, da: (1, 1),
}


def blended(above, beneath, mode, opacity=1.0):
    s, d = above / 255 * opacity, beneath / 255
    sa, da = s[..., 3:], d[..., 3:]
    if mode in COMPOSE:
        fa, fb = COMPOSE[mode](sa, da)
        return 255 * (s * fa + d * fb)
    cs, cb = safe(s[..., :3], sa), safe(d[..., :3], da)
    colors = sa * (1 - da) * cs + sa * da * BLEND[mode](cb, cs) + (1 - sa) * da * cb
    return 255 * np.concatenate([colors, sa + da - sa * da], axis=2)


def straight_mapped(p, f):
    a = p[..., 3:]
    return np.concatenate([np.clip(f(safe(p[..., :3], a)), 0, 1) * a, a], axis=2)


LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def controlled(c, brightness, contrast, saturation, gamma):
    c = (c + brightness - 0.5) * contrast + 0.5
    gray = (c * LUMINANCE).sum(axis=2, keepdims=True)
    return np.clip(gray + (c - gray) * saturation, 0, 1) ** (1 / gamma)


def main():
    large, small = source(61, 47, 1), source(33, 21, 2)
    write("large", large)
    write("small", small)
    for name, picture in [("above", noise(33, 21, 3)), ("beneath", noise(33, 21, 4)), ("mark", source(13, 9, 5))]:
        write(name, picture)
    above, beneath, mark = noise(33, 21, 3), noise(33, 21, 4), source(13, 9, 5)

    write("resize-lanczos-17x13", resized(large, 17, 13, lanczos))
    write("resize-lanczos-40x64", resized(large, 40, 64, lanczos))
    write("resize-lanczos-1x5", resized(large, 1, 5, lanczos))
    write("resize-cubic-17x13", resized(large, 17, 13, cubic))
    write("resize-cubic-40x64", resized(large, 40, 64, cubic))
    for sigma in (0.5, 1.5, 4, 12, 100):
        write(f"blur-{sigma}", blurred(large, sigma))

    blue, red = premultiplied(20, 60, 200), premultiplied(255, 30, 10, 128)
    write("corners-6", shaped(small, (6, 6, 6, 6)))
    write("corners-half", shaped(small, (10.5,) * 4))
    write("corners-too-large", shaped(small, (40, 0, 40, 40)))
    write("corners-two", shaped(small, (7.3, 0, 0, 7.3)))
    write("corners-border", shaped(small, (6, 6, 6, 6), 2.5, blue))
    write("corners-clear-border", shaped(small, (8, 8, 0, 8), 3, red))
    write("circle", shaped(small[:, 6:27], (10.5,) * 4))
    write("circle-border", shaped(small[:, 6:27], (10.5,) * 4, 1.5, blue))
    write("border", shaped(small, (0, 0, 0, 0), 3.25, red))

    for mode in list(BLEND) + list(COMPOSE):
        write(f"blend-{mode}", blended(above, beneath, mode))
    write("overlay-multiply", blended(np.broadcast_to(red, small.shape), small, "multiply"))
    write("blend-scaled", blended(limited(resized(large, 33, 21, lanczos)), small, "screen", 0.6))
    write("background", blended(np.broadcast_to(red, small.shape), small, "destinationOver"))
    write("opacity", small * 0.3)
    write("tint", blended(np.broadcast_to(blue, small.shape), small, "sourceAtop", 0.7))
    marked = small.copy()
    marked[-7:, -15:-2] = blended(mark[:7], marked[-7:, -15:-2], "normal", 0.8)
    write("watermark", marked)

    write("crop-rectangle", small[4:15, 5:28])
    write("crop-center", small[5:16, 6:27])
    write("crop-corner", small[11:, 13:])
    for name, turns in [("clockwise", 3), ("half", 2), ("counterclockwise", 1)]:
        write(f"rotate-{name}", np.rot90(small, turns))
    write("flip-horizontal", small[:, ::-1])
    write("flip-vertical", small[::-1])

    for name, line in [("row", source(29, 1, 6)), ("column", source(1, 29, 7))]:
        height, width = line.shape[:2]
        write(name, line)
        write(f"{name}-resize", resized(line, 10, 6, lanczos))
        write(f"{name}-blur", blurred(line, 3))
        write(f"{name}-corners", shaped(line, (0.5,) * 4))
        write(f"{name}-rotate", np.rot90(line, 3))

    write("gray", straight_mapped(small, lambda c: (c * LUMINANCE).sum(axis=2, keepdims=True).repeat(3, 2)))
    write("controls", straight_mapped(small, lambda c: controlled(c, 0.1, 1.3, 0.5, 1)))
    write("saturated", straight_mapped(small, lambda c: controlled(c, -0.05, 0.8, 2.5, 1)))
    write("gamma", straight_mapped(small, lambda c: controlled(c, 0, 1, 1, 2.2)))
    write("dark-gamma", straight_mapped(small, lambda c: controlled(c, 0.05, 1.1, 0.9, 0.6)))


if __name__ == "__main__":
    main()

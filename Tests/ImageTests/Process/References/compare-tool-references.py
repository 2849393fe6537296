#!/usr/bin/env python3
"""Prints the largest and the mean difference of each picture in tools/ from the formulas of make-references.py.

Of premultiplied channels, from 0 to 255, which is what the tests compare. The formulas' shapes are sampled 32 by 32
times in each pixel, which shows in a circle of a single pixel.
"""
import importlib.util
import os

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("formulas", os.path.join(HERE, "make-references.py"))
formulas = importlib.util.module_from_spec(spec)
spec.loader.exec_module(formulas)
BLUE, RED = formulas.premultiplied(20, 60, 200), formulas.premultiplied(255, 30, 10, 128)


def read(name):
    """Premultiplied, as the library reads it."""
    p = np.asarray(Image.open(os.path.join(HERE, name + ".png")).convert("RGBA")).astype(float)
    return np.concatenate([np.floor((p[..., :3] * p[..., 3:] + 127) / 255), p[..., 3:]], axis=2)


def controlled(p, brightness=0.0, contrast=1.0, saturation=1.0, gamma=1.0):
    return formulas.straight_mapped(p, lambda c: formulas.controlled(c, brightness, contrast, saturation, gamma))


def gray(p):
    return formulas.straight_mapped(p, lambda c: (c * formulas.LUMINANCE).sum(axis=2, keepdims=True).repeat(3, 2))


def over(color, p, mode, opacity=1.0):
    return formulas.blended(np.broadcast_to(color, p.shape), p, mode, opacity)


def new_cases():
    """What has no picture by make-references.py."""
    small = read("small")
    cases = {
        "brightness": controlled(small, brightness=0.1), "contrast": controlled(small, contrast=1.3),
        "desaturated": controlled(small, saturation=0.5), "saturation": controlled(small, saturation=2.5),
        "dark": controlled(small, gamma=0.6), "all-controls": controlled(small, 0.1, 0.7, 0.8, 1.5),
    }
    dodge = formulas.blended(read("tools/dodge-above"), read("beneath"), "colorDodge")
    cases["blend-colorDodge"] = dodge
    for name in ("row", "column"):
        line, above = read(name), read(f"tools/{name}-above")
        for mode in ("normal", "multiply", "softLight", "xor"):
            cases[f"{name}-blend-{mode}"] = formulas.blended(above, line, mode)
        cases[f"{name}-circle"] = formulas.shaped(above.reshape(29, 1, 4)[14:15], (0.5,) * 4)
        cases[f"{name}-border"] = formulas.shaped(line, (0, 0, 0, 0), 0.25, RED)
        cases[f"{name}-tint"] = over(BLUE, line, "sourceAtop", 0.7)
        cases[f"{name}-opacity"] = line * 0.3
        cases[f"{name}-background"] = over(RED, line, "destinationOver")
        cases[f"{name}-gray"] = gray(line)
        cases[f"{name}-contrast"] = controlled(line, contrast=1.3)
        cases[f"{name}-gamma"] = controlled(line, gamma=2.2)
    return cases


def main():
    cases = new_cases()
    for file in sorted(os.listdir(os.path.join(HERE, "tools"))):
        name = file.removesuffix(".png")
        if name.endswith("-above"):
            continue
        one, other = read(f"tools/{name}"), cases.get(name)
        other = read(name) if other is None else np.floor(formulas.limited(other) + 0.5)
        difference = np.abs(one - other)
        print(f"{name:28} {difference.max():3.0f} {difference.mean():7.3f}")


if __name__ == "__main__":
    main()

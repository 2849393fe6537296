#!/usr/bin/env python3
"""Makes the pictures in tools/ with other people's programs, to check the formulas of make-references.py as well.

Run it as CONVERT=/usr/bin/convert python3 make-tool-references.py, after make-references.py, whose sources it reads.
The files were made with
- Pillow 13.0.0: crops, turns, resizes and lighter;
- ImageMagick 6.9.11-60 Q16 (Debian 12), with 16 bits for each channel: all others;
- librsvg's rsvg-convert 2.54.7: the outlines of shapes, 64 times as large, without smoothing.
compare-tool-references.py prints how far these files are from the formulas.

Left out, because the tools mean something else by the name:
- Pillow's GaussianBlur averages over boxes, as the library does, so it would share the library's error.
- ImageMagick's -blur averages the Gaussian function over each pixel, which matters for small radii. There,
  -gaussian-blur is used, which doesn't.
- Pillow's grays ("L", ImageEnhance) weigh red, green and blue as BT.601 does. Ours are BT.709's 0.2126, 0.7152 and
  0.0722, as is -grayscale Rec709Luma.
- Pillow's ImageChops ignore alpha. ImageMagick's -modulate goes by HSL, -brightness-contrast and -tint have curves of
  their own, so sums and factors are given to -evaluate, -function and Blend instead.
- ImageMagick's ColorDodge makes black white beneath a color of full scale; with W3C's formula, black stays. That case
  is left out: the picture above, dodge-above.png, has no such color.
"""
import io
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image, ImageChops

HERE = os.path.dirname(os.path.abspath(__file__))
CONVERT = os.environ.get("CONVERT", "convert")
TEMPORARY = tempfile.TemporaryDirectory()
TIMES = 64
BLUE, RED = "rgb(20,60,200)", f"rgba(255,30,10,{128 / 255:.6f})"
MODES = {
    "normal": "Over", "multiply": "Multiply", "screen": "Screen", "overlay": "Overlay", "darken": "Darken",
    "lighten": "Lighten", "colorDodge": "ColorDodge", "colorBurn": "ColorBurn", "hardLight": "HardLight",
    "softLight": "SoftLight", "difference": "Difference", "exclusion": "Exclusion", "sourceIn": "In",
    "sourceOut": "Out", "sourceAtop": "Atop", "destinationOver": "DstOver", "destinationIn": "DstIn",
    "destinationOut": "DstOut", "destinationAtop": "DstAtop", "xor": "Xor",
}


def save(name, picture):
    """Without metadata, and with no color where nothing is visible."""
    clear = Image.new("RGBA", picture.size)
    clear.paste(picture, mask=picture.getchannel("A").point(lambda alpha: 255 if alpha else 0))
    clear.save(os.path.join(HERE, "tools", name + ".png"), optimize=True)


def source(name):
    return Image.open(os.path.join(HERE, name + ".png")).convert("RGBA")


def file(name, box=None):
    """ImageMagick's arguments for the picture, or a part of it, as the library knows it: with 8 bits, premultiplied.

    ImageMagick wants colors that aren't premultiplied, and gets them with 16 bits.
    """
    p = np.asarray(source(name).crop(box) if box else source(name)).astype(int)
    alpha = p[..., 3:]
    premultiplied = (p[..., :3] * alpha + 127) // 255
    colors = (premultiplied * 65_535 + alpha // 2) // np.maximum(alpha, 1)
    path = os.path.join(TEMPORARY.name, name.replace("/", "-") + f"-{box}.rgba")
    np.concatenate([colors, alpha * 257], axis=2).astype(">u2").tofile(path)
    return ["-size", f"{p.shape[1]}x{p.shape[0]}", "-depth", "16", "-endian", "MSB", "rgba:" + path]


def write(name, premultiplied, alpha):
    """Rounds a result once, premultiplied, as the library's pixels are. Numbers are from 0 to 255."""
    alpha = np.clip(np.floor(alpha + 0.5), 0, 255)
    rounded = np.clip(np.floor(premultiplied + 0.5), 0, alpha)
    colors = np.floor(rounded * 255 / np.maximum(alpha, 1) + 0.5)
    save(name, Image.fromarray(np.concatenate([colors, alpha], axis=2).astype(np.uint8), "RGBA"))


def magick(name, *arguments):
    """Runs ImageMagick. Its result has 16 bits."""
    made = subprocess.run([CONVERT, *arguments, "-depth", "16", "-type", "TrueColorMatte", "pam:-"],
                          stdout=subprocess.PIPE, check=True).stdout
    header, _, data = made.partition(b"ENDHDR\n")
    fields = dict(line.split(b" ", 1) for line in header.splitlines() if b" " in line)
    size = (int(fields[b"HEIGHT"]), int(fields[b"WIDTH"]), int(fields[b"DEPTH"]))
    pixels = np.frombuffer(data, ">u2").reshape(size) / 257
    write(name, pixels[..., :3] * pixels[..., 3:] / 255, pixels[..., 3:])


def places():
    small, turn = source("small"), Image.Transpose
    save("crop-rectangle", small.crop((5, 4, 28, 15)))
    save("crop-center", small.crop((6, 5, 27, 16)))
    save("crop-corner", small.crop((13, 11, 33, 21)))
    # Pillow turns counterclockwise.
    for name, way in [("rotate-clockwise", turn.ROTATE_270), ("rotate-half", turn.ROTATE_180),
                      ("rotate-counterclockwise", turn.ROTATE_90), ("flip-horizontal", turn.FLIP_LEFT_RIGHT),
                      ("flip-vertical", turn.FLIP_TOP_BOTTOM)]:
        save(name, small.transpose(way))


def resized(name, of, width, height, filter=Image.Resampling.LANCZOS):
    """Premultiplied, and each channel in floating-point numbers: with 8 bits, Pillow clamps overshoot between the two
    directions, which makes differences of up to 12."""
    channels = [channel.convert("F").resize((width, height), filter) for channel in source(of).convert("RGBa").split()]
    pixels = np.stack([np.asarray(channel) for channel in channels], axis=2)
    write(name, pixels[..., :3], pixels[..., 3:])


def resizes():
    resized("resize-lanczos-17x13", "large", 17, 13)
    resized("resize-lanczos-40x64", "large", 40, 64)
    resized("resize-lanczos-1x5", "large", 1, 5)
    # Pillow's has a = -0.5, which makes it Catmull and Rom's.
    resized("resize-cubic-17x13", "large", 17, 13, Image.Resampling.BICUBIC)
    resized("resize-cubic-40x64", "large", 40, 64, Image.Resampling.BICUBIC)


def blurred(name, of, sigma, operation="-gaussian-blur"):
    """With the radius 0, ImageMagick chooses one beyond which weights don't matter."""
    magick(name, *file(of), "-virtual-pixel", "edge", operation, f"0x{sigma}")


def blurs():
    for sigma in ("0.5", "1.5", "4", "12", "100"):
        blurred(f"blur-{sigma}", "large", sigma, "-gaussian-blur" if float(sigma) < 2 else "-blur")


def outline(width, height, radii, inset):
    """The path of a rectangle with round corners, clockwise from the top left."""
    tl, tr, br, bl = [max(0, radius - inset) for radius in radii]
    left, top, right, bottom = inset, inset, width - inset, height - inset
    return (f"M {left + tl},{top} L {right - tr},{top} A {tr},{tr} 0 0 1 {right},{top + tr} "
            f"L {right},{bottom - br} A {br},{br} 0 0 1 {right - br},{bottom} "
            f"L {left + bl},{bottom} A {bl},{bl} 0 0 1 {left},{bottom - bl} "
            f"L {left},{top + tl} A {tl},{tl} 0 0 1 {left + tl},{top} Z")


def shaped(name, of, radii, border=0, color=None, box=None):
    """The picture is enlarged, drawn on, and averaged over squares of pixels."""
    width, height = (box[2] - box[0], box[3] - box[1]) if box else source(of).size
    size = f"{TIMES * width}x{TIMES * height}"

    def mask(inset):
        path = os.path.join(TEMPORARY.name, f"{name}-{inset}.png")
        drawing = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{TIMES * width}" height="{TIMES * height}">'
                   f'<path fill="white" shape-rendering="crispEdges" transform="scale({TIMES})" '
                   f'd="{outline(width, height, radii, inset)}"/></svg>')
        subprocess.run(["rsvg-convert", "-o", path], input=drawing.encode(), check=True)
        return [path]

    picture = [*file(of, box), "-sample", size + "!"]
    inner = ["(", *picture, *mask(border), "-compose", "DstIn", "-composite", ")"]
    if color is None:
        drawn = inner
    else:
        # The border takes the place of the picture outside of the inner shape, so that nothing overlaps.
        drawn = ["(", *picture, "-size", size, "xc:" + color, "-compose", "Over", "-composite",
                 *mask(0), "-compose", "DstIn", "-composite", *mask(border), "-compose", "DstOut", "-composite", ")",
                 *inner, "-compose", "Plus", "-composite"]
    magick(name, *drawn, "-scale", f"{width}x{height}!")


def shapes():
    shaped("corners-6", "small", (6,) * 4)
    shaped("corners-half", "small", (10.5,) * 4)
    # What is left of 40 when two such corners share a side of 21.
    shaped("corners-too-large", "small", (10.5, 0, 10.5, 10.5))
    shaped("corners-two", "small", (7.3, 0, 7.3, 0))
    shaped("corners-border", "small", (6,) * 4, 2.5, BLUE)
    shaped("corners-clear-border", "small", (8, 8, 8, 0), 3, RED)
    shaped("circle", "small", (10.5,) * 4, box=(6, 0, 27, 21))
    shaped("circle-border", "small", (10.5,) * 4, 1.5, BLUE, box=(6, 0, 27, 21))
    shaped("border", "small", (0,) * 4, 3.25, RED)


def faded(opacity):
    return ["-channel", "A", "-evaluate", "Multiply", opacity, "+channel"]


def blends():
    dimmed = source("above")
    dimmed.paste(dimmed.point(lambda value: min(value, 240)).convert("RGB"))
    save("dodge-above", dimmed)
    # The first picture is the one beneath.
    for name, mode in MODES.items():
        above = "tools/dodge-above" if name == "colorDodge" else "above"
        magick(f"blend-{name}", *file("beneath"), *file(above), "-compose", mode, "-composite")
    above, beneath = (source(name).convert("RGBa") for name in ("above", "beneath"))
    lighter = np.asarray(ImageChops.add(above, beneath))
    write("blend-lighter", lighter[..., :3], lighter[..., 3:])
    magick("overlay-multiply", *file("small"), "xc:" + RED, "-compose", "Multiply", "-composite")
    magick("background", *file("small"), "-background", RED, "-flatten")
    magick("opacity", *file("small"), *faded("0.3"))
    magick("tint", *file("small"), "-fill", BLUE, "-colorize", "70")
    magick("watermark", *file("small"), "(", *file("mark"), *faded("0.8"), ")",
           "-gravity", "SouthEast", "-geometry", "+2-2", "-compose", "Over", "-composite")


GREY = ["-grayscale", "Rec709Luma"]
CONTRAST = ["-channel", "RGB", "-function", "Polynomial", "1.3,-0.15", "+channel"]  # 1.3 (c - 0.5) + 0.5


def saturation(percent):
    """A weighted sum of the picture, whose weight comes first, and its gray."""
    return ["(", "+clone", *GREY, "-colorspace", "sRGB", ")", "+swap", "-compose", "Blend",
            "-set", "option:compose:args", f"{percent},{100 - percent}", "-composite"]


def gamma(value):
    return ["-channel", "RGB", "-gamma", value, "+channel"]


def colors():
    magick("gray", *file("small"), *GREY)
    magick("brightness", *file("small"), "-channel", "RGB", "-evaluate", "Add", "10%")
    magick("contrast", *file("small"), *CONTRAST)
    magick("desaturated", *file("small"), *saturation(50))
    magick("saturation", *file("small"), *saturation(250))
    magick("gamma", *file("small"), *gamma("2.2"))
    magick("dark", *file("small"), *gamma("0.6"))
    # 0.7 (c + 0.1 - 0.5) + 0.5: nothing is clamped, which the library does once, and ImageMagick at each step.
    magick("all-controls", *file("small"), "-channel", "RGB", "-function", "Polynomial", "0.7,0.22", "+channel",
           *saturation(80), *gamma("1.5"))


def lines():
    """Pictures of one row or column."""
    noise = source("above")
    for name, above, middle in [("row", noise.crop((2, 6, 31, 7)), (14, 0, 15, 1)),
                                ("column", noise.transpose(Image.Transpose.ROTATE_90).crop((15, 2, 16, 31)),
                                 (0, 14, 1, 15))]:
        save(f"{name}-above", above)
        for mode in ("normal", "multiply", "softLight", "xor"):
            magick(f"{name}-blend-{mode}", *file(name), *file(f"tools/{name}-above"), "-compose", MODES[mode],
                   "-composite")
        resized(f"{name}-resize", name, 10, 6)
        blurred(f"{name}-blur", name, "3")
        save(f"{name}-rotate", source(name).transpose(Image.Transpose.ROTATE_270))
        shaped(f"{name}-corners", name, (0.5,) * 4)
        shaped(f"{name}-circle", f"tools/{name}-above", (0.5,) * 4, box=middle)
        shaped(f"{name}-border", name, (0,) * 4, 0.25, RED)
        magick(f"{name}-tint", *file(name), "-fill", BLUE, "-colorize", "70")
        magick(f"{name}-opacity", *file(name), *faded("0.3"))
        magick(f"{name}-background", *file(name), "-background", RED, "-flatten")
        magick(f"{name}-gray", *file(name), *GREY)
        magick(f"{name}-contrast", *file(name), *CONTRAST)
        magick(f"{name}-gamma", *file(name), *gamma("2.2"))


if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "tools"), exist_ok=True)
    for make in (places, resizes, blurs, shapes, blends, colors, lines):
        make()

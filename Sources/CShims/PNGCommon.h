#pragma once

// What the ways to decode and to encode a PNG share; not for others.

#include <png.h>

#include "AlcedoPNG.h"

// Sets the message, which is the error pointer, and jumps.
_Noreturn void alcedo_png_on_error(png_structp png, png_const_charp text);

void alcedo_png_on_warning(png_structp png, png_const_charp text);

// What is read of a file, before its first byte.
void alcedo_png_set_up(png_structp png, uint32_t width, uint32_t height, int color_type);

// What is made of its rows, once all before them has been read; fails when the size is another one.
void alcedo_png_start(png_structp png, png_infop info, uint32_t width, uint32_t height, alcedo_png_head *head);

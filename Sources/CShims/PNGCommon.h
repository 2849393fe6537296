#pragma once

// Shared by the PNG decoders and the encoder; private to them.

#include <png.h>

#include "AlcedoPNG.h"

// Sets the message, which is the error pointer, and jumps.
_Noreturn void alcedo_png_on_error(png_structp png, png_const_charp text);

void alcedo_png_on_warning(png_structp png, png_const_charp text);

// Configures which parts of a file are read, before its first byte.
void alcedo_png_set_up(png_structp png, uint32_t width, uint32_t height, int color_type);

// Configures the conversion of the rows, once everything before them has been read; fails if the size is different.
// `keeps_depth` means the same as for `alcedo_png_begin`.
void alcedo_png_start(
    png_structp png, png_infop info, uint32_t width, uint32_t height, int keeps_depth, alcedo_png_head *head);

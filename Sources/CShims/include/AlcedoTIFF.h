#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libtiff passes the values of fields, and its messages, through variable arguments, which Swift can't take.

typedef struct alcedo_tiff alcedo_tiff;

// The first page of a file. Numbers are the values of its fields.
typedef struct {
    uint32_t width;
    uint32_t height;
    uint16_t bits;
    uint16_t samples;
    uint16_t sample_format;
    uint16_t compression;
    uint16_t photometric;
    uint16_t orientation;
    uint16_t ink_set;
    // The number of colors, without extra samples.
    uint16_t colors;
    // The index of the sample with alpha, -1 if there is none.
    int alpha;
    int is_premultiplied;
    // Whether each sample has its own plane.
    int is_planar;
    int is_tiled;
    int is_configured;
    // The size of a tile; the width and the number of rows of a strip.
    uint32_t chunk_width;
    uint32_t chunk_height;
    // The sizes for one plane, if there are several.
    uint64_t row_bytes;
    uint64_t chunk_bytes;
    // The channels of the palette, each with a value for every sample that a pixel can have; NULL if there is no
    // palette. Like the profile, they are valid until `alcedo_tiff_end`.
    const uint16_t *red;
    const uint16_t *green;
    const uint16_t *blue;
    const uint8_t *profile;
    uint32_t profile_count;
} alcedo_tiff_head;

// Reads the first directory. `bytes` must stay valid until `alcedo_tiff_end`, which must be called even if this fails.
// `most_memory` is the largest number of bytes that the library may allocate in one piece.
alcedo_status alcedo_tiff_begin(
    const uint8_t *bytes, size_t count, size_t most_memory, alcedo_tiff **tiff, alcedo_tiff_head *head,
    alcedo_message *message);

// Reads rows of one plane, which are in strips. They are decompressed but otherwise as stored, except that samples of
// 16 bits have the byte order of the processor. Rows must be read from the top.
alcedo_status alcedo_tiff_read_rows(
    alcedo_tiff *tiff, uint16_t plane, uint32_t first, uint32_t rows, uint8_t *samples, size_t stride,
    alcedo_message *message);

// Reads a tile of one plane. It has `chunk_bytes` bytes.
alcedo_status alcedo_tiff_read_tile(
    alcedo_tiff *tiff, uint16_t plane, uint32_t x, uint32_t y, uint8_t *samples, size_t count,
    alcedo_message *message);

// Prepares `alcedo_tiff_read_pixels`. Fails if the library can't convert the file's colors.
alcedo_status alcedo_tiff_begin_pixels(alcedo_tiff *tiff, alcedo_message *message);

// Reads rows as premultiplied RGBA, four bytes per pixel, which the library converts from the file's colors. Strips and
// tiles should be read whole.
alcedo_status alcedo_tiff_read_pixels(
    alcedo_tiff *tiff, uint32_t first, uint32_t rows, uint32_t *pixels, alcedo_message *message);

void alcedo_tiff_end(alcedo_tiff *tiff);

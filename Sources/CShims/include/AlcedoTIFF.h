#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libtiff passes the values of fields, and its messages, through variable arguments, which Swift can't take.

typedef struct alcedo_tiff alcedo_tiff;

// The first page of a file. Numbers are those of its fields.
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
    // The number of colours, without extra samples.
    uint16_t colors;
    // The index of the sample with alpha, -1 if there is none.
    int alpha;
    int is_premultiplied;
    // Whether each sample has a plane of its own.
    int is_planar;
    int is_tiled;
    int is_configured;
    // The size of a tile; the width and the number of rows of a strip.
    uint32_t chunk_width;
    uint32_t chunk_height;
    // Of one plane, if there are several.
    uint64_t row_bytes;
    uint64_t chunk_bytes;
    // Each with a value for all samples that a pixel can have; NULL if there is no palette. Valid until
    // `alcedo_tiff_end`, as the profile.
    const uint16_t *red;
    const uint16_t *green;
    const uint16_t *blue;
    const uint8_t *profile;
    uint32_t profile_count;
} alcedo_tiff_head;

// Reads the first directory. `bytes` must stay valid until `alcedo_tiff_end`, which must be called even if this fails.
// `most_memory` is the largest number of bytes that the library may allocate at once.
alcedo_status alcedo_tiff_begin(
    const uint8_t *bytes, size_t count, size_t most_memory, alcedo_tiff **tiff, alcedo_tiff_head *head,
    alcedo_message *message);

// Reads rows of one plane, which are in strips, as they are stored but decompressed; samples of 16 bits have the order
// of the processor. Rows must be read from the top.
alcedo_status alcedo_tiff_read_rows(
    alcedo_tiff *tiff, uint16_t plane, uint32_t first, uint32_t rows, uint8_t *samples, size_t stride,
    alcedo_message *message);

// Reads a tile of one plane, which has `chunk_bytes`.
alcedo_status alcedo_tiff_read_tile(
    alcedo_tiff *tiff, uint16_t plane, uint32_t x, uint32_t y, uint8_t *samples, size_t count,
    alcedo_message *message);

// Prepares `alcedo_tiff_read_pixels`. Fails if the library can't convert the colours of the file.
alcedo_status alcedo_tiff_begin_pixels(alcedo_tiff *tiff, alcedo_message *message);

// Reads rows as premultiplied RGBA, four bytes each, which the library makes of the colours of the file. Strips and
// tiles should be read whole.
alcedo_status alcedo_tiff_read_pixels(
    alcedo_tiff *tiff, uint32_t first, uint32_t rows, uint32_t *pixels, alcedo_message *message);

void alcedo_tiff_end(alcedo_tiff *tiff);

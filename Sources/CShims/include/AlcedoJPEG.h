#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libjpeg reports errors with longjmp, which must not cross a Swift frame: each call below keeps its jump inside.

// A decode that is done in steps, so that its caller can stop between them.
typedef struct alcedo_jpeg alcedo_jpeg;

typedef struct {
    // As the file's head says; it fails when the decoder finds other ones.
    uint32_t width;
    uint32_t height;
    // 1, 2, 4 or 8: each output pixel stands for so many of the file's, either way.
    uint32_t denominator;
    // The sides divided by that, rounded up.
    uint32_t output_width;
    uint32_t output_height;
} alcedo_jpeg_size;

// Reads the head. It fails when there are more than `scan_limit` scans, or when the coefficients of a file of several
// scans take more than `*coefficient_limit` bytes, which then tells how many. `bytes` must stay where they are until the end, which is due
// whatever comes of this.
alcedo_status alcedo_jpeg_begin(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_size *size, int scan_limit, uint64_t *coefficient_limit,
    alcedo_jpeg **decode, alcedo_message *message);

// Does a part of the work, some 260,000 of the file's pixels: it reads scans, or writes rows. `pixels` are RGBA8 rows
// without padding, output_width * output_height * 4 bytes, the same ones at each step. It fails when data is missing or
// undecodable; after a failure or the last step, only the end may be called.
alcedo_status alcedo_jpeg_step(alcedo_jpeg *decode, uint8_t *pixels, alcedo_message *message);

void alcedo_jpeg_end(alcedo_jpeg *decode);

// Encodes premultiplied RGBA8 rows without padding, laid over white. On success the caller frees `*output`.
alcedo_status alcedo_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, int is_progressive, uint8_t **output,
    size_t *output_count, alcedo_message *message);

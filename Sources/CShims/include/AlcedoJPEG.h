#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libjpeg reports errors with longjmp, which must not cross a Swift frame: no jump leaves any of these calls.

// A decode in steps, so that the caller can stop in between.
typedef struct alcedo_jpeg alcedo_jpeg;

typedef struct {
    // As in the file's head; the decode fails if the decoder finds different values.
    uint32_t width;
    uint32_t height;
    // 1, 2, 4 or 8: each output pixel represents this many of the file's pixels in each direction.
    uint32_t denominator;
    // The sides divided by the denominator, rounded up.
    uint32_t output_width;
    uint32_t output_height;
    // Whether a file with four inks is decoded to its inks, as stored, rather than converted to RGBA by arithmetic.
    int keeps_inks;
    // The part of the output that is wanted, in output pixels. All zero for the whole output.
    uint32_t part_x;
    uint32_t part_y;
    uint32_t part_width;
    uint32_t part_height;
} alcedo_jpeg_size;

// Reads the head. Fails if there are more than `scan_limit` scans, or if the coefficients of a file with several scans
// take more than `*coefficient_limit` bytes, which is then set to the number required. `bytes` must stay valid until
// `alcedo_jpeg_end`, which must be called even if this fails.
alcedo_status alcedo_jpeg_begin(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_size *size, int scan_limit, uint64_t *coefficient_limit,
    alcedo_jpeg **decode, alcedo_message *message);

// Does a part of the work, about 260,000 of the file's pixels: reads scans, or writes the next rows, at most `most` of
// them, and sets `count` to their number. Rows are RGBA8 without padding, of the whole output or the part that is
// wanted. Fails if data is missing or can't be decoded, unless it belongs to rows below the part; after a failure or
// the last step, only `alcedo_jpeg_end` may be called.
alcedo_status alcedo_jpeg_step(
    alcedo_jpeg *decode, uint8_t *rows, uint32_t most, uint32_t *count, alcedo_message *message);

void alcedo_jpeg_end(alcedo_jpeg *decode);

// The settings of an encode.
typedef struct {
    uint32_t width;
    uint32_t height;
    // From 0 to 100.
    int quality;
    // Whether red, green and blue are equal in all pixels, and stored as one component.
    int is_gray;
    // The number of pixels that share a color in each direction, 1 or 2. Ignored for a gray image.
    int pixels_per_color_x;
    int pixels_per_color_y;
    int is_progressive;
    int optimizes_tables;
    // The number of rows of blocks between two restart markers; 0 for no markers.
    int restart_rows;
} alcedo_jpeg_settings;

// Encodes premultiplied RGBA8 rows without padding, composited over white. On success the caller frees `*output`.
alcedo_status alcedo_jpeg_encode(
    const uint8_t *pixels, const alcedo_jpeg_settings *settings, uint8_t **output, size_t *output_count,
    alcedo_message *message);

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libpng reports errors with longjmp, which must not cross a Swift frame: no jump leaves any of these calls.

// A decode in steps, so that the caller can stop in between and doesn't need room for all rows.
typedef struct alcedo_png alcedo_png;

typedef struct {
    // 0 if the format makes every pixel opaque.
    int has_alpha;
    // The number of times all rows are read: once, or seven times if they are interlaced.
    int passes;
    // Whether samples have 16 bits, in the order of the processor.
    int is_deep;
} alcedo_png_head;

// Reads everything before the pixels; fails if the file's size is different. `bytes` must stay valid until
// `alcedo_png_end`, which must be called even if this fails. If `keeps_depth` isn't 0, the samples of an image that
// isn't interlaced have 16 bits. If `is_cgbi` isn't 0, colors are stored as blue, green, red, checksums are ignored,
// and the checksum of the compressed pixels may be missing.
alcedo_status alcedo_png_begin(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int keeps_depth, int is_cgbi,
    alcedo_png **decode, alcedo_png_head *head, alcedo_message *message);

// Reads the next `rows` rows, as RGBA with straight alpha, each 4 * width samples long and `stride` bytes after the
// previous one. For interlaced images, all rows are read `passes` times, each pass into the result of the previous one.
alcedo_status alcedo_png_read(
    alcedo_png *decode, uint8_t *pixels, size_t stride, uint32_t rows, alcedo_message *message);

// Reads everything after the pixels, and checks the parts that belong to them. The file may be truncated there.
alcedo_status alcedo_png_finish(alcedo_png *decode, alcedo_message *message);

void alcedo_png_end(alcedo_png *decode);

// Unpacks a zlib stream up to `capacity` bytes and returns the number of bytes written: fewer if the stream ends
// earlier, 0 if it is damaged.
size_t alcedo_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);

// Returns how many bytes a zlib stream unpacks to, up to its end or to damage, without keeping them. Stops once there
// are more than `limit`.
size_t alcedo_inflated_count(const uint8_t *bytes, size_t count, size_t limit);

// Packs bytes into a zlib stream of at most `capacity` bytes. Returns the number of bytes written, 0 if they don't fit.
size_t alcedo_deflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);

// The checksum of PNG chunks, continued from `crc`, which is 0 at first.
uint32_t alcedo_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

// The layout of an encoded image.
typedef struct {
    uint32_t width;
    uint32_t height;
    // As in the file's head.
    int color_type;
    int depth;
    // Straight RGBA of up to 256 colors; those after the last one with transparency are written without alpha.
    const uint8_t *palette;
    int palette_count;
    // zlib's compression level, 0 to 9.
    int level;
    // A set of PNG_FILTER_NONE to PNG_FILTER_PAETH, from which libpng chooses a filter for each row.
    int filters;
} alcedo_png_layout;

// Writes a row of the image as the file stores it, except that each sample of fewer than 8 bits takes a byte. Writes at
// most 4 bytes for each pixel.
typedef void (*alcedo_png_pack)(const void *context, uint32_t y, uint8_t *row);

// Encodes an image whose rows `pack` provides, from the top. On success the caller frees `*output`.
alcedo_status alcedo_png_encode(
    const alcedo_png_layout *layout, alcedo_png_pack pack, const void *context, uint8_t **output, size_t *output_count,
    alcedo_message *message);

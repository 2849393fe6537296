#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libpng reports errors with longjmp, which must not cross a Swift frame: each call below keeps its jump inside.

// A decode that is done in steps, so that its caller can stop between them and need not have room for all rows.
typedef struct alcedo_png alcedo_png;

typedef struct {
    // 0 when every pixel is opaque by its format.
    int has_alpha;
    // How often all rows are read: once, or seven times when they are interlaced.
    int passes;
} alcedo_png_head;

// Reads what comes before the pixels; fails when the file's size is another one. `bytes` must stay where they are until
// the end, which is due whatever comes of this.
alcedo_status alcedo_png_begin(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, alcedo_png **decode, alcedo_png_head *head,
    alcedo_message *message);

// Reads the next `rows` rows, as RGBA8 with straight alpha, each 4 * width bytes long and `stride` bytes from the one
// before. Of interlaced pictures all rows are read `passes` times, each pass into what the one before has left.
alcedo_status alcedo_png_read(
    alcedo_png *decode, uint8_t *pixels, size_t stride, uint32_t rows, alcedo_message *message);

// Reads what comes after the pixels, so that a file without an end is found out.
alcedo_status alcedo_png_finish(alcedo_png *decode, alcedo_message *message);

void alcedo_png_end(alcedo_png *decode);

// Unpacks a zlib stream up to `capacity` bytes and tells how many it wrote: fewer when the stream ends before, 0 when it
// is damaged.
size_t alcedo_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);

// Packs bytes into a zlib stream of up to `capacity` bytes. Returns how many it wrote, 0 when they do not fit.
size_t alcedo_deflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity);

// The checksum of PNG's chunks, carried on from `crc`, which is 0 at first.
uint32_t alcedo_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

// Encodes premultiplied RGBA8 rows without padding; the file's alpha is straight, as PNG demands. `level` is zlib's,
// 0 to 9. On success the caller frees `*output`.
alcedo_status alcedo_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int level, uint8_t **output, size_t *output_count,
    alcedo_message *message);

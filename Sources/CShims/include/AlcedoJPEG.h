#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libjpeg reports errors with longjmp, which must not cross a Swift frame: each call below keeps its jump inside.

// Decodes to RGBA8 rows without padding: `pixels` holds width * height * 4 bytes. It fails when the file's size is
// another one, when data is missing or undecodable, or when there are more than `scan_limit` scans.
alcedo_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int scan_limit, uint8_t *pixels,
    alcedo_message *message);

// Encodes premultiplied RGBA8 rows without padding, laid over white. On success the caller frees `*output`.
alcedo_status alcedo_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, uint8_t **output, size_t *output_count,
    alcedo_message *message);

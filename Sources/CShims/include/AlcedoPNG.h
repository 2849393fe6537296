#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"

// libpng reports errors with longjmp, which must not cross a Swift frame: each call below keeps its jump inside.

// Decodes to RGBA8 rows without padding, alpha straight: `pixels` holds width * height * 4 bytes. It fails when the
// file's size is another one or when anything is missing. `*has_alpha` is 0 when every pixel is opaque by its format.
alcedo_status alcedo_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, uint8_t *pixels, int *has_alpha,
    alcedo_message *message);

// Encodes premultiplied RGBA8 rows without padding; the file's alpha is straight, as PNG demands. `level` is zlib's,
// 0 to 9. On success the caller frees `*output`.
alcedo_status alcedo_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int level, uint8_t **output, size_t *output_count,
    alcedo_message *message);

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Direct loops over the codecs, as the baselines of Alcedo's decoders. If a library is missing, or anything fails, the
// result is false.

/// Decodes the JPEG of `count` bytes as libjpeg-turbo's own benchmark does, to RGBA rows without padding in `pixels`,
/// which has room for `capacity` bytes.
bool jpeg_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Encodes RGB rows without padding with 4:2:0 sampling. The caller frees `*output`.
bool jpeg_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, bool progressive, uint8_t **output,
    size_t *output_count);

/// Decodes the PNG of `count` bytes to RGBA rows without padding, straight alpha, in `pixels`, which has room for
/// `capacity` bytes.
bool png_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Encodes RGBA or, without alpha, RGB rows without padding, with the filters that libpng chooses. The caller frees
/// `*output`.
bool png_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level, uint8_t **output,
    size_t *output_count);

/// Encodes RGB rows without padding. The caller frees `*output`.
bool heic_loop_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t **output, size_t *output_count);

/// Decodes the HEIC of `count` bytes to RGBA rows without padding in `pixels`, which has room for `capacity` bytes.
bool heic_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Encodes RGB rows without padding. The caller frees `*output`.
bool jpegxl_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t **output, size_t *output_count);

/// Decodes the JPEG XL of `count` bytes to RGBA rows without padding in `pixels`, which has room for `capacity` bytes.
bool jpegxl_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity);

/// Writes a TIFF of RGB rows without padding, in strips, uncompressed or with LZW.
bool tiff_loop_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, bool compresses);

/// Decodes a TIFF of RGB row by row to RGBA rows without padding in `pixels`, which has room for `capacity` bytes.
bool tiff_loop_decode(const char *path, uint8_t *pixels, size_t capacity);

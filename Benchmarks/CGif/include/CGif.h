#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether giflib is available: its header at build time, and its library now.
bool gif_available(void);

/// Decodes all images in the `count` bytes at `data`, none of them interlaced or transparent, onto one canvas with four
/// bytes per pixel. Returns their number, or -1 on failure.
long gif_decode_all(const uint8_t *data, size_t count);

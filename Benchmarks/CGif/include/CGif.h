#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether giflib is there: its header when this was built, its library now.
bool gif_available(void);

/// Decodes all images of the `count` bytes at `data`, none of them interlaced or with transparency, onto one canvas of
/// four bytes a pixel. Returns how many, or -1 when something is wrong.
long gif_decode_all(const uint8_t *data, size_t count);

#pragma once

#include <stddef.h>
#include <stdint.h>

// Weighted sums of pixels. All weights are fixed-point numbers that sum to one, with magnitudes that sum to less than
// two.

// Adds up rows of bytes: output[x] = (start + rows[0][x] * weights[0] + rows[1][x] * weights[1] + …) >> shift.
// `length` is the number of bytes in a row.
void alcedo_resample_rows(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                          int32_t start, int shift, int16_t *output);

// The same with numbers of 32 bits, which hold every bit of the sums.
void alcedo_resample_sums(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                          int32_t start, int shift, int32_t *output);

// Adds up pixels of a row, which has four numbers for each, and writes RGBA8: pixel x of `count` is `start` and the sum
// of the pixels from firsts[x] on, times the weights from offsets[x] up to offsets[x + 1], shifted. Overshoot is
// clamped: alpha to 255, colors to their alpha. The sums must fit 32 bits unless `is_long` is set.
void alcedo_resample_pixels(const int16_t *row, const intptr_t *firsts, const intptr_t *offsets,
                            const int16_t *weights, size_t count, int64_t start, int shift, int is_long,
                            uint8_t *output);

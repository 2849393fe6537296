#include "CResampling.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

// Two weights, for each pair of numbers.
static __m128i pair(int16_t first, int16_t second) {
    return _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16));
}

static __m128i bytes(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

// The sums of sixteen bytes of each row.
static inline void add_sixteen(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t x,
                               int32_t start, int shift, __m128i sums[4]) {
    const __m128i zero = _mm_setzero_si128(), amount = _mm_cvtsi32_si128(shift);
    __m128i a = _mm_set1_epi32(start), b = a, c = a, d = a;
    for (size_t row = 0; row < count; row += 2) {
        const int is_last = row + 1 == count;
        const __m128i one = bytes(rows[row] + x), other = is_last ? zero : bytes(rows[row + 1] + x);
        const __m128i weight = pair(weights[row], is_last ? 0 : weights[row + 1]);
        const __m128i low = _mm_unpacklo_epi8(one, other), high = _mm_unpackhi_epi8(one, other);
        a = _mm_add_epi32(a, _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), weight));
        b = _mm_add_epi32(b, _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), weight));
        c = _mm_add_epi32(c, _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), weight));
        d = _mm_add_epi32(d, _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), weight));
    }
    sums[0] = _mm_sra_epi32(a, amount);
    sums[1] = _mm_sra_epi32(b, amount);
    sums[2] = _mm_sra_epi32(c, amount);
    sums[3] = _mm_sra_epi32(d, amount);
}

static void write_sixteen(const __m128i sums[4], int16_t *output) {
    _mm_storeu_si128((__m128i *)output, _mm_packs_epi32(sums[0], sums[1]));
    _mm_storeu_si128((__m128i *)(output + 8), _mm_packs_epi32(sums[2], sums[3]));
}

static void write_sixteen_sums(const __m128i sums[4], int32_t *output) {
    for (int index = 0; index < 4; index++) _mm_storeu_si128((__m128i *)output + index, sums[index]);
}

typedef __m128i vector;
enum { sums_count = 4 };

static void pixel(const int16_t *numbers, const int16_t *weights, size_t count, int32_t start, int shift,
                  uint8_t *output) {
    __m128i sum = _mm_set1_epi32(start);
    size_t index = 0;
    for (; index + 2 <= count; index += 2) {
        const __m128i two = _mm_loadu_si128((const __m128i *)(numbers + 4 * index));
        const __m128i pairs = _mm_unpacklo_epi16(two, _mm_srli_si128(two, 8));
        sum = _mm_add_epi32(sum, _mm_madd_epi16(pairs, pair(weights[index], weights[index + 1])));
    }
    if (index < count) {
        const __m128i one = _mm_loadl_epi64((const __m128i *)(numbers + 4 * index));
        const __m128i pairs = _mm_unpacklo_epi16(one, _mm_setzero_si128());
        sum = _mm_add_epi32(sum, _mm_madd_epi16(pairs, pair(weights[index], 0)));
    }
    sum = _mm_sra_epi32(sum, _mm_cvtsi32_si128(shift));
    __m128i rgba = _mm_max_epi16(_mm_packs_epi32(sum, sum), _mm_setzero_si128());
    rgba = _mm_min_epi16(rgba, _mm_set1_epi16(255));
    rgba = _mm_min_epi16(rgba, _mm_shufflelo_epi16(rgba, 0xFF));
    const int32_t packed = _mm_cvtsi128_si32(_mm_packus_epi16(rgba, rgba));
    memcpy(output, &packed, 4);
}
#else
static inline void add_sixteen(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t x,
                               int32_t start, int shift, int32_t sums[16]) {
    for (size_t index = 0; index < 16; index++) sums[index] = start;
    for (size_t row = 0; row < count; row++) {
        for (size_t index = 0; index < 16; index++) sums[index] += (int16_t)rows[row][x + index] * weights[row];
    }
    for (size_t index = 0; index < 16; index++) sums[index] >>= shift;
}

static void write_sixteen(const int32_t sums[16], int16_t *output) {
    for (size_t index = 0; index < 16; index++) output[index] = (int16_t)sums[index];
}

static void write_sixteen_sums(const int32_t sums[16], int32_t *output) {
    for (size_t index = 0; index < 16; index++) output[index] = sums[index];
}

typedef int32_t vector;
enum { sums_count = 16 };
#endif

static int64_t clamped(int64_t number, int64_t most) { return number < 0 ? 0 : number > most ? most : number; }

static void long_pixel(const int16_t *numbers, const int16_t *weights, size_t count, int64_t start, int shift,
                       uint8_t *output) {
    int64_t sums[4] = {start, start, start, start};
    for (size_t index = 0; index < count; index++) {
        for (size_t channel = 0; channel < 4; channel++) {
            sums[channel] += (int32_t)numbers[4 * index + channel] * weights[index];
        }
    }
    const int64_t alpha = clamped(sums[3] >> shift, 255);
    for (size_t channel = 0; channel < 4; channel++) output[channel] = (uint8_t)clamped(sums[channel] >> shift, alpha);
}

static int32_t sum(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t x, int32_t start,
                   int shift) {
    for (size_t row = 0; row < count; row++) start += rows[row][x] * weights[row];
    return start >> shift;
}

void alcedo_resample_rows(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                          int32_t start, int shift, int16_t *output) {
    size_t x = 0;
    vector sums[sums_count];
    for (; x + 16 <= length; x += 16) {
        add_sixteen(rows, weights, count, x, start, shift, sums);
        write_sixteen(sums, output + x);
    }
    for (; x < length; x++) output[x] = (int16_t)sum(rows, weights, count, x, start, shift);
}

void alcedo_resample_sums(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                          int32_t start, int shift, int32_t *output) {
    size_t x = 0;
    vector sums[sums_count];
    for (; x + 16 <= length; x += 16) {
        add_sixteen(rows, weights, count, x, start, shift, sums);
        write_sixteen_sums(sums, output + x);
    }
    for (; x < length; x++) output[x] = sum(rows, weights, count, x, start, shift);
}

void alcedo_resample_pixels(const int16_t *row, const intptr_t *firsts, const intptr_t *offsets,
                            const int16_t *weights, size_t count, int64_t start, int shift, int is_long,
                            uint8_t *output) {
    for (size_t x = 0; x < count; x++, output += 4) {
        const int16_t *numbers = row + 4 * firsts[x], *own = weights + offsets[x];
        const size_t width = (size_t)(offsets[x + 1] - offsets[x]);
#ifdef __SSE2__
        if (!is_long) {
            pixel(numbers, own, width, (int32_t)start, shift, output);
            continue;
        }
#else
        (void)is_long;
#endif
        long_pixel(numbers, own, width, start, shift, output);
    }
}

#include "CResampling.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>

// Vectors of 32 bytes where the processor has them: twice as many numbers at a time, with the same results.
#define WIDE __attribute__((target("avx2")))

static int is_wide(void) { return __builtin_cpu_supports("avx2"); }

// Two weights, for each pair of numbers.
WIDE static inline __m256i wide_pair(int16_t first, int16_t second) {
    return _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16));
}

// The sums of 32 bytes of each row. The instructions work on halves of 16 bytes, so sums[0] is of bytes 0 to 3 and 16 to
// 19, sums[1] of bytes 4 to 7 and 20 to 23, and so on.
WIDE static inline void add_wide(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t x,
                                 int32_t start, int shift, __m256i sums[4]) {
    const __m256i zero = _mm256_setzero_si256();
    const __m128i amount = _mm_cvtsi32_si128(shift);
    __m256i a = _mm256_set1_epi32(start), b = a, c = a, d = a;
    for (size_t row = 0; row < count; row += 2) {
        const int is_last = row + 1 == count;
        const __m256i one = _mm256_loadu_si256((const __m256i *)(rows[row] + x));
        const __m256i other = is_last ? zero : _mm256_loadu_si256((const __m256i *)(rows[row + 1] + x));
        const __m256i weight = wide_pair(weights[row], is_last ? 0 : weights[row + 1]);
        const __m256i low = _mm256_unpacklo_epi8(one, other), high = _mm256_unpackhi_epi8(one, other);
        a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), weight));
        b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), weight));
        c = _mm256_add_epi32(c, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), weight));
        d = _mm256_add_epi32(d, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), weight));
    }
    sums[0] = _mm256_sra_epi32(a, amount);
    sums[1] = _mm256_sra_epi32(b, amount);
    sums[2] = _mm256_sra_epi32(c, amount);
    sums[3] = _mm256_sra_epi32(d, amount);
}

// Returns how many numbers it has written.
WIDE static size_t wide_rows(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                             int32_t start, int shift, int16_t *output) {
    size_t x = 0;
    __m256i sums[4];
    for (; x + 32 <= length; x += 32) {
        add_wide(rows, weights, count, x, start, shift, sums);
        const __m256i first = _mm256_packs_epi32(sums[0], sums[1]), second = _mm256_packs_epi32(sums[2], sums[3]);
        _mm256_storeu_si256((__m256i *)(output + x), _mm256_permute2x128_si256(first, second, 0x20));
        _mm256_storeu_si256((__m256i *)(output + x + 16), _mm256_permute2x128_si256(first, second, 0x31));
    }
    return x;
}

WIDE static size_t wide_sums(const uint8_t *const *rows, const int16_t *weights, size_t count, size_t length,
                             int32_t start, int shift, int32_t *output) {
    size_t x = 0;
    __m256i sums[4];
    for (; x + 32 <= length; x += 32) {
        add_wide(rows, weights, count, x, start, shift, sums);
        __m256i *target = (__m256i *)(output + x);
        _mm256_storeu_si256(target, _mm256_permute2x128_si256(sums[0], sums[1], 0x20));
        _mm256_storeu_si256(target + 1, _mm256_permute2x128_si256(sums[2], sums[3], 0x20));
        _mm256_storeu_si256(target + 2, _mm256_permute2x128_si256(sums[0], sums[1], 0x31));
        _mm256_storeu_si256(target + 3, _mm256_permute2x128_si256(sums[2], sums[3], 0x31));
    }
    return x;
}

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

// Adds the pixels from `index` on to `sum`, and writes it.
static inline void finish_pixel(const int16_t *numbers, const int16_t *weights, size_t index, size_t count,
                                __m128i sum, int shift, uint8_t *output) {
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

static void pixel(const int16_t *numbers, const int16_t *weights, size_t count, int32_t start, int shift,
                  uint8_t *output) {
    finish_pixel(numbers, weights, 0, count, _mm_set1_epi32(start), shift, output);
}

WIDE static void wide_pixels(const int16_t *row, const intptr_t *firsts, const intptr_t *offsets,
                             const int16_t *weights, size_t count, int32_t start, int shift, uint8_t *output) {
    // The same channel of two pixels side by side, for which there is a pair of weights.
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,
                                           0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i spread = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    for (size_t x = 0; x < count; x++, output += 4) {
        const int16_t *numbers = row + 4 * firsts[x], *own = weights + offsets[x];
        const size_t width = (size_t)(offsets[x + 1] - offsets[x]);
        __m256i sum = _mm256_setzero_si256();
        size_t index = 0;
        for (; index + 4 <= width; index += 4) {
            const __m256i four = _mm256_loadu_si256((const __m256i *)(numbers + 4 * index));
            const __m256i weight = _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(own + index)));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_shuffle_epi8(four, pairs),
                                                          _mm256_permutevar8x32_epi32(weight, spread)));
        }
        const __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        finish_pixel(numbers, own, index, width, _mm_add_epi32(both, _mm_set1_epi32(start)), shift, output);
    }
}
#else
#ifdef __ARM_NEON
#include <arm_neon.h>

static void pixel(const int16_t *numbers, const int16_t *weights, size_t count, int32_t start, int shift,
                  uint8_t *output) {
    int32x4_t sum = vdupq_n_s32(start);
    for (size_t index = 0; index < count; index++) {
        sum = vmlal_n_s16(sum, vld1_s16(numbers + 4 * index), weights[index]);
    }
    sum = vshlq_s32(sum, vdupq_n_s32(-shift));
    sum = vminq_s32(vmaxq_s32(sum, vdupq_n_s32(0)), vdupq_n_s32(255));
    sum = vminq_s32(sum, vdupq_n_s32(vgetq_lane_s32(sum, 3)));
    const int16x4_t rgba = vmovn_s32(sum);
    const uint8x8_t packed = vqmovun_s16(vcombine_s16(rgba, rgba));
    vst1_lane_u32((void *)output, vreinterpret_u32_u8(packed), 0);
}
#endif

// The compiler makes vectors of these loops.
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
#ifdef __SSE2__
    if (is_wide()) x = wide_rows(rows, weights, count, length, start, shift, output);
#endif
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
#ifdef __SSE2__
    if (is_wide()) x = wide_sums(rows, weights, count, length, start, shift, output);
#endif
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
#ifdef __SSE2__
    if (!is_long && is_wide()) {
        wide_pixels(row, firsts, offsets, weights, count, (int32_t)start, shift, output);
        return;
    }
#endif
    for (size_t x = 0; x < count; x++, output += 4) {
        const int16_t *numbers = row + 4 * firsts[x], *own = weights + offsets[x];
        const size_t width = (size_t)(offsets[x + 1] - offsets[x]);
#if defined(__SSE2__) || defined(__ARM_NEON)
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

#include "CCodecLoops.h"

#ifdef BENCH_PNG

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t count;
} Input;

typedef struct {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} Output;

static void on_read(png_structp png, png_bytep bytes, size_t count) {
    Input *input = png_get_io_ptr(png);
    if (count > input->count) png_error(png, "too short");
    memcpy(bytes, input->bytes, count);
    input->bytes += count;
    input->count -= count;
}

static void decode_all(png_structp png, png_infop info, uint8_t *pixels, size_t capacity) {
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    const size_t stride = png_get_rowbytes(png, info);
    const uint32_t height = png_get_image_height(png, info);
    if (stride * height > capacity || png_get_interlace_type(png, info) != PNG_INTERLACE_NONE) png_error(png, "");
    for (uint32_t row = 0; row < height; row++) png_read_row(png, pixels + row * stride, NULL);
    png_read_end(png, NULL);
}

bool png_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    Input input = {bytes, count};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    volatile bool is_done = false;
    if (info != NULL && setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &input, on_read);
        decode_all(png, info, pixels, capacity);
        is_done = true;
    }
    png_destroy_read_struct(&png, &info, NULL);
    return is_done;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    Output *output = png_get_io_ptr(png);
    if (count > output->capacity - output->count) {
        const size_t capacity = (output->count + count) * 2;
        uint8_t *larger = realloc(output->bytes, capacity);
        if (larger == NULL) png_error(png, "out of memory");
        output->bytes = larger;
        output->capacity = capacity;
    }
    memcpy(output->bytes + output->count, bytes, count);
    output->count += count;
}

static void on_flush(png_structp png) { (void)png; }

bool png_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level, uint8_t **output,
    size_t *output_count) {
    const size_t stride = (size_t)width * (has_alpha ? 4 : 3);
    Output written = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    volatile bool is_done = false;
    if (info != NULL && setjmp(png_jmpbuf(png)) == 0) {
        png_set_write_fn(png, &written, on_write, on_flush);
        png_set_IHDR(
            png, info, width, height, 8, has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
            PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_set_compression_level(png, level);
        png_write_info(png, info);
        for (uint32_t row = 0; row < height; row++) png_write_row(png, pixels + row * stride);
        png_write_end(png, NULL);
        is_done = true;
    }
    png_destroy_write_struct(&png, &info);
    *output = written.bytes;
    *output_count = written.count;
    return is_done;
}

#else

bool png_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    (void)bytes, (void)count, (void)pixels, (void)capacity;
    return false;
}

bool png_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level, uint8_t **output,
    size_t *output_count) {
    (void)pixels, (void)width, (void)height, (void)has_alpha, (void)level, (void)output, (void)output_count;
    return false;
}

#endif

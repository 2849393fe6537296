#include "CCodecLoops.h"

#ifdef BENCH_JPEG

// jpeglib.h uses FILE and size_t without including their headers.
#include <stdio.h>

#include <jpeglib.h>

#include <setjmp.h>
#include <stdlib.h>

typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf escape;
} ErrorState;

static void on_error(j_common_ptr info) { longjmp(((ErrorState *)info->err)->escape, 1); }

static void decode_all(struct jpeg_decompress_struct *info, uint8_t *pixels, JSAMPROW *rows) {
    for (JDIMENSION row = 0; row < info->output_height; row++) rows[row] = pixels + (size_t)row * info->output_width * 4;
    while (info->output_scanline < info->output_height) {
        jpeg_read_scanlines(info, &rows[info->output_scanline], info->output_height - info->output_scanline);
    }
    jpeg_finish_decompress(info);
}

bool jpeg_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    struct jpeg_decompress_struct info;
    ErrorState errors;
    JSAMPROW *volatile rows = NULL;
    volatile bool is_done = false;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = on_error;
    jpeg_create_decompress(&info);
    if (setjmp(errors.escape) == 0) {
        jpeg_mem_src(&info, bytes, count);
        jpeg_read_header(&info, TRUE);
        info.out_color_space = JCS_EXT_RGBA;
        jpeg_start_decompress(&info);
        rows = malloc(info.output_height * sizeof(JSAMPROW));
        if (rows != NULL && (size_t)info.output_width * info.output_height * 4 <= capacity) {
            decode_all(&info, pixels, rows);
            is_done = true;
        }
    }
    jpeg_destroy_decompress(&info);
    free(rows);
    return is_done;
}

static void encode_all(
    struct jpeg_compress_struct *info, const uint8_t *pixels, uint32_t width, uint32_t height, int quality,
    bool progressive) {
    info->image_width = width;
    info->image_height = height;
    info->input_components = 3;
    info->in_color_space = JCS_RGB;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    if (progressive) jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    while (info->next_scanline < height) {
        // libjpeg doesn't write to its input.
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels + (size_t)info->next_scanline * width * 3);
        jpeg_write_scanlines(info, &row, 1);
    }
    jpeg_finish_compress(info);
}

bool jpeg_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, bool progressive, uint8_t **output,
    size_t *output_count) {
    struct jpeg_compress_struct info;
    ErrorState errors;
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = on_error;
    jpeg_create_compress(&info);
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&info);
        return false;
    }
    jpeg_mem_dest(&info, &bytes, &count);
    encode_all(&info, pixels, width, height, quality, progressive);
    jpeg_destroy_compress(&info);
    *output = bytes;
    *output_count = count;
    return true;
}

#else

bool jpeg_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    (void)bytes, (void)count, (void)pixels, (void)capacity;
    return false;
}

bool jpeg_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, bool progressive, uint8_t **output,
    size_t *output_count) {
    (void)pixels, (void)width, (void)height, (void)quality, (void)progressive, (void)output, (void)output_count;
    return false;
}

#endif

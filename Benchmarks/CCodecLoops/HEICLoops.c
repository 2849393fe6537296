#include "CCodecLoops.h"

#ifdef BENCH_HEIC

#include <libheif/heif.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t count;
} Output;

static struct heif_error on_write(struct heif_context *context, const void *bytes, size_t count, void *user) {
    (void)context;
    Output *output = user;
    output->bytes = malloc(count);
    if (output->bytes != NULL) {
        memcpy(output->bytes, bytes, count);
        output->count = count;
    }
    const struct heif_error success = {heif_error_Ok, heif_suberror_Unspecified, ""};
    return success;
}

static struct heif_image *make_image(const uint8_t *pixels, uint32_t width, uint32_t height) {
    struct heif_image *image = NULL;
    if (heif_image_create((int)width, (int)height, heif_colorspace_RGB, heif_chroma_interleaved_RGB, &image).code !=
        heif_error_Ok) {
        return NULL;
    }
    if (heif_image_add_plane(image, heif_channel_interleaved, (int)width, (int)height, 8).code == heif_error_Ok) {
        int stride = 0;
        uint8_t *rows = heif_image_get_plane(image, heif_channel_interleaved, &stride);
        for (uint32_t row = 0; row < height; row++) {
            memcpy(rows + (size_t)row * (size_t)stride, pixels + (size_t)row * width * 3, (size_t)width * 3);
        }
    }
    return image;
}

bool heic_loop_encode(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t **output, size_t *output_count) {
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    struct heif_image *image = make_image(pixels, width, height);
    Output written = {NULL, 0};
    if (image != NULL &&
        heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code == heif_error_Ok) {
        heif_encoder_set_lossy_quality(encoder, 50);
        heif_encoder_set_parameter_string(encoder, "preset", "ultrafast");
        if (heif_context_encode_image(context, image, encoder, NULL, NULL).code == heif_error_Ok) {
            struct heif_writer writer = {.writer_api_version = 1, .write = on_write};
            heif_context_write(context, &writer, &written);
        }
    }
    if (encoder != NULL) heif_encoder_release(encoder);
    if (image != NULL) heif_image_release(image);
    heif_context_free(context);
    *output = written.bytes;
    *output_count = written.count;
    return written.bytes != NULL;
}

bool heic_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    heif_context_set_max_decoding_threads(context, 0);
    bool is_done = false;
    if (heif_context_read_from_memory_without_copy(context, bytes, count, NULL).code == heif_error_Ok &&
        heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok &&
        heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL).code ==
            heif_error_Ok) {
        int stride = 0;
        const uint8_t *rows = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
        const size_t row_bytes = (size_t)heif_image_get_primary_width(image) * 4;
        const size_t height = (size_t)heif_image_get_primary_height(image);
        is_done = row_bytes * height <= capacity;
        for (size_t row = 0; row < height && is_done; row++) {
            memcpy(pixels + row * row_bytes, rows + row * (size_t)stride, row_bytes);
        }
    }
    if (image != NULL) heif_image_release(image);
    if (handle != NULL) heif_image_handle_release(handle);
    heif_context_free(context);
    return is_done;
}

#endif

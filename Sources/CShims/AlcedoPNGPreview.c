#include "AlcedoPNGPreview.h"

#ifdef ALCEDO_PNG

#include "PNGCommon.h"

#include <stdlib.h>

struct alcedo_png_preview {
    png_structp png;
    png_infop info;
    uint32_t width;
    uint32_t height;
    // Owned by the caller and valid during a call.
    uint8_t *pixels;
    alcedo_png_progress progress;
};

static void on_info(png_structp png, png_infop info) {
    alcedo_png_preview *preview = png_get_progressive_ptr(png);
    // libpng calls this again for pixel data after the last row.
    if (preview->progress.head.passes > 0) return;
    alcedo_png_start(png, info, preview->width, preview->height, 0, &preview->progress.head);
}

// For interlaced images, each pass calls this for all rows, some of them without new pixels.
static void on_row(png_structp png, png_bytep pixels, png_uint_32 row, int pass) {
    alcedo_png_preview *preview = png_get_progressive_ptr(png);
    if (row >= preview->height) png_error(png, "rows beyond the picture");
    if (pixels == NULL) return;
    preview->progress.pass = (uint32_t)pass + 1;
    preview->progress.changes++;
    png_progressive_combine_row(png, preview->pixels + (size_t)row * preview->width * 4, pixels);
    if (row >= preview->progress.rows) preview->progress.rows = row + 1;
}

static void on_end(png_structp png, png_infop info) {
    (void)info;
    alcedo_png_preview *preview = png_get_progressive_ptr(png);
    preview->progress.is_complete = 1;
}

alcedo_status alcedo_png_preview_begin(
    uint32_t width, uint32_t height, int color_type, alcedo_png_preview **output, alcedo_message *message) {
    alcedo_png_preview *preview = calloc(1, sizeof *preview);
    *output = preview;
    message->text[0] = 0;
    if (preview == NULL) return alcedo_failed;
    preview->width = width;
    preview->height = height;
    preview->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, alcedo_png_on_error, alcedo_png_on_warning);
    if (preview->png == NULL) return alcedo_failed;
    preview->info = png_create_info_struct(preview->png);
    if (preview->info == NULL) return alcedo_failed;
    if (setjmp(png_jmpbuf(preview->png))) return alcedo_failed;
    alcedo_png_set_up(preview->png, width, height, color_type);
    png_set_progressive_read_fn(preview->png, preview, on_info, on_row, on_end);
    return alcedo_done;
}

alcedo_status alcedo_png_preview_append(
    alcedo_png_preview *preview, const uint8_t *bytes, size_t count, uint8_t *pixels, alcedo_message *message) {
    message->text[0] = 0;
    png_set_error_fn(preview->png, message, alcedo_png_on_error, alcedo_png_on_warning);
    preview->pixels = pixels;
    if (setjmp(png_jmpbuf(preview->png))) return alcedo_failed;
    // libpng retains the data it can't use yet, and guarantees not to write to its input.
    png_process_data(preview->png, preview->info, (png_bytep)(uintptr_t)bytes, count);
    return alcedo_done;
}

alcedo_png_progress alcedo_png_preview_progress(const alcedo_png_preview *preview) { return preview->progress; }

void alcedo_png_preview_end(alcedo_png_preview *preview) {
    if (preview == NULL) return;
    png_destroy_read_struct(&preview->png, &preview->info, NULL);
    free(preview);
}

#endif

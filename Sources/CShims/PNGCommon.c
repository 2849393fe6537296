#include "AlcedoPNG.h"

#ifdef ALCEDO_PNG

#include "PNGCommon.h"

#include <stdio.h>

_Noreturn void alcedo_png_on_error(png_structp png, png_const_charp text) {
    alcedo_message *message = png_get_error_ptr(png);
    snprintf(message->text, sizeof message->text, "%s", text);
    png_longjmp(png, 1);
}

void alcedo_png_on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

void alcedo_png_set_up(png_structp png, uint32_t width, uint32_t height, int color_type) {
    png_set_user_limits(png, width, height);
    // Only IHDR, PLTE, tRNS and IDAT are read; all other chunks are skipped without being examined, whatever their
    // claimed size.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_chunk_malloc_max(png, 0);
    // In a truecolor file the palette is only a hint for obsolete displays, but libpng lets it cancel a transparent
    // color that precedes it.
    if (color_type == PNG_COLOR_TYPE_RGB || color_type == PNG_COLOR_TYPE_RGB_ALPHA) {
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep) "PLTE", 1);
    }
}

static int is_little_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one;
}

void alcedo_png_start(
    png_structp png, png_infop info, uint32_t width, uint32_t height, int keeps_depth, alcedo_png_head *head) {
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
        png_error(png, "two image headers that differ");
    }
    head->has_alpha =
        (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    head->passes = png_set_interlace_handling(png);
    head->is_deep = keeps_depth && head->passes == 1;
    if (head->is_deep) {
        png_set_expand_16(png);
        if (is_little_endian()) png_set_swap(png);
    } else {
        png_set_expand(png);
        // Rounds to the nearest value.
        png_set_scale_16(png);
    }
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, head->is_deep ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    // The rows are written into the caller's memory; this check prevents an overflow.
    if (png_get_rowbytes(png, info) != (size_t)width * (head->is_deep ? 8 : 4)) png_error(png, "rows of an unexpected length");
}

#endif

#include "AlcedoJPEGPreview.h"

#ifdef ALCEDO_JPEG

#include "JPEGCommon.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

// The number of source pixels that take a millisecond or two.
enum { step_pixels = 1 << 18 };

struct alcedo_jpeg_preview {
    struct jpeg_decompress_struct info;
    struct jpeg_source_mgr source;
    alcedo_jpeg_errors errors;
    alcedo_jpeg_size size;
    int scan_limit;
    uint64_t coefficient_limit;
    // Bytes that libjpeg hasn't consumed. If there were too few, it starts over with these.
    uint8_t *bytes;
    size_t capacity;
    // Bytes to skip when they arrive: the rest of a segment that isn't read.
    size_t skipped;
    int has_started;
    int is_complete;
    uint32_t rows;
    // Whether a pass over the rows has begun and not ended.
    int is_pass_open;
    // Whether known rows of the pass still have to be written.
    int is_rendering;
    // The scan that had been read when the last pass began.
    int shown_scan;
    uint32_t shown_row;
    int shows_all;
};

// MARK: The source

static void do_nothing(j_decompress_ptr info) { (void)info; }

// No more input for now: libjpeg suspends its current operation and repeats it when there is more.
static boolean have_no_more(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

static void skip(j_decompress_ptr info, long count) {
    alcedo_jpeg_preview *preview = info->client_data;
    if (count <= 0) return;
    const size_t there = info->src->bytes_in_buffer;
    const size_t now = (size_t)count < there ? (size_t)count : there;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
    preview->skipped += (size_t)count - now;
}

alcedo_status alcedo_jpeg_preview_append(alcedo_jpeg_preview *preview, const uint8_t *bytes, size_t count) {
    if (preview->is_complete) return alcedo_done;
    const size_t passed_over = count < preview->skipped ? count : preview->skipped;
    preview->skipped -= passed_over;
    bytes += passed_over;
    count -= passed_over;
    struct jpeg_source_mgr *source = &preview->source;
    const size_t left = source->bytes_in_buffer;
    if (left > 0) memmove(preview->bytes, source->next_input_byte, left);
    if (left + count > preview->capacity) {
        uint8_t *larger = realloc(preview->bytes, left + count);
        if (larger == NULL) return alcedo_failed;
        preview->bytes = larger;
        preview->capacity = left + count;
    }
    if (count > 0) memcpy(preview->bytes + left, bytes, count);
    source->next_input_byte = preview->bytes;
    source->bytes_in_buffer = left + count;
    return alcedo_done;
}

// MARK: Reading

alcedo_status alcedo_jpeg_preview_begin(
    const alcedo_jpeg_size *size, int scan_limit, uint64_t coefficient_limit, alcedo_jpeg_preview **output,
    alcedo_message *message) {
    alcedo_jpeg_preview *preview = calloc(1, sizeof *preview);
    *output = preview;
    message->text[0] = 0;
    if (preview == NULL) return alcedo_failed;
    preview->size = *size;
    preview->scan_limit = scan_limit;
    preview->coefficient_limit = coefficient_limit;
    preview->source = (struct jpeg_source_mgr){
        .init_source = do_nothing,
        .fill_input_buffer = have_no_more,
        .skip_input_data = skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = do_nothing,
    };
    preview->info.err = alcedo_jpeg_start_errors(&preview->errors, message);
    if (setjmp(preview->errors.escape)) return preview->errors.status;
    jpeg_create_decompress(&preview->info);
    preview->info.client_data = preview;
    preview->info.src = &preview->source;
    return alcedo_done;
}

// Returns whether the head was complete.
static int start(alcedo_jpeg_preview *preview) {
    struct jpeg_decompress_struct *info = &preview->info;
    const alcedo_jpeg_size *size = &preview->size;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return 0;
    if (info->image_width != size->width || info->image_height != size->height) ERREXIT(info, JERR_BAD_LENGTH);
    info->buffered_image = jpeg_has_multiple_scans(info);
    if (info->buffered_image && alcedo_jpeg_coefficient_bytes(info) > preview->coefficient_limit) {
        alcedo_jpeg_leave(&preview->errors, alcedo_memory_limit);
    }
    info->scale_num = 1;
    info->scale_denom = size->denominator;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
    if (!jpeg_start_decompress(info)) ERREXIT(info, JERR_CANT_SUSPEND);
    // The rows are written into the caller's memory; this check prevents an overflow.
    if (info->output_width != size->output_width || info->output_height != size->output_height) {
        ERREXIT(info, JERR_BAD_LENGTH);
    }
    preview->has_started = 1;
    return 1;
}

static alcedo_status read_scans(alcedo_jpeg_preview *preview) {
    struct jpeg_decompress_struct *info = &preview->info;
    // libjpeg's width isn't used: a truncated second frame header overwrites it before libjpeg refuses that header.
    const uint64_t row_pixels = (uint64_t)preview->size.width * (uint64_t)info->max_v_samp_factor * DCTSIZE;
    for (uint64_t pixels = 0; pixels < step_pixels; pixels += row_pixels) {
        const int result = jpeg_consume_input(info);
        if (result == JPEG_SUSPENDED) return alcedo_done;
        if (result == JPEG_REACHED_EOI) {
            preview->is_complete = 1;
            return alcedo_done;
        }
        if (info->input_scan_number > preview->scan_limit) alcedo_jpeg_leave(&preview->errors, alcedo_scan_limit);
    }
    return alcedo_more;
}

// Writes some rows of the current pass, as far as they are known.
static alcedo_status write_rows(alcedo_jpeg_preview *preview, uint8_t *pixels) {
    struct jpeg_decompress_struct *info = &preview->info;
    const size_t stride = (size_t)info->output_width * 4;
    const alcedo_jpeg_size *size = &preview->size;
    const uint32_t source_row = size->width * (size->height / size->output_height);
    const uint32_t rows = source_row < step_pixels ? step_pixels / source_row : 1;
    for (uint32_t row = 0; row < rows; row++) {
        if (info->output_scanline == info->output_height) return alcedo_done;
        JSAMPROW target = pixels + stride * info->output_scanline;
        if (jpeg_read_scanlines(info, &target, 1) == 0) return alcedo_done;
        if (info->out_color_space == JCS_CMYK) alcedo_jpeg_convert_ink(target, info->output_width);
        if (info->output_scanline > preview->rows) preview->rows = info->output_scanline;
    }
    return alcedo_more;
}

alcedo_status alcedo_jpeg_preview_read(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message) {
    message->text[0] = 0;
    preview->errors.message = message;
    if (preview->is_complete) return alcedo_done;
    if (setjmp(preview->errors.escape)) return preview->errors.status;
    if (!preview->has_started && !start(preview)) return alcedo_done;
    if (preview->info.buffered_image) return read_scans(preview);
    const alcedo_status status = write_rows(preview, pixels);
    preview->is_complete = preview->rows == preview->info.output_height;
    return status;
}

// MARK: Rendering

static int has_news(const alcedo_jpeg_preview *preview) {
    if (!preview->has_started || !preview->info.buffered_image) return 0;
    if (preview->shows_all && !preview->is_rendering) return 0;
    return preview->is_rendering || preview->is_complete || preview->shown_scan != preview->info.input_scan_number ||
           preview->shown_row != preview->info.input_iMCU_row;
}

// Begins a pass, or continues that of the first scan, whose rows arrive with the input. A pass for a scan before the
// current one never has to wait for input.
static void begin_pass(alcedo_jpeg_preview *preview) {
    struct jpeg_decompress_struct *info = &preview->info;
    if (preview->is_pass_open) {
        if (info->input_scan_number <= info->output_scan_number && !preview->is_complete) return;
        if (!jpeg_finish_output(info)) ERREXIT(info, JERR_CANT_SUSPEND);
        preview->is_pass_open = 0;
    }
    const int scan =
        preview->is_complete || info->input_scan_number < 2 ? info->input_scan_number : info->input_scan_number - 1;
    if (!jpeg_start_output(info, scan)) ERREXIT(info, JERR_CANT_SUSPEND);
    preview->is_pass_open = 1;
}

alcedo_status alcedo_jpeg_preview_render(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message) {
    message->text[0] = 0;
    preview->errors.message = message;
    if (!has_news(preview)) return alcedo_done;
    if (setjmp(preview->errors.escape)) return preview->errors.status;
    if (!preview->is_rendering) {
        begin_pass(preview);
        preview->is_rendering = 1;
        preview->shown_scan = preview->info.input_scan_number;
        preview->shown_row = preview->info.input_iMCU_row;
        preview->shows_all = preview->is_complete;
    }
    const alcedo_status status = write_rows(preview, pixels);
    if (status == alcedo_done) preview->is_rendering = 0;
    return status;
}

alcedo_jpeg_progress alcedo_jpeg_preview_progress(const alcedo_jpeg_preview *preview) {
    return (alcedo_jpeg_progress){
        .rows = preview->rows,
        .scan = (uint32_t)preview->info.input_scan_number,
        .has_scans = preview->has_started && preview->info.buffered_image,
        .is_complete = preview->is_complete,
        .has_news = has_news(preview),
    };
}

void alcedo_jpeg_preview_end(alcedo_jpeg_preview *preview) {
    if (preview == NULL) return;
    jpeg_destroy_decompress(&preview->info);
    free(preview->bytes);
    free(preview);
}

#endif

#include "AlcedoJPEG.h"

#ifdef ALCEDO_JPEG

#include "JPEGCommon.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    struct jpeg_destination_mgr manager;
    uint8_t *bytes;
    size_t capacity;
} Sink;

// MARK: Decoding

struct alcedo_jpeg {
    struct jpeg_decompress_struct info;
    alcedo_jpeg_errors errors;
    int scan_limit;
    // Whether everything before the pixels has been read.
    int has_started;
    int keeps_inks;
    // Whether only a part of the output is wanted, and the column at which it begins in the rows that are decoded.
    int is_part;
    uint32_t left;
    uint32_t top;
    uint32_t width;
    uint32_t bottom;
    // A decoded row, if only a part of it is wanted.
    uint8_t *row;
};

// Counts the scans up to the end of the image, including the current one. Counting takes microseconds; finding out by
// decoding takes a pass over all pixels for each scan. (A forged count is detected by collect_scans.)
static int count_scans(const uint8_t *bytes, size_t count, int limit) {
    const uint8_t *end = bytes + count;
    int scans = 1;
    while (scans <= limit && bytes < end && (bytes = memchr(bytes, 0xFF, (size_t)(end - bytes))) != NULL) {
        if (++bytes == end || *bytes == 0xD9) break;
        if (*bytes == 0xDA) scans++;
    }
    return scans;
}

// Called when libjpeg needs more bytes than there are. Supplies an end marker, which is all that is missing if the
// pixels are complete. If they aren't, libjpeg warns as soon as it needs a missing bit. (An arithmetic decoder doesn't,
// because its data may end in zeros that aren't stored.)
static boolean on_end_of_bytes(j_decompress_ptr info) {
    static const JOCTET end_marker[] = {0xFF, JPEG_EOI};
    alcedo_jpeg *decode = info->client_data;
    if (!decode->has_started || info->arith_code) WARNMS(info, JWRN_JPEG_EOF);
    decode->errors.ran_out = 1;
    info->src->next_input_byte = end_marker;
    info->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

// Whether the scans read so far are all that the image needs. Without an end marker, more may have followed.
static int has_all_scans(const struct jpeg_decompress_struct *info) {
    for (int i = 0; i < info->num_components; i++) {
        // Set by the component's first scan.
        if (info->comp_info[i].quant_table == NULL) return 0;
        if (info->coef_bits == NULL) continue;
        // The number of bits that are still missing; -1 if all are.
        for (int k = 0; k < DCTSIZE2; k++) {
            if (info->coef_bits[i][k] != 0) return 0;
        }
    }
    return 1;
}

// The number of columns decoded on each side of a part, because chroma is interpolated from its neighbors.
enum { margin = 16 };

// Makes libjpeg skip the columns outside the part, as far as it can.
static void choose_part(alcedo_jpeg *decode, const alcedo_jpeg_size *size) {
    struct jpeg_decompress_struct *info = &decode->info;
    decode->is_part = size->part_width > 0;
    decode->width = decode->is_part ? size->part_width : info->output_width;
    decode->bottom = decode->is_part ? size->part_y + size->part_height : info->output_height;
    decode->left = size->part_x;
    decode->top = size->part_y;
    if (!decode->is_part) return;
    if (decode->left > info->output_width || decode->width > info->output_width - decode->left
        || decode->bottom > info->output_height) {
        ERREXIT(info, JERR_BAD_LENGTH);
    }
    // While scans are buffered, libjpeg has no rows yet.
    if (!info->buffered_image) {
        JDIMENSION first = decode->left > margin ? decode->left - margin : 0;
        const uint32_t end = decode->left + decode->width;
        JDIMENSION count = (end + margin < info->output_width ? end + margin : info->output_width) - first;
        jpeg_crop_scanline(info, &first, &count);
        decode->left -= first;
    }
    decode->row = malloc((size_t)info->output_width * 4);
    if (decode->row == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
}

static void start(
    alcedo_jpeg *decode, const uint8_t *bytes, size_t count, const alcedo_jpeg_size *size,
    uint64_t *coefficient_limit) {
    struct jpeg_decompress_struct *info = &decode->info;
    jpeg_create_decompress(info);
    jpeg_mem_src(info, bytes, count);
    info->client_data = decode;
    info->src->fill_input_buffer = on_end_of_bytes;
    jpeg_read_header(info, TRUE);
    if (info->image_width != size->width || info->image_height != size->height) ERREXIT(info, JERR_BAD_LENGTH);
    // With several scans, "buffered" mode lets this code decide when each part of the input is read. With one scan,
    // further scans are an error.
    info->buffered_image = jpeg_has_multiple_scans(info);
    if (info->buffered_image
        && count_scans(info->src->next_input_byte, info->src->bytes_in_buffer, decode->scan_limit)
            > decode->scan_limit) {
        alcedo_jpeg_leave(&decode->errors, alcedo_scan_limit);
    }
    const uint64_t needed = info->buffered_image ? alcedo_jpeg_coefficient_bytes(info) : 0;
    if (needed > *coefficient_limit) {
        *coefficient_limit = needed;
        alcedo_jpeg_leave(&decode->errors, alcedo_memory_limit);
    }
    decode->keeps_inks = size->keeps_inks;
    info->scale_num = 1;
    info->scale_denom = size->denominator;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(info);
    // The rows are written into the caller's memory; this check prevents an overflow.
    if (info->output_width != size->output_width || info->output_height != size->output_height) {
        ERREXIT(info, JERR_BAD_LENGTH);
    }
    choose_part(decode, size);
    decode->has_started = 1;
}

alcedo_status alcedo_jpeg_begin(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_size *size, int scan_limit, uint64_t *coefficient_limit,
    alcedo_jpeg **output, alcedo_message *message) {
    alcedo_jpeg *decode = calloc(1, sizeof *decode);
    *output = decode;
    message->text[0] = 0;
    if (decode == NULL) return alcedo_failed;
    decode->scan_limit = scan_limit;
    decode->info.err = alcedo_jpeg_start_errors(&decode->errors, message);
    if (setjmp(decode->errors.escape)) return decode->errors.status;
    start(decode, bytes, count, size, coefficient_limit);
    return alcedo_more;
}

// The number of source pixels that take a millisecond or two.
enum { step_pixels = 1 << 18 };

// Reads one part of the scans; starts the output once all of them have been read.
static void collect_scans(alcedo_jpeg *decode) {
    struct jpeg_decompress_struct *info = &decode->info;
    const uint64_t row_pixels = (uint64_t)info->image_width * (uint64_t)info->max_v_samp_factor * DCTSIZE;
    for (uint64_t pixels = 0; pixels < step_pixels; pixels += row_pixels) {
        if (jpeg_consume_input(info) == JPEG_REACHED_EOI) {
            if (decode->errors.ran_out && !has_all_scans(info)) WARNMS(info, JWRN_JPEG_EOF);
            jpeg_start_output(info, info->input_scan_number);
            return;
        }
        if (info->input_scan_number > decode->scan_limit) alcedo_jpeg_leave(&decode->errors, alcedo_scan_limit);
    }
}

static void read_rows(alcedo_jpeg *decode, uint8_t *pixels, uint32_t most, uint32_t *count) {
    struct jpeg_decompress_struct *info = &decode->info;
    const int converts_inks = info->out_color_space == JCS_CMYK && !decode->keeps_inks;
    const size_t stride = (size_t)decode->width * 4;
    const uint32_t source_row = info->image_width * (info->image_height / info->output_height);
    const uint32_t rows = source_row < step_pixels ? step_pixels / source_row : 1;
    if (info->output_scanline < decode->top && !info->buffered_image) {
        const uint32_t left_out = decode->top - info->output_scanline;
        jpeg_skip_scanlines(info, left_out < rows ? left_out : rows);
        return;
    }
    for (uint32_t row = 0; row < rows && *count < most && info->output_scanline < decode->bottom; row++) {
        uint8_t *target = info->output_scanline < decode->top ? NULL : pixels + stride * *count;
        JSAMPROW decoded = decode->is_part ? decode->row : target;
        jpeg_read_scanlines(info, &decoded, 1);
        if (target == NULL) continue;
        if (decode->is_part) memcpy(target, decode->row + (size_t)decode->left * 4, stride);
        if (converts_inks) alcedo_jpeg_convert_ink(target, decode->width);
        *count += 1;
    }
}

alcedo_status alcedo_jpeg_step(
    alcedo_jpeg *decode, uint8_t *rows, uint32_t most, uint32_t *count, alcedo_message *message) {
    struct jpeg_decompress_struct *info = &decode->info;
    *count = 0;
    decode->errors.message = message;
    if (setjmp(decode->errors.escape)) return decode->errors.status;
    // In buffered mode, no output has been started while this is 0.
    if (info->buffered_image && info->output_scan_number == 0) {
        collect_scans(decode);
        return alcedo_more;
    }
    read_rows(decode, rows, most, count);
    if (info->output_scanline < decode->bottom) return alcedo_more;
    // Rows below the part aren't read.
    if (decode->is_part) return alcedo_done;
    if (info->buffered_image) jpeg_finish_output(info);
    // Reading continues to the end marker, so that another scan is detected.
    jpeg_finish_decompress(info);
    return alcedo_done;
}

void alcedo_jpeg_end(alcedo_jpeg *decode) {
    if (decode == NULL) return;
    jpeg_destroy_decompress(&decode->info);
    free(decode->row);
    free(decode);
}

// MARK: Encoding

static void grow(j_compress_ptr info, size_t used) {
    Sink *sink = (Sink *)info->dest;
    const size_t capacity = sink->capacity * 2;
    uint8_t *bytes = realloc(sink->bytes, capacity);
    if (bytes == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    sink->bytes = bytes;
    sink->capacity = capacity;
    sink->manager.next_output_byte = bytes + used;
    sink->manager.free_in_buffer = capacity - used;
}

static void on_start(j_compress_ptr info) { grow(info, 0); }

// libjpeg requests more room only when the buffer is full.
static boolean on_full(j_compress_ptr info) {
    grow(info, ((Sink *)info->dest)->capacity);
    return TRUE;
}

static void on_end(j_compress_ptr info) { (void)info; }

static int is_opaque_row(const uint8_t *pixel, uint32_t width) {
    uint8_t all = 255;
    for (uint32_t x = 0; x < width; x++) all &= pixel[4 * x + 3];
    return all == 255;
}

// Premultiplied color over white: c + (255 - a), clamped because a bitmap's creator may have violated c <= a. The
// fourth byte is left unchanged.
static void flatten_row(const uint8_t *pixel, uint32_t width, uint8_t *rgbx) {
    for (uint32_t x = 0; x < width; x++, pixel += 4, rgbx += 4) {
        const unsigned white = 255u - pixel[3];
        for (int i = 0; i < 3; i++) {
            const unsigned sum = pixel[i] + white;
            rgbx[i] = (uint8_t)(sum > 255 ? 255 : sum);
        }
    }
}

// Does the same for pixels whose red, green and blue are equal.
static void flatten_gray_row(const uint8_t *pixel, uint32_t width, uint8_t *gray) {
    for (uint32_t x = 0; x < width; x++, pixel += 4) {
        const unsigned sum = pixel[0] + 255u - pixel[3];
        gray[x] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

static void write_picture(
    struct jpeg_compress_struct *info, const uint8_t *pixels, const alcedo_jpeg_settings *settings) {
    const uint32_t width = settings->width;
    info->image_width = width;
    info->image_height = settings->height;
    info->input_components = settings->is_gray ? 1 : 4;
    info->in_color_space = settings->is_gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, settings->quality, TRUE);
    if (!settings->is_gray) {
        info->comp_info[0].h_samp_factor = settings->pixels_per_color_x;
        info->comp_info[0].v_samp_factor = settings->pixels_per_color_y;
    }
    info->optimize_coding = settings->optimizes_tables;
    info->restart_in_rows = settings->restart_rows;
    if (settings->is_progressive) jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    JSAMPARRAY row =
        info->mem->alloc_sarray((j_common_ptr)info, JPOOL_IMAGE, width * (JDIMENSION)info->input_components, 1);
    while (info->next_scanline < settings->height) {
        const uint8_t *pixel = pixels + (size_t)info->next_scanline * width * 4;
        JSAMPROW written = row[0];
        if (settings->is_gray) {
            flatten_gray_row(pixel, width, written);
        } else if (is_opaque_row(pixel, width)) {
            // libjpeg doesn't write to its input.
            written = (JSAMPROW)(uintptr_t)pixel;
        } else {
            flatten_row(pixel, width, written);
        }
        jpeg_write_scanlines(info, &written, 1);
    }
    jpeg_finish_compress(info);
}

alcedo_status alcedo_jpeg_encode(
    const uint8_t *pixels, const alcedo_jpeg_settings *settings, uint8_t **output, size_t *output_count,
    alcedo_message *message) {
    struct jpeg_compress_struct info = {0};
    alcedo_jpeg_errors errors;
    Sink sink = {
        .manager = {.init_destination = on_start, .empty_output_buffer = on_full, .term_destination = on_end},
        .capacity = 1 << 15,
    };
    info.err = alcedo_jpeg_start_errors(&errors, message);
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&info);
        free(sink.bytes);
        return errors.status;
    }
    jpeg_create_compress(&info);
    info.dest = &sink.manager;
    write_picture(&info, pixels, settings);
    *output = sink.bytes;
    *output_count = sink.capacity - sink.manager.free_in_buffer;
    jpeg_destroy_compress(&info);
    return alcedo_done;
}

#endif

#include "AlcedoPNG.h"

#ifdef ALCEDO_PNG

#include "PNGCommon.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// MARK: Decoding

struct alcedo_png {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count;
    int is_cgbi;
    // Whether the file lacks its end chunk.
    int is_cut;
    int is_truncated;
    uint64_t rows_left;
    // Whether the last of the requested rows has no pixels of its own.
    int last_row_is_empty;
    // Whether all pixels are unpacked.
    int is_finishing;
    // The number of compressed bytes after the pixels that may still be read.
    size_t surplus;
    int has_surplus;
};

// After the last pixel comes the end of the compressed stream, about ten bytes. Any further data is useless and may
// unpack to a thousand times its size, which libpng would do after delivering the last row.
static const size_t most_surplus = 256;
static const uint32_t idat = 0x49444154;

// The number of compressed bytes that libpng reads at a time.
static const size_t most_read = 1 << 13;

static int ends_with_end_chunk(const uint8_t *bytes, size_t count) {
    return count >= 12 && memcmp(bytes + count - 8, "IEND", 4) == 0;
}

static void begin_to_finish(alcedo_png *decode) {
    decode->is_finishing = 1;
    decode->surplus = most_surplus;
}

static void on_unpacked(png_structp png, png_row_infop row, png_bytep bytes) {
    (void)row;
    (void)bytes;
    alcedo_png *decode = png_get_io_ptr(png);
    if (decode->rows_left == 1) begin_to_finish(decode);
}

static void on_read(png_structp png, png_bytep bytes, size_t count) {
    alcedo_png *decode = png_get_io_ptr(png);
    if (count > decode->count) {
        decode->is_truncated = 1;
        png_error(png, "");
    }
    if (decode->is_finishing && png_get_io_chunk_type(png) == idat) {
        if (count > decode->surplus) {
            decode->has_surplus = 1;
            png_error(png, "");
        }
        decode->surplus -= count;
    }
    memcpy(bytes, decode->bytes, count);
    decode->bytes += count;
    decode->count -= count;
    // The end of a truncated file is read byte by byte, so that libpng fails only if it needs a missing byte.
    if (decode->is_cut && decode->count < 2 * most_read) png_set_compression_buffer_size(png, 1);
}

// Whether no pixel depends on the bytes that are missing.
static int has_all_pixels(const alcedo_png *decode) {
    return decode->is_finishing && (decode->is_truncated || decode->is_cgbi);
}

static void ignore_checksums(png_structp png) {
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
#ifdef PNG_IGNORE_ADLER32
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
}

static void start(alcedo_png *decode, uint32_t width, uint32_t height, int keeps_depth, alcedo_png_head *head) {
    png_structp png = decode->png;
    png_infop info = decode->info;
    // The color type is at a fixed offset, in the first chunk.
    alcedo_png_set_up(png, width, height, decode->count > 25 ? decode->bytes[25] : 0);
    if (decode->is_cgbi) {
        ignore_checksums(png);
        png_set_bgr(png);
    }
    png_set_read_fn(png, decode, on_read);
    png_set_read_user_transform_fn(png, on_unpacked);
    png_read_info(png, info);
    alcedo_png_start(png, info, width, height, keeps_depth, head);
    decode->rows_left = (uint64_t)height * head->passes;
    // The last pass of an interlaced image consists of every second row.
    decode->last_row_is_empty = head->passes > 1 && height % 2 == 1;
}

static alcedo_status failure(const alcedo_png *decode) {
    return decode->is_truncated ? alcedo_truncated : alcedo_failed;
}

alcedo_status alcedo_png_begin(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int keeps_depth, int is_cgbi,
    alcedo_png **output, alcedo_png_head *head, alcedo_message *message) {
    alcedo_png *decode = calloc(1, sizeof *decode);
    *output = decode;
    message->text[0] = 0;
    if (decode == NULL) return alcedo_failed;
    decode->bytes = bytes;
    decode->count = count;
    decode->is_cgbi = is_cgbi;
    decode->is_cut = !ends_with_end_chunk(bytes, count);
    decode->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, alcedo_png_on_error, alcedo_png_on_warning);
    if (decode->png == NULL) return alcedo_failed;
    decode->info = png_create_info_struct(decode->png);
    if (decode->info == NULL) return alcedo_failed;
    if (setjmp(png_jmpbuf(decode->png))) return failure(decode);
    if (decode->is_cut) png_set_compression_buffer_size(decode->png, most_read);
    start(decode, width, height, keeps_depth, head);
    return alcedo_more;
}

alcedo_status alcedo_png_read(
    alcedo_png *decode, uint8_t *pixels, size_t stride, uint32_t rows, alcedo_message *message) {
    message->text[0] = 0;
    png_set_error_fn(decode->png, message, alcedo_png_on_error, alcedo_png_on_warning);
    // The surplus, or a missing end, is detected after the last row.
    if (setjmp(png_jmpbuf(decode->png))) {
        return decode->has_surplus || has_all_pixels(decode) ? alcedo_more : failure(decode);
    }
    for (uint32_t row = 0; row < rows; row++) {
        if (decode->rows_left == 1 && decode->last_row_is_empty) begin_to_finish(decode);
        png_read_row(decode->png, pixels + row * stride, NULL);
        decode->rows_left--;
    }
    return alcedo_more;
}

alcedo_status alcedo_png_finish(alcedo_png *decode, alcedo_message *message) {
    message->text[0] = 0;
    png_set_error_fn(decode->png, message, alcedo_png_on_error, alcedo_png_on_warning);
    if (decode->has_surplus || has_all_pixels(decode)) return alcedo_done;
    // All pixels are decoded: a surplus in a later chunk is detected here, and isn't read to its end either.
    if (setjmp(png_jmpbuf(decode->png))) {
        return decode->has_surplus || has_all_pixels(decode) ? alcedo_done : failure(decode);
    }
    png_read_end(decode->png, NULL);
    return alcedo_done;
}

void alcedo_png_end(alcedo_png *decode) {
    if (decode == NULL) return;
    png_destroy_read_struct(&decode->png, &decode->info, NULL);
    free(decode);
}

// MARK: Compressed chunks

size_t alcedo_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity) {
    z_stream stream = {0};
    if (count > UINT32_MAX || capacity > UINT32_MAX || inflateInit(&stream) != Z_OK) return 0;
    // zlib guarantees not to write to its input.
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    const int result = inflate(&stream, Z_FINISH);
    const size_t written = capacity - stream.avail_out;
    inflateEnd(&stream);
    return result == Z_STREAM_END || stream.avail_out == 0 ? written : 0;
}

size_t alcedo_inflated_count(const uint8_t *bytes, size_t count, size_t limit) {
    z_stream stream = {0};
    if (count > UINT32_MAX || inflateInit(&stream) != Z_OK) return 0;
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)count;
    uint8_t output[1 << 12];
    size_t written = 0;
    int result = Z_OK;
    while (result == Z_OK && written <= limit) {
        stream.next_out = output;
        stream.avail_out = sizeof output;
        result = inflate(&stream, Z_NO_FLUSH);
        written += sizeof output - stream.avail_out;
    }
    inflateEnd(&stream);
    return written;
}

size_t alcedo_deflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t capacity) {
    uLongf written = capacity;
    return compress2(output, &written, bytes, count, Z_BEST_SPEED) == Z_OK ? written : 0;
}

uint32_t alcedo_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(crc, bytes, count);
}

// MARK: Encoding

typedef struct {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} Sink;

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    Sink *sink = png_get_io_ptr(png);
    if (count > sink->capacity - sink->count) {
        const size_t capacity = (sink->count + count) * 2;
        uint8_t *larger = realloc(sink->bytes, capacity);
        if (larger == NULL) png_error(png, "out of memory");
        sink->bytes = larger;
        sink->capacity = capacity;
    }
    memcpy(sink->bytes + sink->count, bytes, count);
    sink->count += count;
}

static void on_flush(png_structp png) { (void)png; }

static void write_palette(png_structp png, png_infop info, const alcedo_png_layout *layout) {
    png_color colors[256];
    png_byte alphas[256];
    int with_alpha = 0;
    for (int i = 0; i < layout->palette_count; i++) {
        const uint8_t *color = layout->palette + 4 * i;
        colors[i] = (png_color){color[0], color[1], color[2]};
        alphas[i] = color[3];
        if (color[3] < 255) with_alpha = i + 1;
    }
    png_set_PLTE(png, info, colors, layout->palette_count);
    if (with_alpha > 0) png_set_tRNS(png, info, alphas, with_alpha, NULL);
}

static void write_picture(
    png_structp png, png_infop info, const alcedo_png_layout *layout, alcedo_png_pack pack, const void *context,
    uint8_t *row) {
    // libpng's default limit of a million is meant for untrusted files.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(
        png, info, layout->width, layout->height, layout->depth, layout->color_type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, layout->level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, layout->filters);
    if (layout->palette_count > 0) write_palette(png, info, layout);
    png_write_info(png, info);
    if (layout->depth < 8) png_set_packing(png);
    for (uint32_t y = 0; y < layout->height; y++) {
        pack(context, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
}

alcedo_status alcedo_png_encode(
    const alcedo_png_layout *layout, alcedo_png_pack pack, const void *context, uint8_t **output, size_t *output_count,
    alcedo_message *message) {
    Sink sink = {0};
    uint8_t *row = malloc((size_t)layout->width * 4);
    message->text[0] = 0;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, message, alcedo_png_on_error, alcedo_png_on_warning);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (row == NULL || info == NULL) {
        png_destroy_write_struct(&png, &info);
        free(row);
        return alcedo_failed;
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        free(row);
        free(sink.bytes);
        return alcedo_failed;
    }
    png_set_write_fn(png, &sink, on_write, on_flush);
    write_picture(png, info, layout, pack, context, row);
    png_destroy_write_struct(&png, &info);
    free(row);
    *output = sink.bytes;
    *output_count = sink.count;
    return alcedo_done;
}

#endif

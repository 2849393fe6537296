#include "AlcedoTIFF.h"

#ifdef ALCEDO_TIFF

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

// The most planes that are read: four inks and alpha.
enum { alcedo_tiff_planes = 5 };

// A handle of the opened file.
typedef struct {
    const uint8_t *bytes;
    uint64_t count;
    uint64_t position;
    TIFF *tiff;
} Source;

struct alcedo_tiff {
    // One handle for each plane that is read by rows, opened when first needed.
    Source sources[alcedo_tiff_planes];
    size_t most_memory;
    TIFFRGBAImage image;
    int has_image;
    // The message of the current call.
    alcedo_message *message;
    int is_truncated;
};

// MARK: Messages

static int on_error(TIFF *file, void *context, const char *module, const char *format, va_list arguments) {
    (void)file;
    (void)module;
    alcedo_message *message = ((alcedo_tiff *)context)->message;
    // The first message says what is wrong; later ones only say where that was noticed.
    if (message != NULL && message->text[0] == 0) vsnprintf(message->text, sizeof message->text, format, arguments);
    return 1;
}

// libjpeg fills in missing data, and only warns.
static int on_warning(TIFF *file, void *context, const char *module, const char *format, va_list arguments) {
    (void)file;
    (void)module;
    alcedo_message warning;
    vsnprintf(warning.text, sizeof warning.text, format, arguments);
    if (strstr(warning.text, "remature end") != NULL) ((alcedo_tiff *)context)->is_truncated = 1;
    return 1;
}

static void start(alcedo_tiff *tiff, alcedo_message *message) {
    message->text[0] = 0;
    tiff->message = message;
    tiff->is_truncated = 0;
}

static alcedo_status finish(alcedo_tiff *tiff, int succeeded) {
    tiff->message = NULL;
    return !succeeded ? alcedo_failed : tiff->is_truncated ? alcedo_truncated : alcedo_more;
}

// MARK: The file

static tmsize_t on_read(thandle_t handle, void *output, tmsize_t count) {
    Source *source = handle;
    if (count <= 0 || source->position >= source->count) return 0;
    const uint64_t rest = source->count - source->position;
    const size_t length = (uint64_t)count < rest ? (size_t)count : (size_t)rest;
    memcpy(output, source->bytes + source->position, length);
    source->position += length;
    return (tmsize_t)length;
}

static tmsize_t on_write(thandle_t handle, void *input, tmsize_t count) {
    (void)handle;
    (void)input;
    (void)count;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int origin) {
    Source *source = handle;
    const uint64_t start = origin == SEEK_CUR ? source->position : origin == SEEK_END ? source->count : 0;
    source->position = start + offset;
    return source->position;
}

static int on_close(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle) { return ((Source *)handle)->count; }

static int on_map(thandle_t handle, void **base, toff_t *count) {
    Source *source = handle;
    // libtiff doesn't write to mapped memory.
    *base = (void *)(uintptr_t)source->bytes;
    *count = source->count;
    return 1;
}

static void on_unmap(thandle_t handle, void *base, toff_t count) {
    (void)handle;
    (void)base;
    (void)count;
}

static uint16_t field(TIFF *file, uint32_t tag, uint16_t otherwise) {
    uint16_t value = otherwise;
    return TIFFGetFieldDefaulted(file, tag, &value) ? value : otherwise;
}

static int is_planar(TIFF *file) {
    return field(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
}

static TIFF *open_source(alcedo_tiff *tiff, Source *source) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)tiff->most_memory);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, tiff);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, tiff);
    source->tiff = TIFFClientOpenExt(
        "image", "r", source, on_read, on_write, on_seek, on_close, on_size, on_map, on_unmap, options);
    TIFFOpenOptionsFree(options);
    TIFF *file = source->tiff;
    if (file != NULL && field(file, TIFFTAG_COMPRESSION, 0) == COMPRESSION_JPEG && !is_planar(file) &&
        field(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB) == PHOTOMETRIC_YCBCR) {
        TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    return file;
}

// MARK: The head

static uint16_t default_photometric(TIFF *file, uint16_t colors) {
    const uint16_t compression = field(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    const int is_fax = compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW ||
        compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
    return colors >= 3 ? PHOTOMETRIC_RGB : is_fax ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK;
}

static void read_samples(TIFF *file, alcedo_tiff_head *head) {
    head->bits = field(file, TIFFTAG_BITSPERSAMPLE, 1);
    head->samples = field(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    head->sample_format = field(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    head->compression = field(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    head->ink_set = field(file, TIFFTAG_INKSET, INKSET_CMYK);
    uint16_t extra_count = 0;
    uint16_t *extras = NULL;
    const int has_extras = TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &extra_count, &extras);
    if (!has_extras || extra_count > head->samples) extra_count = 0;
    head->colors = head->samples - extra_count;
    if (!TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &head->photometric)) {
        head->photometric = default_photometric(file, head->colors);
    }
    head->alpha = -1;
    for (int i = 0; i < extra_count && head->alpha < 0; i++) {
        if (extras[i] == EXTRASAMPLE_UNSPECIFIED) continue;
        head->alpha = head->colors + i;
        head->is_premultiplied = extras[i] == EXTRASAMPLE_ASSOCALPHA;
    }
}

static void read_chunks(TIFF *file, alcedo_tiff_head *head) {
    head->is_planar = is_planar(file);
    head->is_tiled = TIFFIsTiled(file);
    if (head->is_tiled) {
        TIFFGetField(file, TIFFTAG_TILEWIDTH, &head->chunk_width);
        TIFFGetField(file, TIFFTAG_TILELENGTH, &head->chunk_height);
        head->row_bytes = TIFFTileRowSize64(file);
        head->chunk_bytes = TIFFTileSize64(file);
    } else {
        head->chunk_width = head->width;
        TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &head->chunk_height);
        if (head->chunk_height > head->height) head->chunk_height = head->height;
        head->row_bytes = TIFFScanlineSize64(file);
        head->chunk_bytes = TIFFVStripSize64(file, head->chunk_height);
    }
}

static void read_head(TIFF *file, alcedo_tiff_head *head) {
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &head->width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &head->height);
    read_samples(file, head);
    read_chunks(file, head);
    head->orientation = field(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    head->is_configured = TIFFIsCODECConfigured(head->compression);
    uint16_t *red = NULL, *green = NULL, *blue = NULL;
    if (head->bits <= 16 && TIFFGetField(file, TIFFTAG_COLORMAP, &red, &green, &blue)) {
        head->red = red;
        head->green = green;
        head->blue = blue;
    }
    void *profile = NULL;
    if (TIFFGetField(file, TIFFTAG_ICCPROFILE, &head->profile_count, &profile)) head->profile = profile;
    if (head->profile == NULL) head->profile_count = 0;
}

alcedo_status alcedo_tiff_begin(
    const uint8_t *bytes, size_t count, size_t most_memory, alcedo_tiff **output, alcedo_tiff_head *head,
    alcedo_message *message) {
    alcedo_tiff *tiff = calloc(1, sizeof *tiff);
    *output = tiff;
    message->text[0] = 0;
    if (tiff == NULL) return alcedo_failed;
    tiff->most_memory = most_memory;
    for (int i = 0; i < alcedo_tiff_planes; i++) tiff->sources[i] = (Source){.bytes = bytes, .count = count};
    start(tiff, message);
    TIFF *file = open_source(tiff, &tiff->sources[0]);
    if (file != NULL) read_head(file, head);
    return finish(tiff, file != NULL);
}

// MARK: Pixels

alcedo_status alcedo_tiff_read_rows(
    alcedo_tiff *tiff, uint16_t plane, uint32_t first, uint32_t rows, uint8_t *samples, size_t stride,
    alcedo_message *message) {
    start(tiff, message);
    // Alpha may be in any plane after the colors.
    Source *source = &tiff->sources[plane < alcedo_tiff_planes ? plane : alcedo_tiff_planes - 1];
    TIFF *file = source->tiff != NULL ? source->tiff : open_source(tiff, source);
    int succeeded = file != NULL && (uint64_t)TIFFScanlineSize64(file) <= stride;
    for (uint32_t row = 0; row < rows && succeeded; row++) {
        succeeded = TIFFReadScanline(file, samples + row * stride, first + row, plane) >= 0;
    }
    return finish(tiff, succeeded);
}

alcedo_status alcedo_tiff_read_tile(
    alcedo_tiff *tiff, uint16_t plane, uint32_t x, uint32_t y, uint8_t *samples, size_t count,
    alcedo_message *message) {
    start(tiff, message);
    TIFF *file = tiff->sources[0].tiff;
    const uint32_t tile = TIFFComputeTile(file, x, y, 0, plane);
    return finish(tiff, TIFFReadEncodedTile(file, tile, samples, (tmsize_t)count) >= 0);
}

alcedo_status alcedo_tiff_begin_pixels(alcedo_tiff *tiff, alcedo_message *message) {
    start(tiff, message);
    char text[1024] = "";
    tiff->has_image = TIFFRGBAImageBegin(&tiff->image, tiff->sources[0].tiff, 1, text);
    if (!tiff->has_image) snprintf(message->text, sizeof message->text, "%.199s", text);
    // Pixels are read in the order in which they are stored.
    if (tiff->has_image) tiff->image.req_orientation = tiff->image.orientation;
    return finish(tiff, tiff->has_image);
}

// libtiff's pixels are numbers with red in the lowest byte.
static void order_bytes(uint32_t *pixels, size_t count) {
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 1) return;
    for (size_t i = 0; i < count; i++) pixels[i] = __builtin_bswap32(pixels[i]);
}

alcedo_status alcedo_tiff_read_pixels(
    alcedo_tiff *tiff, uint32_t first, uint32_t rows, uint32_t *pixels, alcedo_message *message) {
    start(tiff, message);
    tiff->image.row_offset = (int)first;
    tiff->image.col_offset = 0;
    const int succeeded = tiff->has_image && TIFFRGBAImageGet(&tiff->image, pixels, tiff->image.width, rows);
    order_bytes(pixels, (size_t)rows * tiff->image.width);
    return finish(tiff, succeeded);
}

void alcedo_tiff_end(alcedo_tiff *tiff) {
    if (tiff == NULL) return;
    if (tiff->has_image) TIFFRGBAImageEnd(&tiff->image);
    for (int i = 0; i < alcedo_tiff_planes; i++) {
        if (tiff->sources[i].tiff != NULL) TIFFClose(tiff->sources[i].tiff);
    }
    free(tiff);
}

#endif

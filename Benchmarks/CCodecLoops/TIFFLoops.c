#include "CCodecLoops.h"

#ifdef BENCH_TIFF

#include <stdlib.h>
#include <tiffio.h>

bool tiff_loop_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height, bool compresses) {
    TIFF *file = TIFFOpen(path, "w");
    if (file == NULL) return false;
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(file, TIFFTAG_COMPRESSION, compresses ? COMPRESSION_LZW : COMPRESSION_NONE);
    if (compresses) TIFFSetField(file, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(file, 0));
    bool is_done = true;
    for (uint32_t row = 0; row < height && is_done; row++) {
        is_done = TIFFWriteScanline(file, (void *)(pixels + (size_t)row * width * 3), row, 0) >= 0;
    }
    TIFFClose(file);
    return is_done;
}

bool tiff_loop_decode(const char *path, uint8_t *pixels, size_t capacity) {
    TIFF *file = TIFFOpen(path, "r");
    if (file == NULL) return false;
    uint32_t width = 0, height = 0;
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
    const size_t row_bytes = (size_t)TIFFScanlineSize(file);
    uint8_t *samples = malloc(row_bytes);
    bool is_done = samples != NULL && row_bytes >= (size_t)width * 3 && (size_t)width * height * 4 <= capacity;
    for (uint32_t row = 0; row < height && is_done; row++) {
        is_done = TIFFReadScanline(file, samples, row, 0) >= 0;
        uint8_t *output = pixels + (size_t)row * width * 4;
        for (uint32_t x = 0; x < width; x++) {
            output[x * 4] = samples[x * 3];
            output[x * 4 + 1] = samples[x * 3 + 1];
            output[x * 4 + 2] = samples[x * 3 + 2];
            output[x * 4 + 3] = 0xFF;
        }
    }
    free(samples);
    TIFFClose(file);
    return is_done;
}

#endif

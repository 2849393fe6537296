#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"
#include "AlcedoPNG.h"

// An incremental decode, whose image can be read before all bytes have arrived. As in AlcedoPNG.h, no jump leaves a
// call.
typedef struct alcedo_png_preview alcedo_png_preview;

typedef struct {
    alcedo_png_head head;
    // The number of rows, from the top, that have been written to.
    uint32_t rows;
    // The number of times a row was written.
    uint64_t changes;
    // The pass of the last row written, from 1 on; 0 before the first.
    uint32_t pass;
    // Whether all rows, and everything else that the file must contain, are complete.
    int is_complete;
} alcedo_png_progress;

// `color_type` is the one in the file's head. `alcedo_png_preview_end` must be called even if this fails.
alcedo_status alcedo_png_preview_begin(
    uint32_t width, uint32_t height, int color_type, alcedo_png_preview **preview, alcedo_message *message);

// Takes the next bytes and writes their pixels into `pixels`: `height` rows of RGBA8 with straight alpha and without
// padding, the same memory each time. After a failure, only `alcedo_png_preview_end` may be called.
alcedo_status alcedo_png_preview_append(
    alcedo_png_preview *preview, const uint8_t *bytes, size_t count, uint8_t *pixels, alcedo_message *message);

alcedo_png_progress alcedo_png_preview_progress(const alcedo_png_preview *preview);

void alcedo_png_preview_end(alcedo_png_preview *preview);

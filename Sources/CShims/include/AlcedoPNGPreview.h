#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"
#include "AlcedoPNG.h"

// A decode of bytes that come piece by piece, which can be looked at before they are all there. As in AlcedoPNG.h, no
// jump leaves a call.
typedef struct alcedo_png_preview alcedo_png_preview;

typedef struct {
    alcedo_png_head head;
    // Rows that something has been written to, from the top.
    uint32_t rows;
    // How often a row was written.
    uint64_t changes;
    // The pass of the last row that was written, from 1 on; 0 before the first.
    uint32_t pass;
    // Whether all rows are there, and all else that the file must have.
    int is_complete;
} alcedo_png_progress;

// `color_type` is the one that the file's head tells. The end is due whatever comes of this.
alcedo_status alcedo_png_preview_begin(
    uint32_t width, uint32_t height, int color_type, alcedo_png_preview **preview, alcedo_message *message);

// Takes the next bytes and writes what they bring into `pixels`, which are `height` rows of RGBA8 with straight alpha and
// without padding, the same ones each time. After a failure only the end may be called.
alcedo_status alcedo_png_preview_append(
    alcedo_png_preview *preview, const uint8_t *bytes, size_t count, uint8_t *pixels, alcedo_message *message);

alcedo_png_progress alcedo_png_preview_progress(const alcedo_png_preview *preview);

void alcedo_png_preview_end(alcedo_png_preview *preview);

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"
#include "AlcedoJPEG.h"

// A decode of bytes that come piece by piece, which can be looked at before they are all there. As in AlcedoJPEG.h, no
// jump leaves a call.
typedef struct alcedo_jpeg_preview alcedo_jpeg_preview;

typedef struct {
    // Rows that something has been written to, from the top.
    uint32_t rows;
    // Which of the scans is read, from 1 on; 0 before the first.
    uint32_t scan;
    // Whether there are several scans, so that rows get finer as they come.
    int has_scans;
    // Whether the picture is there, but for what has not been rendered.
    int is_complete;
    // Whether rendering would change rows.
    int has_news;
} alcedo_jpeg_progress;

// `coefficient_limit` are bytes. The end is due whatever comes of this.
alcedo_status alcedo_jpeg_preview_begin(
    const alcedo_jpeg_size *size, int scan_limit, uint64_t coefficient_limit, alcedo_jpeg_preview **preview,
    alcedo_message *message);

// Takes a copy of the next bytes; fails when there is no memory for it.
alcedo_status alcedo_jpeg_preview_append(alcedo_jpeg_preview *preview, const uint8_t *bytes, size_t count);

// Does a part of what can be done with the bytes, some 260,000 of the file's pixels: reads scans, or, of a file that has
// but one, writes rows. `alcedo_done` when nothing is left to do without more bytes. After a failure only the end may be
// called. `pixels` are as for alcedo_jpeg_step.
alcedo_status alcedo_jpeg_preview_read(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message);

// Writes rows of what has been read of several scans, as many at once; `alcedo_done` when all is shown that can be.
alcedo_status alcedo_jpeg_preview_render(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message);

alcedo_jpeg_progress alcedo_jpeg_preview_progress(const alcedo_jpeg_preview *preview);

void alcedo_jpeg_preview_end(alcedo_jpeg_preview *preview);

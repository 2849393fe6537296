#pragma once

#include <stddef.h>
#include <stdint.h>

#include "AlcedoFailure.h"
#include "AlcedoJPEG.h"

// An incremental decode, whose image can be read before all bytes have arrived. As in AlcedoJPEG.h, no jump leaves a
// call.
typedef struct alcedo_jpeg_preview alcedo_jpeg_preview;

typedef struct {
    // The number of rows, from the top, that have been written to.
    uint32_t rows;
    // The scan being read, from 1 on; 0 before the first.
    uint32_t scan;
    // Whether there are several scans, so that rows are refined as they arrive.
    int has_scans;
    // Whether the image is complete except for rendering.
    int is_complete;
    // Whether rendering would change rows.
    int has_news;
} alcedo_jpeg_progress;

// `coefficient_limit` is in bytes. `alcedo_jpeg_preview_end` must be called even if this fails.
alcedo_status alcedo_jpeg_preview_begin(
    const alcedo_jpeg_size *size, int scan_limit, uint64_t coefficient_limit, alcedo_jpeg_preview **preview,
    alcedo_message *message);

// Copies the next bytes; fails if there is no memory for them.
alcedo_status alcedo_jpeg_preview_append(alcedo_jpeg_preview *preview, const uint8_t *bytes, size_t count);

// Does a part of the work that is possible with the bytes so far, about 260,000 of the file's pixels: reads scans, or
// writes rows if the file has only one scan. Returns `alcedo_done` if nothing is left to do without more bytes. After a
// failure, only `alcedo_jpeg_preview_end` may be called. `pixels` is as for alcedo_jpeg_step.
alcedo_status alcedo_jpeg_preview_read(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message);

// Renders rows from the scans read so far, as many as one step does; returns `alcedo_done` once everything available is
// rendered.
alcedo_status alcedo_jpeg_preview_render(alcedo_jpeg_preview *preview, uint8_t *pixels, alcedo_message *message);

alcedo_jpeg_progress alcedo_jpeg_preview_progress(const alcedo_jpeg_preview *preview);

void alcedo_jpeg_preview_end(alcedo_jpeg_preview *preview);

#pragma once

// Shared by the JPEG decoders and the encoder; private to them.

// jpeglib.h uses FILE and size_t without including their headers.
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#include <setjmp.h>

#include "AlcedoJPEG.h"

#ifndef JCS_ALPHA_EXTENSIONS
#error "Alcedo needs libjpeg-turbo: this libjpeg writes no RGBA"
#endif

typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf escape;
    alcedo_status status;
    alcedo_message *message;
    // Whether libjpeg was given an end marker because there were no more bytes. If so, a later failure means that data
    // is missing.
    int ran_out;
} alcedo_jpeg_errors;

// Installs error handling: from this call on, errors jump to `errors->escape`, with the status and the message set.
struct jpeg_error_mgr *alcedo_jpeg_start_errors(alcedo_jpeg_errors *errors, alcedo_message *message);

// Jumps to `errors->escape`, as an error does.
_Noreturn void alcedo_jpeg_leave(alcedo_jpeg_errors *errors, alcedo_status status);

// Converts a row of ink to RGBA. Adobe's programs store ink inverted, as light, and all viewers assume the same even of
// files without Adobe's marker.
void alcedo_jpeg_convert_ink(uint8_t *pixel, uint32_t width);

// The size of all coefficients, 2 bytes per sample. They are held until the last scan has been read.
uint64_t alcedo_jpeg_coefficient_bytes(const struct jpeg_decompress_struct *info);

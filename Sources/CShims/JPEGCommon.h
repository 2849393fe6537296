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
    // Whether libjpeg has been told that the image ends because there were no more bytes: a later failure means that
    // some of its data is missing.
    int ran_out;
} alcedo_jpeg_errors;

// After this call, errors jump to `errors->escape`, with the status and the message set.
struct jpeg_error_mgr *alcedo_jpeg_start_errors(alcedo_jpeg_errors *errors, alcedo_message *message);

// Jumps as an error does.
_Noreturn void alcedo_jpeg_leave(alcedo_jpeg_errors *errors, alcedo_status status);

// Converts a row of ink to RGBA. Ink is stored inverted, as light, by Adobe's programs and, as all viewers assume, also
// in files without Adobe's marker.
void alcedo_jpeg_convert_ink(uint8_t *pixel, uint32_t width);

// The coefficients of all scans are held until the last one has been read: 2 bytes for each sample.
uint64_t alcedo_jpeg_coefficient_bytes(const struct jpeg_decompress_struct *info);

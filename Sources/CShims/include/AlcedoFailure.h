#pragma once

// How a call into a codec ended.
typedef enum {
    alcedo_done = 0,
    // The codec gave up, see the message.
    alcedo_failed,
    // The input ended before the picture did.
    alcedo_truncated,
    // More scans than allowed (JPEG).
    alcedo_scan_limit,
    // More memory than allowed, for the scans of a progressive file (JPEG).
    alcedo_memory_limit,
    // A step went well, and there are more to do.
    alcedo_more,
} alcedo_status;

// The codec's own words, NUL-terminated; empty when it had none.
typedef struct {
    char text[200];
} alcedo_message;

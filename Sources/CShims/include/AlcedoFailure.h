#pragma once

// The result of a call into a codec.
typedef enum {
    alcedo_done = 0,
    // The codec failed; see the message.
    alcedo_failed,
    // The input ended before the image did.
    alcedo_truncated,
    // More scans than allowed (JPEG).
    alcedo_scan_limit,
    // More memory than allowed, for the scans of a progressive file (JPEG).
    alcedo_memory_limit,
    // A step succeeded, and there are more to do.
    alcedo_more,
} alcedo_status;

// The codec's own message, NUL-terminated; empty if there is none.
typedef struct {
    char text[200];
} alcedo_message;

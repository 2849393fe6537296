#pragma once
#include <avif/avif.h>

// 0 when the upper and the lower half are exchanged, 1 when the left and the right one are. Releases call it differently.
static inline int alcedo_avif_mirror(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

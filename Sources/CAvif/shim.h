#pragma once
#include <avif/avif.h>

// Sets the qualities of colors and of alpha, from 0 to 100.
static inline void alcedo_avif_set_quality(avifEncoder *encoder, int quality, int alpha_quality) {
#if AVIF_VERSION >= 1000000
    encoder->quality = quality;
    encoder->qualityAlpha = alpha_quality;
#else
    // As later releases do: one quantizer, which the codec may vary a little.
    const int color = (100 - quality) * 63 / 100;
    const int alpha = (100 - alpha_quality) * 63 / 100;
    encoder->minQuantizer = color > 4 ? color - 4 : 0;
    encoder->maxQuantizer = color < 59 ? color + 4 : 63;
    encoder->minQuantizerAlpha = alpha == 0 ? 0 : alpha > 4 ? alpha - 4 : 0;
    encoder->maxQuantizerAlpha = alpha == 0 ? 0 : alpha < 59 ? alpha + 4 : 63;
#endif
}

// 0 when the upper and the lower half are exchanged, 1 when the left and the right one are. Releases call it differently.
static inline int alcedo_avif_mirror(const avifImage *image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

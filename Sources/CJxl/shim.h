#pragma once
#include <jxl/decode.h>
#include <jxl/version.h>

// Releases differ in the parameters of the functions that read the colors of the decoded pixels.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define ALCEDO_JXL_FORMAT
#else
#define ALCEDO_JXL_FORMAT NULL,
#endif

// Returns 0 if the colors are described by a profile only.
static inline int alcedo_jxl_get_colors(JxlDecoder *decoder, int of_original, JxlColorEncoding *colors) {
    const JxlColorProfileTarget target =
        of_original ? JXL_COLOR_PROFILE_TARGET_ORIGINAL : JXL_COLOR_PROFILE_TARGET_DATA;
    return JxlDecoderGetColorAsEncodedProfile(decoder, ALCEDO_JXL_FORMAT target, colors) == JXL_DEC_SUCCESS;
}

// Returns 0 if there is no profile.
static inline size_t alcedo_jxl_profile_size(JxlDecoder *decoder) {
    size_t size = 0;
    const JxlDecoderStatus status =
        JxlDecoderGetICCProfileSize(decoder, ALCEDO_JXL_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &size);
    return status == JXL_DEC_SUCCESS ? size : 0;
}

static inline int alcedo_jxl_get_profile(JxlDecoder *decoder, uint8_t *profile, size_t size) {
    return JxlDecoderGetColorAsICCProfile(
               decoder, ALCEDO_JXL_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, profile, size) == JXL_DEC_SUCCESS;
}

#include "CCodecLoops.h"

#ifdef BENCH_JPEGXL

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <stdlib.h>

static bool encode_all(
    JxlEncoder *encoder, const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *output, size_t capacity,
    size_t *count) {
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = width;
    info.ysize = height;
    info.bits_per_sample = 8;
    info.num_color_channels = 3;
    JxlColorEncoding colors;
    JxlColorEncodingSetToSRGB(&colors, JXL_FALSE);
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    const JxlPixelFormat format = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS ||
        JxlEncoderSetColorEncoding(encoder, &colors) != JXL_ENC_SUCCESS ||
        JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3) != JXL_ENC_SUCCESS ||
        JxlEncoderAddImageFrame(settings, &format, pixels, (size_t)width * height * 3) != JXL_ENC_SUCCESS) {
        return false;
    }
    JxlEncoderCloseInput(encoder);
    size_t left = capacity;
    const bool is_done = JxlEncoderProcessOutput(encoder, &output, &left) == JXL_ENC_SUCCESS;
    *count = capacity - left;
    return is_done;
}

bool jpegxl_loop_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t **output, size_t *output_count) {
    // More than any photo takes at this quality.
    const size_t capacity = (size_t)width * height * 3;
    *output = malloc(capacity);
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    const bool is_done = *output != NULL && encoder != NULL &&
                         encode_all(encoder, pixels, width, height, *output, capacity, output_count);
    if (encoder != NULL) JxlEncoderDestroy(encoder);
    return is_done;
}

bool jpegxl_loop_decode(const uint8_t *bytes, size_t count, uint8_t *pixels, size_t capacity) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (decoder == NULL) return false;
    const JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    bool is_done = JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE) == JXL_DEC_SUCCESS &&
                   JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS;
    JxlDecoderCloseInput(decoder);
    is_done = is_done && JxlDecoderProcessInput(decoder) == JXL_DEC_NEED_IMAGE_OUT_BUFFER &&
              JxlDecoderSetImageOutBuffer(decoder, &format, pixels, capacity) == JXL_DEC_SUCCESS &&
              JxlDecoderProcessInput(decoder) == JXL_DEC_FULL_IMAGE;
    JxlDecoderDestroy(decoder);
    return is_done;
}

#endif

#include "AlcedoJPEG.h"

#ifdef ALCEDO_JPEG

#include "JPEGCommon.h"

#include <jerror.h>

_Noreturn void alcedo_jpeg_leave(alcedo_jpeg_errors *errors, alcedo_status status) {
    errors->status = status;
    longjmp(errors->escape, 1);
}

static void give_up(j_common_ptr info, alcedo_status status) {
    alcedo_jpeg_errors *state = (alcedo_jpeg_errors *)info->err;
    if (state->ran_out) {
        status = alcedo_truncated;
        info->err->msg_code = JWRN_JPEG_EOF;
    }
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    snprintf(state->message->text, sizeof state->message->text, "%.*s", (int)sizeof state->message->text - 1, text);
    alcedo_jpeg_leave(state, status);
}

static void on_error(j_common_ptr info) { give_up(info, alcedo_failed); }

// libjpeg treats lost data as a warning and fills the hole with gray. Here, an incomplete image is an error; warnings
// that don't affect pixels (stray bytes between segments, odd versions) are ignored.
static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
        give_up(info, alcedo_truncated);
        break;
    case JWRN_HIT_MARKER:
    case JWRN_MUST_RESYNC:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
        give_up(info, alcedo_failed);
        break;
    default:
        break;
    }
}

static void discard_output(j_common_ptr info) { (void)info; }

struct jpeg_error_mgr *alcedo_jpeg_start_errors(alcedo_jpeg_errors *state, alcedo_message *message) {
    struct jpeg_error_mgr *manager = jpeg_std_error(&state->manager);
    manager->error_exit = on_error;
    manager->emit_message = on_message;
    manager->output_message = discard_output;
    state->status = alcedo_failed;
    state->message = message;
    state->ran_out = 0;
    message->text[0] = 0;
    return manager;
}

void alcedo_jpeg_convert_ink(uint8_t *pixel, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, pixel += 4) {
        const unsigned light = pixel[3];
        for (int i = 0; i < 3; i++) pixel[i] = (uint8_t)((pixel[i] * light + 127) / 255);
        pixel[3] = 255;
    }
}

uint64_t alcedo_jpeg_coefficient_bytes(const struct jpeg_decompress_struct *info) {
    uint64_t bytes = 0;
    for (int i = 0; i < info->num_components; i++) {
        const jpeg_component_info *component = &info->comp_info[i];
        bytes += (uint64_t)component->width_in_blocks * component->height_in_blocks * sizeof(JBLOCK);
    }
    return bytes;
}

#endif

#pragma once
#include <lcms2.h>

// Four bytes for each pixel, of which three are colors or one is a gray; the rest is passed over. Swift can't import the
// macros.
static const cmsUInt32Number alcedo_lcms_rgb = COLORSPACE_SH(PT_RGB) | EXTRA_SH(1) | CHANNELS_SH(3) | BYTES_SH(1);
// Inverted: 255 stands for no ink.
static const cmsUInt32Number alcedo_lcms_inks = FLAVOR_SH(1) | COLORSPACE_SH(PT_CMYK) | CHANNELS_SH(4) | BYTES_SH(1);
static const cmsUInt32Number alcedo_lcms_gray = COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);

#pragma once

#include "AlcedoCores.h"
#include "AlcedoFailure.h"
#include "AlcedoJPEG.h"
#include "AlcedoJPEGPreview.h"
#include "AlcedoPNG.h"
#include "AlcedoPNGPreview.h"
#include "AlcedoTIFF.h"
#include "AlcedoUnnamedFiles.h"
#include "AlcedoWarmFiles.h"

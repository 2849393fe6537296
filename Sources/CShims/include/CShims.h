#pragma once

#include "AlcedoFailure.h"
#include "AlcedoJPEG.h"
#include "AlcedoPNG.h"

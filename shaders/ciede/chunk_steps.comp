// The sum of CIEDE2000's differences, the first of two shaders.
#include "shared.h"
#define SUM_IN_DOUBLE
#include "../common/chunk_steps.glsl"

// The sum of CIEDE2000's differences, the last of two shaders.
#include "shared.h"
#define SUM_IN_DOUBLE
#include "../common/add_chunks.glsl"

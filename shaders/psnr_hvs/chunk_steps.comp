// error_sum of feature/psnr_hvs/psnr_hvs.h, the second of its three shaders.
#include "shared.h"
#include "../common/chunk_steps.glsl"

// error_sum of feature/psnr_hvs/psnr_hvs.h, the last of its three shaders.
#include "shared.h"
#include "../common/add_chunks.glsl"

// The roots of a table of floats.
#include "../../shaders/common/root.glsl"

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float numbers[]; };
layout(std430, binding = 1) writeonly buffer Out { float roots[]; };

void main() { roots[gl_GlobalInvocationID.x] = root(numbers[gl_GlobalInvocationID.x]); }

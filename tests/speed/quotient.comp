// The quotients of two tables of floats.
#include "../../shaders/common/quotient.glsl"

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer Out { float quotients[]; };

void main() { quotients[gl_GlobalInvocationID.x] = quotient(a[gl_GlobalInvocationID.x], b[gl_GlobalInvocationID.x]); }

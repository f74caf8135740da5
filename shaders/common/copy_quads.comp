// Copies a buffer: how fast a shader can move bytes.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uvec4 in_quads[]; };
layout(std430, binding = 1) writeonly buffer Out { uvec4 out_quads[]; };
layout(push_constant) uniform Push { uint count, step; };
void main() {
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) out_quads[i] = in_quads[i];
}

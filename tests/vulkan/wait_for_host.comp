// Each work group waits for the host to say so, or some turns: fewer than those after which a software device would
// leave the loop. As many invocations as fill such a device's vectors, since it runs loops for those that do not exist.

layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly volatile buffer In { uint go; };
layout(std430, binding = 1) writeonly buffer Out { uint turns[]; };
layout(push_constant) uniform Push { uint most; } p;

void main() {
  uint turn = 0;
  while (turn < p.most && go == 0) ++turn;
  turns[gl_LocalInvocationIndex] = turn;
}

// Asks a device for what its constants say: for tests of what the build reads from a shader.
layout(constant_id = 0) const uint kSide = 4;
layout(constant_id = 1) const bool kTwice = false;
layout(local_size_x = 4, local_size_x_id = 0, local_size_y = 2) in;
layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) buffer Both { uint words[]; };
layout(std430, binding = 1) readonly buffer Same { uvec2 pairs[]; };  // sees what Both writes
layout(std430, binding = 2) readonly buffer Last { uint last_words[]; };

shared uvec4 rows[(kSide + 3) / 4 * (kTwice ? 2 : 1)];
shared bool seen[kSide % 3 + 1];

void main() {
  rows[0] = uvec4(in_words[0] + pairs[0].x);
  seen[0] = last_words[0] > 0;
  barrier();
  words[0] = seen[0] ? rows[0].x : 0;
}

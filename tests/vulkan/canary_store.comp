// Adds one to a word wherever it is told to, also where there is no buffer any more: for tests that show the
// validation layer is on.
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, binding = 1) writeonly buffer Out { uint out_words[]; };
layout(push_constant) uniform Push { uint at; };
void main() { out_words[at] = in_words[0] + 1; }

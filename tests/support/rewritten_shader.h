// Shaders as a device runs them that computes as badly as Vulkan allows, or worse, with floats of 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vq::test {

struct Perturbation {
  // legal   quotients and roots are wrong by up to 4 units in the last place, which depends on the number,
  //         and what NoContraction does not stand for is truncated
  // ftz     subnormal operands and results are zero
  // rtz     all sums and products are truncated
  // fma     products are added without being rounded, although NoContraction forbids it
  // junk    arrays in shared memory are full of the number when a work group begins
  // site    the result of the number-th operation with NoContraction, from 0, is one unit in the last place
  //         too large
  std::string mode;
  uint32_t number = 0;
};

struct RewrittenShader {
  std::vector<uint32_t> code;
  uint32_t sites = 0;  // operations that mode `site` counts
};
// `code`: SPIR-V as glslang makes it.
RewrittenShader rewritten(const uint32_t* code, size_t words, const Perturbation& perturbation);

}  // namespace vq::test

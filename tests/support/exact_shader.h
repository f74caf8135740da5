// Whether a shader computes with floats as stages on the host do.
#pragma once

#include "tests/support/test.h"
#include "vulkan/shader.h"

namespace vq::test {

// Fails if a sum, difference or product of floats may be contracted, or if the number of divisions is
// another, which devices round as they like: shaders have to make good what they are off by. `least` is the
// number of the other operations that there must be.
inline void expect_exact(const vulkan::Shader& shader, size_t least, int divisions = 0) {
  // Numbers of the SPIR-V specification.
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kNegate = 127, kAdd = 129, kSubtract = 131, kMultiply = 133, kDivide = 136,
                     kRemainder = 140, kModulo = 141, kScaleVector = 142, kDot = 148, kDecorate = 71,
                     kNoContraction = 42;
  const std::span<const uint32_t> code(shader.code);
  std::set<uint32_t> rounded, exact;
  int divided = 0;
  for (size_t i = kHeaderWords; i < code.size(); i += code[i] >> 16) {
    const uint32_t operation = code[i] & 0xFFFF;
    if (operation == kDivide) ++divided;
    for (const uint32_t each : {kRemainder, kModulo, kDot}) EXPECT_NE(operation, each) << shader.name;
    if (operation == kDecorate && code[i + 2] == kNoContraction) exact.insert(code[i + 1]);
    for (const uint32_t each : {kNegate, kAdd, kSubtract, kMultiply, kScaleVector}) {
      if (operation == each) rounded.insert(code[i + 2]);
    }
  }
  EXPECT_EQ(divided, divisions) << shader.name;
  EXPECT_GE(rounded.size(), least) << shader.name;
  for (const uint32_t each : rounded) EXPECT_TRUE(exact.contains(each)) << shader.name << ": %" << each;
}

}  // namespace vq::test

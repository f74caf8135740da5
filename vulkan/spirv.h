// Reading SPIR-V, the form in which shaders are built in. Private to this folder.
#pragma once

#include "core/error.h"
#include "vulkan/pipeline.h"

namespace vq::vulkan {

// What a shader that is none, or none as this program has them, is refused with.
inline Error broken_shader(const Shader& shader) {
  return Error(ErrorKind::kInternal, "the shader " + std::string(shader.name) + " is not what was expected");
}

// Calls visit(operation, words) for every instruction, in order; the first of its words holds the operation.
template <typename Visit>
void for_each_instruction(const Shader& shader, Visit visit) {
  constexpr uint32_t kMagic = 0x07230203;
  constexpr size_t kHeaderWords = 5;
  if (shader.code.size() < kHeaderWords || shader.code[0] != kMagic) throw broken_shader(shader);
  for (size_t i = kHeaderWords; i < shader.code.size();) {
    const size_t length = shader.code[i] >> 16;
    if (length == 0 || i + length > shader.code.size()) throw broken_shader(shader);
    visit(shader.code[i] & 0xFFFF, shader.code.subspan(i, length));
    i += length;
  }
}

}  // namespace vq::vulkan

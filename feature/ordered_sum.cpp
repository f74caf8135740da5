#include "feature/ordered_sum.h"

namespace vq {

OrderedSum::OrderedSum(vulkan::Context& context, const vulkan::Shader& chunk_steps,
                       const vulkan::Shader& add_chunks, const Shape& shape, int64_t blocks)
    : shape_(shape),
      chunks_((blocks - 1) / shape.chunk_blocks + 1),
      chunks_each_(std::min<int64_t>(chunks_, shape.most_chunks)),
      steps_pipeline_(context.pipeline(chunk_steps)),
      sum_pipeline_(context.pipeline(add_chunks)),
      terms_(context.device(), vulkan::Memory::kDevice,
             chunks_each_ * shape.chunk_blocks * shape.block_terms * int64_t{sizeof(float)}),
      chunk_sums_(context.device(), vulkan::Memory::kDevice, chunks_each_ * int64_t{sizeof(float)}),
      steps_(context.device(), vulkan::Memory::kDevice, chunks_each_ * 2 * shape.number_bytes),
      total_(context.device(), vulkan::Memory::kDevice, shape.number_bytes),
      readback_(context.device(), vulkan::Memory::kReadback, shape.number_bytes) {}

uint32_t OrderedSum::chunks_of(int slice) const {
  return static_cast<uint32_t>(std::min(chunks_each_, chunks_ - slice * chunks_each_));
}

void OrderedSum::record_steps(vulkan::Recorder& recorder, int slice) const {
  if (slice == 0) recorder.fill(total_, 0);
  recorder.pass(steps_pipeline_, {&terms_, &chunk_sums_, &total_, &steps_})
      .run(chunks_of(slice), {chunks_of(slice)});
}

void OrderedSum::record_sum(vulkan::Recorder& recorder, int slice) const {
  recorder.pass(sum_pipeline_, {&terms_, &steps_, &total_}).run(chunks_of(slice), {1});
}

float OrderedSum::term(const vulkan::Buffer& copy, int64_t block, int64_t index) const {
  const int64_t chunk = block / shape_.chunk_blocks,
                at = (chunk * shape_.block_terms + index) * shape_.chunk_blocks + block % shape_.chunk_blocks;
  float term = 0;
  std::memcpy(&term, copy.mapped() + at * int64_t{sizeof(term)}, sizeof(term));
  return term;
}

}  // namespace vq

// Sums of floats of at least 0 on a device, each rounded as if one were added after the other.
#pragma once

#include "vulkan/context.h"
#include "vulkan/recorder.h"

namespace vq {

// The terms of blocks, block after block. Shaders of the metric fill in terms and the sums of chunks,
// roughly; its chunk_steps and add_chunks are those of shaders/common with the metric's numbers. Terms are
// added up in slices, so that their memory has a bound; a slice overwrites the one before.
class OrderedSum {
 public:
  struct Shape {
    uint32_t chunk_blocks, block_terms, most_chunks;  // of a slice
    int64_t number_bytes;                             // of the sum: a float or a double
  };
  // The context outlives this. Throws Error{kBackend}. Needs: at least one block.
  OrderedSum(vulkan::Context& context, const vulkan::Shader& chunk_steps, const vulkan::Shader& add_chunks,
             const Shape& shape, int64_t blocks);

  int slices() const { return static_cast<int>((chunks_ - 1) / chunks_each_ + 1); }
  // Needs: 0 <= slice < slices(), in order, each after its terms.
  uint32_t chunks_of(int slice) const;
  uint32_t first_block(int slice) const {
    return static_cast<uint32_t>(slice * chunks_each_) * shape_.chunk_blocks;
  }
  void record_steps(vulkan::Recorder& recorder, int slice) const;
  void record_sum(vulkan::Recorder& recorder, int slice) const;
  void record_readback(vulkan::Recorder& recorder) const { recorder.copy(total_, readback_); }

  // The last slice leaves this on the device.
  const vulkan::Buffer& terms() const { return terms_; }
  const vulkan::Buffer& chunk_sums() const { return chunk_sums_; }
  // Reads a copy of the terms.
  float term(const vulkan::Buffer& copy, int64_t block, int64_t index) const;
  // Valid after what was recorded has run.
  template <typename Number>
  Number sum() const {
    Number number = 0;
    std::memcpy(&number, readback_.mapped(), sizeof(number));
    return number;
  }

 private:
  const Shape shape_;
  const int64_t chunks_, chunks_each_;
  const vulkan::Pipeline &steps_pipeline_, &sum_pipeline_;
  vulkan::Buffer terms_, chunk_sums_, steps_, total_, readback_;
};

}  // namespace vq

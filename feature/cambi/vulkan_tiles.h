// How the work on c-values is cut for a device.
#pragma once

#include <vector>

#include "feature/cambi/vulkan_passes.h"
#include "shaders/cambi/shared.h"

namespace vq::cambi::gpu {

// See shaders/cambi/c_values.comp. Every choice gives the same values.
struct CValueTiles {
  uint threads = 256;       // of a work group; a multiple of 8 * row_words
  uint row_words = 2;       // of 32 samples, in a row of a tile; a power of 2, at most kRowWords
  uint rows_each = 4;       // rows of samples that one thread makes
  bool keep_planes = true;  // what a thread reads of the picture stays in its registers
  uint slice_parts = 1;     // in which kSliceShader goes through shared memory: 1, 2 or 4

  uint rows() const { return threads / (8 * row_words) * rows_each; }
  // The specialization constants of kCValuesShader.
  std::vector<uint32_t> constants(const CambiPlan& plan) const;
  // Registers that keep_planes takes of a thread.
  uint plane_registers(const CambiPlan& plan) const;
};

extern const vulkan::Shader kCValuesShader, kSliceShader;

// The tiles that suit a plan and fit the device. Throws Error{kBackend} where none do.
CValueTiles choose_tiles(const CambiPlan& plan, const vulkan::DeviceInfo& device);

inline constexpr uint kMaxSliceParts = 4;

// How the five scales lie in the buffers they share, and how work groups are numbered over them.
std::array<ScaleGeometry, kScales> make_geometry(const CambiPlan& plan, const CValueTiles& tiles);

// Sizes of the buffers that make_geometry speaks of.
struct ScoringSizes {
  int64_t words = 0, blocks = 0;
  std::array<int64_t, 3> value_bytes;  // upper and lower half of the finest scale; the rest
};
ScoringSizes scoring_sizes(const std::array<ScaleGeometry, kScales>& scales);

}  // namespace vq::cambi::gpu

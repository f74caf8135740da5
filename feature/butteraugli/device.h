// Butteraugli's map as passes on a Vulkan device. The contracts are those of feature/butteraugli/stages.h and
// butteraugli.h; the shaders are in shaders/butteraugli.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "feature/butteraugli/butteraugli.h"
#include "feature/light/device.h"
#include "vulkan/context.h"

namespace vq::butteraugli::gpu {

// Why a device cannot run the shaders, those of light among them; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// What one picture is made into, at one scale after the other: see shaders/butteraugli/shared.h.
struct PictureBuffers {
  PictureBuffers(const std::shared_ptr<vulkan::Device>& device, PlaneSize size);

  vulkan::Buffer light, half_light, picture, low, middle, across;
};

// The passes of one scale. Plan, weights and context outlive this.
class ScalePasses {
 public:
  // Throws Error{kBackend}.
  ScalePasses(vulkan::Context& context, const ScalePlan& plan, const Weights& weights, float intensity);

  // A picture's buffers, and which of them has its light at this scale.
  struct Picture {
    const PictureBuffers& buffers;
    const vulkan::Buffer& light;
  };
  // Makes the bands of pictures from their light, whose buffers they use as well. The pictures go through
  // each pass side by side, as none needs the other.
  void record_bands(vulkan::Recorder& recorder, std::span<const Picture> pictures) const;

  // What is compared, and where it goes.
  struct Comparison {
    Picture reference, distorted;
    const vulkan::Buffer* half_map = nullptr;  // null: there is no half scale to add
    const vulkan::Buffer& results;
    bool writes_map = false;                // at the beginning of the results
    std::optional<int64_t> first_sum = {};  // of the results, in floats; none: tiles are not summed up
  };
  void record_comparison(vulkan::Recorder& recorder, const Comparison& comparison) const;

  const light::gpu::LightLayout& layout() const { return layout_; }

 private:
  void record_rows(vulkan::Recorder& recorder, FilterName filter, const vulkan::Buffer& in,
                   const vulkan::Buffer& across, std::array<uint32_t, 2> planes) const;
  void record_columns(vulkan::Recorder& recorder, const vulkan::Shader& shader, FilterName filter,
                      std::vector<const vulkan::Buffer*> buffers) const;

  vulkan::Context& context_;
  const ScalePlan& plan_;
  const Weights& weights_;
  const float intensity_;
  const light::gpu::LightLayout layout_;
  std::array<const vulkan::Buffer*, kFilters> tables_ = {};
};

// All passes behind light. Needs: a plan with a scale.
class MapPasses {
 public:
  // The plan and the context outlive this. Throws Error{kBackend}.
  MapPasses(vulkan::Context& context, const ButteraugliPlan& plan, bool keeps_map);

  // Where the light of both pictures goes first.
  const vulkan::Buffer& reference_light() const { return reference_.light; }
  const vulkan::Buffer& distorted_light() const { return distorted_.light; }

  void record_halves(vulkan::Recorder& recorder) const;
  void record_bands(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;
  int64_t bytes_read() const;

  // Valid after what was recorded has run. The map is empty unless it is kept.
  std::vector<TileSums> tiles() const;
  PlaneView<const float> map() const;

 private:
  int64_t map_bytes() const { return map_floats_ * static_cast<int64_t>(sizeof(float)); }

  vulkan::Context& context_;
  PictureBuffers reference_, distorted_;
  ScalePasses whole_;
  std::optional<ScalePasses> half_;
  const int64_t map_floats_;  // of the map, in front of the tiles' sums; 0: it is not kept
  vulkan::Buffer half_map_, results_, readback_;
};

}  // namespace vq::butteraugli::gpu

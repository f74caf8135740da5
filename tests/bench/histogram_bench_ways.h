// The ways to count R, G, B and luminance on a device that histogram_bench compares: those of the program
// with other numbers of copies and rows, and those that it does not take.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "feature/histogram/device.h"
#include "shaders/histogram/shared.h"

namespace vq::histogram {

// One way to count on the device: what it records between zeros in `counts` and the end.
struct Way {
  std::string name;
  bool is_yardstick = false;  // it only reads
  std::function<void(vulkan::Recorder&, const vulkan::Buffer& counts)> record;
};

// How a shader is specialized beside what the picture decides.
struct Shape {
  gpu::GroupBins bins;
  uint32_t rows = gpu::kRows;
};

// Of one picture. It, the plan and the context outlive them.
class Ways {
 public:
  // Throws Error{kBackend}.
  Ways(vulkan::Context& context, const HistogramPlan& plan, const vulkan::DevicePicture& picture);
  Ways(const Ways&) = delete;
  Ways& operator=(const Ways&) = delete;
  const std::vector<Way>& all() const { return all_; }

 private:
  const vulkan::Pipeline& pipeline(const vulkan::Shader& shader, const Shape& shape);
  vulkan::Groups groups(uint32_t rows) const;
  void count(vulkan::Recorder& recorder, const vulkan::Pipeline& with, uint32_t rows,
             const vulkan::Buffer& counts) const;
  Way direct(const std::string& name, const vulkan::Shader& shader, const Shape& shape);
  void add_vectors(gpu::GroupBins bins, uint32_t rows = gpu::kRows);
  // Work groups leave their counts side by side; passes make one row of every 16, until one is left.
  void add_tree(const gpu::GroupBins& bins);
  void reduce_rows(vulkan::Recorder& recorder, const vulkan::Pipeline& reduce, uint32_t rows,
                   const vulkan::Buffer& counts) const;

  vulkan::Context& context_;
  const HistogramPlan& plan_;
  const vulkan::DevicePicture& picture_;
  const gpu::CountRgbPass shipped_;
  vulkan::Buffer partial_[2];
  std::vector<Way> all_;
};

}  // namespace vq::histogram

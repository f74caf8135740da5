#include "tests/bench/histogram_bench_ways.h"

#include <array>

// Made by the build from shaders/histogram/ and tests/bench/.
#include "shaders/bench_count_global.h"
#include "shaders/bench_count_private.h"
#include "shaders/bench_count_tree.h"
#include "shaders/bench_read_planes.h"
#include "shaders/bench_reduce_bins.h"
#include "shaders/histogram_count_rgb.h"

namespace vq::histogram {
namespace {

constexpr uint32_t kReducedRows = 16;  // as in reduce_bins.comp

gpu::CountRgbPush push_of(const vulkan::DevicePicture& picture, const RgbConstants& k) {
  const vulkan::PlaneLayout &luma = picture.plane(0).layout, &chroma = picture.plane(1).layout;
  return {static_cast<uint32_t>(luma.width),
          static_cast<uint32_t>(luma.height),
          static_cast<uint32_t>(luma.stride_bytes()),
          static_cast<uint32_t>(chroma.stride_bytes()),
          0,
          k.luma_offset,
          k.chroma_offset,
          k.luma_scale,
          k.cr_to_r,
          k.cb_to_g,
          k.cr_to_g,
          k.cb_to_b,
          k.peak};
}

std::string name_of(const gpu::GroupBins& bins) {
  return std::string(bins.pairs ? "16" : "32") + "-bit bins x" + std::to_string(bins.copies);
}

}  // namespace

Ways::Ways(vulkan::Context& context, const HistogramPlan& plan, const vulkan::DevicePicture& picture)
    : context_(context), plan_(plan), picture_(picture), shipped_(context, picture, plan.rgb) {
  all_.push_back(direct("read the planes once", shaders::kBenchReadPlanes, {}));
  all_.back().is_yardstick = true;
  all_.push_back(direct("each sample in memory", shaders::kBenchCountGlobal, {}));
  all_.push_back(direct("vectors, in memory", shaders::kHistogramCountRgb, {}));
  const uint32_t each = gpu::kRgbChannels * plan.bins.bins;
  for (const uint32_t copies : {1U, 3U}) {
    const gpu::GroupBins bins = {.copies = copies, .words = copies * each};
    if (bins.words > gpu::kMostWords) continue;
    all_.push_back(
        direct("each sample, 32-bit bins x" + std::to_string(copies), shaders::kBenchCountPrivate, {bins}));
  }
  for (const bool pairs : {false, true}) {
    for (const uint32_t copies : {1U, 3U, 7U}) add_vectors({.copies = copies, .pairs = pairs});
  }
  for (const uint32_t rows : {2U, 4U, 16U}) add_vectors({.copies = 1}, rows);
  add_tree(gpu::group_bins(plan.bins, gpu::kRgbChannels));
  all_.push_back({.name = "as the program does",
                  .record = [this](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
                    shipped_.record(recorder, counts);
                  }});
}

const vulkan::Pipeline& Ways::pipeline(const vulkan::Shader& shader, const Shape& shape) {
  const ChromaShifts shifts = plan_.rgb.shifts;
  return context_.pipeline(
      shader, {plan_.rgb.constants.peak > 255 ? 2U : 1U, plan_.bins.bins, plan_.bins.shift, shape.bins.copies,
               shape.bins.words, shape.rows, static_cast<uint32_t>(shifts.x), static_cast<uint32_t>(shifts.y),
               shape.bins.pairs ? 1U : 0U});
}

vulkan::Groups Ways::groups(uint32_t rows) const {
  const vulkan::PlaneLayout& luma = picture_.plane(0).layout;
  return {vulkan::groups_for(luma.width, gpu::kVector * gpu::kGroupX),
          vulkan::groups_for(luma.height, rows * gpu::kGroupY)};
}

void Ways::count(vulkan::Recorder& recorder, const vulkan::Pipeline& with, uint32_t rows,
                 const vulkan::Buffer& counts) const {
  recorder
      .pass(with, {&picture_.plane(0).buffer, &picture_.plane(1).buffer, &picture_.plane(2).buffer, &counts})
      .run(push_of(picture_, plan_.rgb.constants), groups(rows));
}

Way Ways::direct(const std::string& name, const vulkan::Shader& shader, const Shape& shape) {
  return {.name = name,
          .record = [this, rows = shape.rows, &with = pipeline(shader, shape)](vulkan::Recorder& recorder,
                                                                               const vulkan::Buffer& counts) {
            count(recorder, with, rows, counts);
          }};
}

void Ways::add_vectors(gpu::GroupBins bins, uint32_t rows) {
  bins.words = bins.copies * gpu::kRgbChannels * plan_.bins.bins / (bins.pairs ? 2 : 1);
  if (bins.words > gpu::kMostWords) return;
  all_.push_back(direct("vectors, " + name_of(bins) + ", " + std::to_string(rows) + " rows",
                        shaders::kHistogramCountRgb, {bins, rows}));
}

void Ways::add_tree(const gpu::GroupBins& bins) {
  if (bins.copies == 0) return;
  const auto row_bytes = static_cast<int64_t>(gpu::kRgbChannels) * gpu::channel_bytes(plan_.bins);
  const vulkan::Groups of_picture = groups(gpu::kRows);
  const uint32_t rows = of_picture.x * of_picture.y;
  const uint32_t reduced_rows = vulkan::groups_for(rows, kReducedRows);
  partial_[0] = vulkan::Buffer(context_.device(), vulkan::Memory::kDevice, rows * row_bytes);
  partial_[1] = vulkan::Buffer(context_.device(), vulkan::Memory::kDevice, reduced_rows * row_bytes);
  const vulkan::Pipeline& counting = pipeline(shaders::kBenchCountTree, {bins});
  const vulkan::Pipeline& reduce = context_.pipeline(shaders::kBenchReduceBins);
  all_.push_back(
      {.name = "vectors, " + name_of(bins) + ", tree",
       .record = [=, this, &counting, &reduce](vulkan::Recorder& recorder, const vulkan::Buffer& counts) {
         count(recorder, counting, gpu::kRows, partial_[0]);
         reduce_rows(recorder, reduce, rows, counts);
       }});
}

void Ways::reduce_rows(vulkan::Recorder& recorder, const vulkan::Pipeline& reduce, uint32_t rows,
                       const vulkan::Buffer& counts) const {
  const uint32_t width = gpu::kRgbChannels * (plan_.bins.bins + gpu::kBoundWords);
  for (size_t from = 0;; from = 1 - from) {
    const uint32_t reduced = vulkan::groups_for(rows, kReducedRows);
    const vulkan::Buffer& to = reduced == 1 ? counts : partial_[1 - from];
    recorder.pass(reduce, {&partial_[from], &to})
        .run(std::array{rows, width, plan_.bins.bins}, {vulkan::groups_for(width, 64), reduced, 1});
    if (reduced == 1) return;
    rows = reduced;
  }
}

}  // namespace vq::histogram

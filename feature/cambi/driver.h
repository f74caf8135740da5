// The order of CAMBI's stages over one picture, told once for every CPU backend.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "feature/cambi/stages.h"
#include "feature/stage_clock.h"

namespace vq::cambi {

// Whole pictures, or only the c-values and pooling of scales that something else has made.
enum class WorkspaceUse { kPictures, kScalesOnly };

// Buffers for scoring one picture at a time by any of the plans. Throws std::bad_alloc.
class Workspace {
 public:
  Workspace(const CambiPlans& plans, WorkspaceUse use);
  static int64_t bytes(const CambiPlans& plans, WorkspaceUse use);

  Plane<uint16_t> image;  // this and the mask only for whole pictures
  Plane<uint8_t> mask;
  Scratch scratch;
  Pooling pooling;
  std::unique_ptr<StageClock> clock;  // null where nobody wants to know how long stages take
};

// The names under which stages are timed here, and called on devices.
inline constexpr std::string_view kPrepare = "prepare", kDecimate = "decimate", kModeFilter = "mode_filter",
                                  kCValues = "c_values", kPooling = "pooling", kHeatmap = "heatmap";

// Where the heatmaps of a picture go: one plane for each scale, of the scale's size, or none at all.
using HeatmapPlanes = std::vector<Plane<uint16_t>>;
HeatmapPlanes make_heatmap_planes(const CambiPlan& plan);
int64_t heatmap_bytes(const CambiPlan& plan);  // of one picture

using ScaleSums = std::array<ExactSum, kScales>;

// Scores a picture, and fills `heatmaps` unless it is empty.
// Throws Error{kMismatch} naming the sample where one exceeds the input depth's maximum.
ScaleSums score_picture(const SampleView& luma, const CambiPlan& plan, const CambiStages& stages,
                        Workspace& workspace, HeatmapPlanes& heatmaps);

// The part of a picture's score that scale `k` adds: c-values, heatmap and pooling of a picture that is
// already decimated and filtered to that scale.
ExactSum score_scale(ImageIn image, MaskIn mask, int k, const CambiPlan& plan, const CambiStages& stages,
                     Workspace& workspace, HeatmapPlanes& heatmaps);

// Says which sample of a picture is the first to exceed the depth's maximum, when preprocessing has found
// that one does. Throws Error{kMismatch}.
[[noreturn]] void throw_excess(const SampleView& luma, int depth);

}  // namespace vq::cambi

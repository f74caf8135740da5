// Black and frozen pictures and flashes, for which quality control looks. Options, names, the judgement of
// freezes and flashes, and the registry entry.
#pragma once

#include "core/metric.h"
#include "feature/light/light.h"
#include "feature/metric_type.h"
#include "feature/simd_targets.h"

namespace vq::stretches {

inline constexpr std::string_view kFeatureName = "stretches";

struct Options {
  double black_level = 0.1, freeze = -1, noise = 0.001;
  std::string_view range = "auto", transfer = "auto";
};

// Luminance is measured in cells, in 1/1024 cd/m2.
inline constexpr int kColumns = 16, kRows = 9, kCells = kColumns * kRows;
inline constexpr int64_t kUnit = 1024;

struct Plan {
  PlaneSize size = {};
  // Luminance of each code value, under 2^24; codes up to `black` are black.
  std::vector<uint32_t> luminance = {};
  uint32_t black = 0;
  int window = 1;  // frames of a second
  // Frames from the first to the last of the shortest freeze; unused if none are looked for.
  int64_t freeze = 0;
  double noise = 0;
};

struct Stretches {
  using Options = stretches::Options;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::black_level, "black_level", 0, 1,
        "the part of the range from black to white up to which luma is black"},
       {&Options::range, light::kRangeSpec},
       {&Options::transfer, "transfer", light::kLumaTransfers,
        "transfer function of the display, for flashes; auto: as tagged, else bt1886"},
       {&Options::freeze, "freeze", -1, 86400,
        "seconds for which the picture stays the same from when on it is frozen; -1: frozen pictures are not "
        "looked for"},
       {&Options::noise, "noise", 0, 1,
        "the mean difference of samples, as a part of the range of codes, up to which pictures are the "
        "same"}});
  using Plan = stretches::Plan;
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // The share of black samples, flashes within the last second, and if it looks for freezes the frames of the
  // present one.
  static std::vector<std::string> metric_names(const OptionSet& set);
  static bool needs_reference(const Options&) { return false; }
  // Flashes of frames that are not reported count in those that are.
  static bool needs_every_frame(const Options&) { return true; }
  static bool freezes(const Options& options) { return options.freeze >= 0; }
  static int planes(const Options& options) { return freezes(options) ? kMaxPlanes : 1; }
  static NeighbourCount neighbours(const Options& options) {
    NeighbourCount count;
    if (freezes(options)) count.noises = {options.noise};
    return count;
  }
  static std::unique_ptr<FrameSequence> make_sequence(const Options&);
};

// The first column of cell i, of `count` cells over a side; that of cell `count` is the side.
constexpr int cell_start(int i, int side, int count) { return static_cast<int>(int64_t{i} * side / count); }

// Sums of cells, row by row: of luminance, and of black samples.
struct CellSum {
  uint64_t luminance = 0;
  uint32_t black = 0;
  bool operator==(const CellSum&) const = default;
};
// What the sequence makes values of: the frames of a second, the share of black samples, the frames of the
// shortest freeze, the frame with which the pair's freeze began, and the mean luminance of each cell that has
// samples, rounded down. Needs: kCells sums.
FrameResult frame_result(const Plan& plan, const std::vector<CellSum>& cells, const FramePair& frames);

// Changes of a cell's luminance in opposite directions, in turn, as ITU-R BT.1702 has them for a flash: by at
// least 20 cd/m2 if the darker state is under 160 cd/m2, else with a contrast of at least 1/17. A change is
// that from the lowest or highest luminance since the last one, and belongs to the frame that completes it.
class CellChanges {
 public:
  explicit CellChanges(int64_t luminance) : low_(luminance), high_(luminance) {}

  // Whether this frame completes a change.
  bool put(int64_t luminance);

 private:
  int64_t low_, high_;
  std::optional<bool> is_rising_ = {};  // the last change
};

// A part of a row of samples. One of the pointers is set.
struct RowPart {
  const uint8_t* u8 = nullptr;
  const uint16_t* u16 = nullptr;
  int count = 0;
};

namespace scalar {
// Sums over samples of luma; nothing beyond them is read. Those behind the table's end count as its last.
// Needs: at most kMaxSide / kColumns samples.
CellSum row_sum(const RowPart& samples, const Plan& plan);
}  // namespace scalar
VQ_STAGES(row_sum);

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution);

const FeatureInfo& feature_info();

// The device sums up cells, the host does the rest.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::stretches

// XPSNR as FFmpeg's filter computes it, without that filter's slips: options, the names of what is reported,
// what is constant over two videos, and what becomes of the sums of blocks.
//
// Rounding: figures equal the filter's to the last bit, provided that log10() is the same. Sums of blocks are
// exact integers; all else is double, each operation rounded in the order in which it is written.
#pragma once

#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::xpsnr {

// The blocks into which XPSNR cuts a picture.

// Samples from `start` up to `end` along one axis; none if that is not more.
struct Span {
  int start = 0, end = 0;
  int length() const { return end - start; }
};

// A plane in blocks, in raster order. Those of the last column and row end with the plane. All planes of a
// picture have as many blocks; of a plane that is too small for them, the last ones are empty.
struct Grid {
  PlaneSize plane, block;
  int columns = 0, rows = 0;

  size_t count() const { return static_cast<size_t>(columns) * static_cast<size_t>(rows); }
  Span column(int i) const { return cut(i, block.width, plane.width); }
  Span row(int i) const { return cut(i, block.height, plane.height); }

 private:
  static Span cut(int i, int side, int size) {
    return {std::min(i * side, size), std::min((i + 1) * side, size)};
  }
};

// Part of a block that its spatial activity uses along one axis of `size` samples: all but the outermost
// `edge` of the picture.
inline Span without_edge(Span block, int size, int edge) {
  return {block.start == 0 ? edge : block.start, block.end < size ? block.end : size - edge};
}

// Two sums of a block, of the reference's luma o and those of the frames before it. In large pictures every
// value is one of a cell of 2x2 samples, otherwise one of a sample.
struct Activity {
  // Sum of |f|, where f is a high-pass filter of o, without the picture's edge.
  uint64_t spatial = 0;
  // Sum of |t|, where t is the change of o, or the change of that change.
  uint64_t temporal = 0;
  bool operator==(const Activity&) const = default;
};

// How the activity of blocks is measured.
struct ActivityForm {
  Grid grid;                     // of luma
  bool in_cells = false;         // a large picture
  bool is_second_order = false;  // t is the change of the change
  int edge() const { return in_cells ? 2 : 1; }
  int step() const { return in_cells ? 2 : 1; }  // from one f to the next
  // Number of earlier frames that t takes.
  int frames_before() const { return is_second_order ? 2 : 1; }
};

struct XpsnrOptions {
  bool chroma = true;
  double fps = 0;  // of the distorted video; 0: unknown
};

// Number of samples as a part of those of 3840x2160, for which the constants are made.
double relative_size(PlaneSize luma);

// The most frames a second that the option takes.
inline constexpr double kHighestRate = 1000;

// Whether the rate is high enough for activity in time to be the second difference of three frames.
bool is_fast(double fps);

struct XpsnrPlan : ComparedVideos {
  int planes = 1;           // that are compared
  bool is_weighted = true;  // false: the picture is too small for blocks, and is one
  ActivityForm form = {};   // with the grid of luma
  std::array<Grid, kMaxPlanes> grids = {};
};

struct Xpsnr {
  using Options = XpsnrOptions;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::chroma, "enable_chroma -", "also compare the chroma planes"},
       {&Options::fps, "fps -", 0, kHighestRate,
        "frames a second, which decide how motion counts; 0: those of the distorted video"}});
  using Plan = XpsnrPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of other sizes or, if chroma is compared,
  // of other sampling.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // A figure for each plane, the least of these and, of three planes, the weighted one.
  static std::vector<std::string> names(const Options& options);
  static int planes(const Options& options) { return options.chroma ? kMaxPlanes : 1; }
  // As long as the rate is not known, as many as any takes.
  static NeighbourCount neighbours(const Options& options) {
    return {.distorted = 0, .references = options.fps == 0 || is_fast(options.fps) ? 2 : 1};
  }
  // Frames that are not reported are the neighbours of those that are, and count in the figures of the run.
  static bool needs_every_frame(const Options&) { return true; }
  static std::vector<std::pair<std::string, double>> aggregates(const Plan& plan,
                                                                std::span<const double> totals);
};

// Sums of all blocks of a frame.
struct BlockSums {
  explicit BlockSums(const XpsnrPlan& plan);
  std::vector<Activity> activities;  // none if the picture has no weights
  std::array<std::vector<uint64_t>, kMaxPlanes> errors;
};

// The weight of each block, in raster order. Needs: plan.is_weighted.
std::vector<double> block_weights(const XpsnrPlan& plan, std::span<const Activity> activities);

// The weighted squared error of each compared plane.
std::array<uint64_t, kMaxPlanes> weighted_errors(const XpsnrPlan& plan, const BlockSums& sums);

// Values and tallies of a frame with these weighted errors.
FrameResult frame_result(const XpsnrPlan& plan, const std::array<uint64_t, kMaxPlanes>& errors);

// The stages of XPSNR: sums over the blocks of a picture. They are exact: every implementation gives the same
// integers. They never throw and never allocate.

// Luma of the reference. An empty picture before is black: all zeros.
struct History {
  Samples now;
  std::array<SampleView, 2> before = {};  // the latest first; of the type and with the shift of `now`
};

// Work memory for the rows of pictures of that width or a smaller one.
struct Rows {
  explicit Rows(int width);

  static constexpr int kRing = 8;  // rows of a picture that are at hand, a power of two
  Plane<uint16_t> now, before;     // kRing rows; two of each frame before, and one of zeros
  Plane<uint32_t> columns;         // two rows of sums
};

namespace scalar {
// Fills `out`, one for each block, with what Activity describes:
//   f = 12 o - 2 (left + right + up + down) - (the four diagonals);
//   in cells, with the cell's upper left sample at (x, y): rows y-2 and y+3 count -1 from x-1 to x+2, rows
//   y-1 and y+2 count -1 -2 -3 -3 -2 -1 from x-2 to x+3, rows y and y+1 count -1 -3 12 12 -3 -1 there;
//   t = o - before[0], of second order o - 2 before[0] + before[1], in cells the sum of four.
// A block whose part without the edge is empty has no spatial sum. Border: repeated, if cells stick out.
// Needs: sides of at most kMaxSide, blocks of even sides.
void block_activities(const ActivityForm& form, const History& pictures, Rows& rows, std::span<Activity> out);

// Fills `out`, one for each block, with the sums of (a - b)^2. Needs: two planes of the grid's size, sides of
// at most kMaxSide.
void block_errors(const Grid& grid, const std::array<Samples, 2>& planes, Rows& rows,
                  std::span<uint64_t> out);
}  // namespace scalar
VQ_STAGES(block_activities, block_errors);

const FeatureInfo& feature_info();

// The device sums up integers by blocks, the host weights them.
extern const DeviceSupport kDeviceSupport;

// The work groups of a plane: each has some rows of a block.
struct Tiles {
  explicit Tiles(const Grid& grid);
  int64_t count() const { return int64_t{columns} * rows * of_block; }
  int columns = 0, rows = 0;  // of blocks
  int tile_rows = 0, of_block = 0;
};

// Sums of blocks: each tile writes its sums, the host adds them up.
class BlockActivitiesPass {
 public:
  // Luma of the reference, and of the frames before it; the older one is of use in second order alone.
  struct Pictures {
    Operand now;
    const vulkan::DevicePlane &last, &older;
  };
  BlockActivitiesPass(vulkan::Context& context, const ActivityForm& form, const Pictures& pictures,
                      vulkan::Results& sums);

  void record(vulkan::Recorder& recorder) const;
  // Needs: `before` is the number of frames before that there are, at most as many as the form takes.
  void read(int before, std::span<Activity> out) const;

 private:
  const Pictures pictures_;
  const Tiles tiles_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part sums_;
};

class BlockErrorsPass {
 public:
  BlockErrorsPass(vulkan::Context& context, const Grid& grid, const std::array<Operand, 2>& planes,
                  vulkan::Results& sums);

  void record(vulkan::Recorder& recorder) const;
  void read(std::span<uint64_t> out) const;

 private:
  const std::array<Operand, 2> planes_;
  const Tiles tiles_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Results::Part sums_;
};

}  // namespace vq::xpsnr

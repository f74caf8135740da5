#include "feature/ssim/ssim.h"

#include "feature/device_feature.h"
#include "shaders/ssim_compare.h"
#include "shaders/ssim_halve.h"

namespace vq::ssim::gpu {

constexpr int kTileRows = static_cast<int>(kGroupY * kRowsEach);
static_assert((kMostStructure << kWholeBits) * uint64_t{kGroupX} * kTileRows <= INT32_MAX,
              "sums of a group fit its words");
static_assert((uint64_t{5} << (kRestBits - kWholeBits)) / 4 * kGroupX * kTileRows <= INT32_MAX,
              "and so do their rests, with those of the lower floats");

static float unit_of(const Picture& picture) {
  const bool has_floats = picture.plane.layout.sample_bytes == sizeof(float);
  HWY_DASSERT(has_floats || (8 <= picture.bit_depth && picture.bit_depth <= 16));
  return has_floats ? 1 : std::ldexp(1.0F, 8 - picture.bit_depth);
}

static uint32_t sample_bytes(const Picture& picture) {
  return static_cast<uint32_t>(picture.plane.layout.sample_bytes);
}

static uint32_t constant_of(Sums sums) { return sums == Sums::kInDoubles ? 1 : 0; }

static vulkan::PlaneLayout float_layout(PlaneSize size) {
  return {.width = size.width, .height = size.height, .sample_bytes = sizeof(float)};
}

static PlaneSize halved_size(const vulkan::PlaneLayout& layout) {
  return {halved(layout.width), halved(layout.height)};
}

static vulkan::Groups tiles_of(PlaneSize size) {
  HWY_DASSERT(kTaps <= size.width && kTaps <= size.height);
  return vulkan::groups_for({size.width - kTaps + 1, size.height - kTaps + 1}, kGroupX, kTileRows);
}

HalvePass::HalvePass(vulkan::Context& context, const Picture& picture, Sums sums)
    : in_(picture.plane),
      unit_(unit_of(picture)),
      pipeline_(context.pipeline(shaders::kSsimHalve, {sample_bytes(picture), constant_of(sums)})),
      out_(context.device(), float_layout(halved_size(picture.plane.layout))) {
  HWY_DASSERT(kLowPassTaps <= in_.layout.width && kLowPassTaps <= in_.layout.height);
}

void HalvePass::record(vulkan::Recorder& recorder) const {
  const vulkan::PlaneLayout& out = out_.layout;
  const HalvePush push{
      .width = in_.width(),
      .height = in_.height(),
      .stride = in_.stride(),
      .out_width = static_cast<uint>(out.width),
      .out_height = static_cast<uint>(out.height),
      .out_stride = static_cast<uint>(out.stride_bytes() / static_cast<int64_t>(sizeof(float))),
      .unit = unit_};
  recorder.pass(pipeline_, {&in_.buffer, &out_.buffer})
      .run(push, vulkan::groups_for(out.size(), kGroupX, kGroupY));
}

ComparePass::ComparePass(vulkan::Context& context, const Picture& a, const Picture& b,
                         vulkan::Results& results, Sums sums)
    : a_(a.plane),
      b_(b.plane),
      unit_a_(unit_of(a)),
      unit_b_(unit_of(b)),
      groups_(tiles_of(a_.layout.size())),
      pipeline_(
          context.pipeline(shaders::kSsimCompare, {sample_bytes(a), sample_bytes(b), constant_of(sums)})),
      tiles_(results.add(groups_.count(), sizeof(TileSum))) {
  HWY_DASSERT(a_.layout.size() == b_.layout.size());
}

void ComparePass::record(vulkan::Recorder& recorder) const {
  const Constants constants;
  const ComparePush push{.width = a_.width(),
                         .height = a_.height(),
                         .stride_a = a_.stride(),
                         .stride_b = b_.stride(),
                         .unit_a = unit_a_,
                         .unit_b = unit_b_,
                         .c1 = constants.c1,
                         .c2 = constants.c2,
                         .c3 = constants.c3,
                         .first_sum = tiles_.first()};
  recorder.pass(pipeline_, {&a_.buffer, &b_.buffer, &tiles_.buffer()}).run(push, groups_);
}

namespace {

constexpr double kRestUnit = 1.0 / (uint64_t{1} << kRestBits);

// A sum of quotients.
struct Total {
  void add(const QuotientSum& sum) {
    whole += sum.whole;
    rest += sum.rest;
  }
  double value() const {
    return static_cast<double>(whole) / (1 << kWholeBits) + static_cast<double>(rest) * kRestUnit;
  }
  int64_t whole = 0, rest = 0;
};

// A sum that the CPU takes in double, term after term, while the device knows each term up to kRestUnit.
class BoundedSum {
 public:
  // The next `count` terms; the sum of their sizes is `size` at most. Each addition of the CPU is off by half
  // a unit in the last place of a partial sum, which is no larger than the terms' sizes up to there.
  void add(const Total& terms, int64_t count, double size) {
    constexpr double kRoom = 1 + 0x1p-20, kOfComputing = 0x1p-48;
    sum_ += terms.value();
    size_ += size;
    error_ += static_cast<double>(count) * (std::ldexp(1.0, std::ilogb(size_ * kRoom) - 53) + kRestUnit);
    error_of_computing_ += size_ * kOfComputing;
  }
  double least() const { return sum_ - error_ - error_of_computing_; }
  double most() const { return sum_ + error_ + error_of_computing_; }

 private:
  double sum_ = 0, size_ = 0, error_ = 0, error_of_computing_ = 0;
};

// Sums of the work groups of one row of tiles.
struct TileRow {
  Total luminance, contrast, structure;
  uint64_t structure_size = 0;
  bool has_size = true;
};

TileRow row_of(std::span<const TileSum> tiles) {
  TileRow row;
  for (const TileSum& tile : tiles) {
    row.luminance.add(tile.luminance);
    row.contrast.add(tile.contrast);
    row.structure.add(tile.structure);
    row.structure_size += tile.structure_size;
    row.has_size = row.has_size && tile.structure_size != kNoSize;
  }
  return row;
}

// Bounds of the sums of tiles that follow each other in the CPU's order.
struct BoundedSums {
  bool add(const TileRow& row, int64_t count) {
    const double unknown = static_cast<double>(count) * kRestUnit;
    luminance.add(row.luminance, count, row.luminance.value() + unknown);
    contrast.add(row.contrast, count, row.contrast.value() + unknown);
    structure.add(row.structure, count, static_cast<double>(row.structure_size) / (1 << kSizeBits));
    return row.has_size;
  }
  SimilarityBounds bounds() const {
    return {{luminance.least(), contrast.least(), structure.least()},
            {luminance.most(), contrast.most(), structure.most()}};
  }
  BoundedSum luminance, contrast, structure;
};

bool is_within(const Similarity& sums, const SimilarityBounds& bounds) {
  const auto is_part_within = [&](double Similarity::*part) {
    return bounds.least.*part <= sums.*part && sums.*part <= bounds.most.*part;
  };
  return is_part_within(&Similarity::luminance) && is_part_within(&Similarity::contrast) &&
         is_part_within(&Similarity::structure);
}

// What the window needs for these positions.
PlaneView<const float> part_of(PlaneView<const float> view, int x, int y, PlaneSize size) {
  return {view.row(y) + x, size.width + kTaps - 1, size.height + kTaps - 1, view.stride};
}

}  // namespace

std::optional<SimilarityBounds> ComparePass::bounds() const {
  const auto [columns, rows] = positions();
  std::span<const TileSum> tiles = tiles_.records<TileSum>();
  BoundedSums all;
  for (int y = 0; y < rows; y += kTileRows) {
    if (!all.add(row_of(tiles.first(groups_.x)), int64_t{columns} * std::min(rows - y, kTileRows)))
      return std::nullopt;
    tiles = tiles.subspan(groups_.x);
  }
  return all.bounds();
}

bool ComparePass::agrees_with_cpu(PlaneView<const float> a, PlaneView<const float> b) const {
  constexpr int kTileColumns = static_cast<int>(kGroupX);
  const auto [columns, rows] = positions();
  const TileSum* next = tiles_.records<TileSum>().data();
  Scratch scratch(kTileColumns + kTaps - 1);
  for (int y = 0; y < rows; y += kTileRows) {
    for (int x = 0; x < columns; x += kTileColumns) {
      const PlaneSize size = {std::min(columns - x, kTileColumns), std::min(rows - y, kTileRows)};
      BoundedSums tile;
      if (!tile.add(row_of({next++, 1}), int64_t{size.width} * size.height)) return false;
      const Similarity found = scalar::compare(part_of(a, x, y, size), part_of(b, x, y, size), scratch);
      if (!is_within(found, tile.bounds())) return false;
    }
  }
  return true;
}

}  // namespace vq::ssim::gpu

namespace vq::ssim {

// MS-SSIM on a Vulkan device.

namespace {

// The passes of all scales on two pictures.
class Scales {
 public:
  Scales(vulkan::Context& context, const gpu::Picture& distorted, const gpu::Picture& reference, size_t count)
      : distorted_(context, distorted, count), reference_(context, reference, count) {
    for (size_t k = 0; k < count; ++k)
      compared_.emplace_back(context, distorted_.at(k), reference_.at(k), sums_);
    sums_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) const {
    recorder.begin_stage(kHalveStage);
    for (size_t k = 0; k + 1 < compared_.size(); ++k) {
      distorted_.record(recorder, k);
      reference_.record(recorder, k);
    }
    recorder.begin_stage(kCompareStage);
    for (const gpu::ComparePass& pass : compared_) pass.record(recorder);
    recorder.begin_stage(kReadbackStage);
    sums_.read_back(recorder);
  }

  const vulkan::DevicePlane& distorted(size_t scale) const { return distorted_.at(scale).plane; }
  const vulkan::DevicePlane& reference(size_t scale) const { return reference_.at(scale).plane; }

  // Valid after what was recorded has run: whether the scales are these pictures', work group by work group.
  bool agree_with_cpu(
      std::span<const std::pair<PlaneView<const float>, PlaneView<const float>>> pictures) const {
    for (size_t k = 0; k < compared_.size(); ++k) {
      if (!compared_[k].agrees_with_cpu(pictures[k].first, pictures[k].second)) return false;
    }
    return true;
  }

  // Valid after what was recorded has run: those of each scale, or none if one has none.
  struct Bounds {
    std::vector<Similarity> least, most;
  };
  Bounds bounds() const {
    Bounds all;
    for (const gpu::ComparePass& pass : compared_) {
      const std::optional<gpu::SimilarityBounds> of_scale = pass.bounds();
      if (!of_scale) return {};
      all.least.push_back(of_scale->least);
      all.most.push_back(of_scale->most);
    }
    return all;
  }

 private:
  // A picture, and what is left of it at each scale.
  class Halved {
   public:
    Halved(vulkan::Context& context, const gpu::Picture& picture, size_t count) : whole_(picture) {
      passes_.reserve(count);  // each reads what the one before has
      for (size_t k = 0; k + 1 < count; ++k) passes_.emplace_back(context, at(k));
    }
    gpu::Picture at(size_t scale) const {
      return scale == 0 ? whole_ : gpu::Picture{passes_[scale - 1].halved_picture()};
    }
    void record(vulkan::Recorder& recorder, size_t scale) const { passes_[scale].record(recorder); }

   private:
    const gpu::Picture whole_;
    std::vector<gpu::HalvePass> passes_;
  };

  const Halved distorted_, reference_;
  vulkan::Results sums_;
  std::vector<gpu::ComparePass> compared_;
};

// The host's part, shared by all slots.
struct SharedScales : SharedWork<SsimPlan> {
  SharedScales(const SsimPlan& with, const VideoFormats& of, const Execution& execution, vulkan::Context& on)
      : SharedWork(with, of, execution, on), whole(make_host_feature(with, execution), times) {}

  bool settles(const Scales::Bounds& bounds) const {
    return !bounds.least.empty() && settle_values(plan, bounds.least, bounds.most);
  }

  const WholeFrames whole;  // of which the device does not settle the values
};

// A picture of the start-up check and its half, by the CPU.
struct Expected {
  explicit Expected(const CheckPicture& picture)
      : whole(picture.format().width, picture.format().height),
        half(halved(whole.width()), halved(whole.height())) {
    Scratch scratch(whole.width());
    scalar::shrink({picture.frame().luma(), picture.format().bit_depth}, 1, scratch, whole.view());
    scalar::halve(std::as_const(whole).view(), scratch, half.view());
  }
  Plane<float> whole, half;
};

// The start-up check: small pictures of the videos' depths are halved and compared on the device and on the
// CPU, whose sums of each work group must lie within the device's bounds.
void check_scales(vulkan::Context& context, const VideoFormats& formats) {
  const CheckFrames frames(context, formats, {.reference = true});
  CheckPicture &distorted = frames.distorted(), &reference = frames.reference();
  const Scales scales(context, {distorted.on_device().plane(0), distorted.format().bit_depth},
                      {reference.on_device().plane(0), reference.format().bit_depth}, 2);
  const std::array halves = {&scales.distorted(1), &scales.reference(1)};
  std::vector<vulkan::Buffer> read;
  for (const vulkan::DevicePlane* const half : halves)
    read.emplace_back(context.device(), vulkan::Memory::kReadback, half->layout.bytes());
  frames.run([&](vulkan::Recorder& recorder) {
    scales.record(recorder);
    for (size_t i = 0; i < halves.size(); ++i) recorder.copy(halves[i]->buffer, read[i]);
  });
  const Expected a(distorted), b(reference);
  context.require_same(same_samples(a.half.view(), vulkan::float_plane(read[0], halves[0]->layout)) &&
                           same_samples(b.half.view(), vulkan::float_plane(read[1], halves[1]->layout)),
                       "halved pictures");
  context.require_same(scales.agree_with_cpu(std::array{std::pair(a.whole.view(), b.whole.view()),
                                                        std::pair(a.half.view(), b.half.view())}),
                       "similarities");
}

class MsSsimWork final : public DeviceWork {
 public:
  using Shared = SharedScales;
  MsSsimWork(SharedScales& shared, const DeviceFrame& frame)
      : shared_(shared),
        scales_(shared.context, {frame.distorted.plane(0), shared.formats.distorted.bit_depth},
                {frame.needed_reference().plane(0), shared.formats.reference.value().bit_depth}, kScales) {}

  void record(vulkan::Recorder& recorder) override { scales_.record(recorder); }

  FrameResult finish(const FramePair& frames) override {
    if (std::unique_ptr<HostFinish> rest = take(frames)) return rest->finish();
    return {.values = frame_values(shared_.plan, scales_.bounds().least)};
  }
  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    if (shared_.settles(scales_.bounds())) return nullptr;
    return shared_.whole.finish_of(frames);
  }

  static void check(vulkan::Context& context, const SsimPlan&, const VideoFormats& formats) {
    check_scales(context, formats);
  }
  // What a thread needs for a frame that the device leaves to it.
  static int64_t host_bytes(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    return ms_ssim_info().memory(set, formats, execution).fixed;
  }

 private:
  SharedScales& shared_;
  const Scales scales_;
};

}  // namespace

const DeviceSupport kMsSsimDeviceSupport =
    describe_device<ms_ssim_info, MsSsim, MsSsimWork, shaders::kSsimHalve, shaders::kSsimCompare>();

}  // namespace vq::ssim

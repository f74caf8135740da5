#include "feature/cambi/device.h"

#include "shaders/cambi_c_values.h"
#include "shaders/cambi_c_values_slice.h"
#include "shaders/cambi_pool_count.h"
#include "shaders/cambi_pool_finish.h"
#include "vulkan/shader.h"

namespace vq::cambi::gpu {

// Beyond this the registers of a thread do not suffice on common devices; reading anew costs a third more
// time.
constexpr uint kMaxPlaneRegisters = 160;

static uint divided_up(uint count, uint size) { return (count + size - 1) / size; }

static uint reach(const CambiPlan& plan) { return static_cast<uint>(plan.half_window); }

static uint tasks(const CValueTiles& tiles, const CambiPlan& plan) {
  return (tiles.rows() + 2 * reach(plan)) * tiles.row_words;
}

// As few as the device allows, and at most kMaxSliceParts.
static uint choose_slice_parts(const vulkan::DeviceInfo& device) {
  const auto fits = [&](uint parts) {
    return unsupported_reason(device, kSliceShader.needs(std::array{parts})).empty();
  };
  uint parts = 1;
  while (parts < kMaxSliceParts && !fits(parts)) parts *= 2;
  return parts;
}

constexpr vulkan::Shader kCValuesShader = shaders::kCambiCValues;
constexpr vulkan::Shader kSliceShader = shaders::kCambiCValuesSlice;

std::vector<uint32_t> CValueTiles::constants(const CambiPlan& plan) const {
  return {threads, row_words, rows_each, reach(plan), static_cast<uint32_t>(plan.num_contrasts), keep_planes};
}

uint CValueTiles::plane_registers(const CambiPlan& plan) const {
  const uint span = 2 * divided_up(reach(plan), kWordSamples) + 1;
  return divided_up(tasks(*this, plan), threads) * span * kLevelBits;
}

CValueTiles choose_tiles(const CambiPlan& plan, const vulkan::DeviceInfo& device) {
  // The best of what was measured for windows that reach so far, then whatever needs less shared memory.
  // Small tiles share the work better and hold fewer levels, large ones spend less of it on their
  // surroundings.
  struct Request {
    int most_reach;
    CValueTiles tiles;
  };
  constexpr Request kRequests[] = {
      {10, {32, 1, 4, true}},          {16, {64, 1, 4, true}},          {32, {128, 2, 4, true}},
      {kMaxWindow, {256, 2, 4, true}}, {kMaxWindow, {128, 1, 4, true}}, {kMaxWindow, {128, 1, 2, true}},
      {kMaxWindow, {64, 1, 2, true}},  {kMaxWindow, {32, 1, 2, true}},  {kMaxWindow, {16, 1, 2, true}}};
  std::string reason;
  for (const Request& request : kRequests) {
    if (plan.half_window > request.most_reach) continue;
    CValueTiles tiles = request.tiles;
    // Where subgroups are larger than the work group, part of the device would idle.
    const bool fills_subgroups = static_cast<int>(tiles.threads) >= device.subgroup_size;
    if (request.most_reach < kMaxWindow && !fills_subgroups) continue;
    tiles.slice_parts = choose_slice_parts(device);
    tiles.keep_planes = tiles.plane_registers(plan) <= kMaxPlaneRegisters;
    reason = unsupported_reason(device, kCValuesShader.needs(tiles.constants(plan)));
    if (reason.empty()) return tiles;
  }
  throw Error(ErrorKind::kBackend, "{} cannot be used with a window of {} samples: {}", device.name,
              plan.window, reason);
}

std::array<ScaleGeometry, kScales> make_geometry(const CambiPlan& plan, const CValueTiles& tiles) {
  std::array<ScaleGeometry, kScales> scales{};
  uint words = 0, blocks = 0, slice_groups = 0, pool_groups = 0, quads = 0;
  const vulkan::PlaneLayout mask{plan.width, plan.height, 1};
  for (size_t k = 0; k < kScales; ++k) {
    ScaleGeometry& scale = scales[k];
    scale.width = static_cast<uint>(plan.scales[k].width);
    scale.height = static_cast<uint>(plan.scales[k].height);
    scale.image_stride =
        static_cast<uint>(vulkan::PlaneLayout{plan.scales[k].width, plan.scales[k].height, 2}.stride_bytes());
    scale.mask_stride = static_cast<uint>(mask.stride_bytes());
    scale.mask_shift = static_cast<uint>(k) + (plan.halve_first ? 1 : 0);
    scale.words = divided_up(scale.width, kWordSamples * kRowWords) * kRowWords;
    scale.first_word = words;
    scale.first_block = blocks;
    scale.first_slice_group = slice_groups;
    scale.slice_groups_x = divided_up(scale.words, kSliceWords);
    scale.slice_groups = scale.slice_groups_x * divided_up(scale.height, kBlockRows);
    scale.tiles_x = scale.words / tiles.row_words;
    scale.tiles = scale.tiles_x * divided_up(scale.height, tiles.rows());
    scale.first_pool_group = pool_groups;
    scale.pool_groups = divided_up(scale.height, kPoolRows);
    // A work group's rows are in one buffer.
    const uint half = divided_up(scale.height, 2 * kPoolRows) * kPoolRows;
    scale.first_value = k == 0 ? std::min(half, scale.height) : quads;
    scale.topk_count = static_cast<uint>(plan.scales[k].topk_count);
    words += scale.words * scale.height;
    blocks += scale.words * divided_up(scale.height, kBlockRows);
    slice_groups += scale.slice_groups;
    pool_groups += scale.pool_groups;
    if (k > 0) quads += scale.words * scale.height * (kWordSamples / 4);
  }
  // Tiles of the coarse scales hold the most levels, so they come first.
  uint first_tile = 0;
  for (size_t k = kScales; k-- > 0;) {
    scales[k].first_tile = first_tile;
    first_tile += scales[k].tiles;
  }
  return scales;
}

ScoringSizes scoring_sizes(const std::array<ScaleGeometry, kScales>& scales) {
  ScoringSizes sizes{};
  constexpr int64_t kWordBytes = int64_t{kWordSamples} * static_cast<int64_t>(sizeof(float));
  for (size_t k = 0; k < kScales; ++k) {
    const ScaleGeometry& scale = scales[k];
    sizes.words += int64_t{scale.words} * scale.height;
    sizes.blocks += int64_t{scale.words} * divided_up(scale.height, kBlockRows);
    if (k > 0) sizes.value_bytes[2] += kWordBytes * scale.words * scale.height;
  }
  const ScaleGeometry& finest = scales[0];
  sizes.value_bytes[0] = kWordBytes * finest.words * finest.first_value;
  // A picture of one row has no lower half; what the shader sees must still be something.
  sizes.value_bytes[1] = kWordBytes * finest.words * std::max(finest.height - finest.first_value, 1U);
  return sizes;
}

static_assert(kScaleCount == kScales);
static_assert(kSetWords * 32 > kMaxLevel);

constexpr int64_t kSumBytes = int64_t{kScales} * kSumWords * 4;
constexpr int64_t kHistogramBytes = int64_t{kScales} * kPoolDigits * kBins * 4;

// Runs so many work groups, in as many dispatches as the device takes them.
template <typename Push>
static void run_groups(const vulkan::DeviceInfo& device, const vulkan::Recorder::Pass& pass, Push push,
                       uint groups) {
  const uint most = static_cast<uint>(device.max_groups[0]);
  for (push.first_group = 0; push.first_group < groups;) {
    const uint count = std::min(groups - push.first_group, most);
    pass.run(push, {count, 1, 1});
    push.first_group += count;
  }
}

static std::vector<ContrastRule> contrast_rules(const CambiPlan& plan) {
  std::vector<ContrastRule> rules;
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    rules.push_back({static_cast<uint>(contrast.weight), contrast.first_level, contrast.last_level});
  }
  return rules;
}

std::string unsupported_by_scoring(const vulkan::DeviceInfo& device) {
  // Where these are too large for a plan's window, choose_tiles() says so.
  constexpr CValueTiles kLeast{16, 1, 2, false};
  CambiPlan plan;
  plan.half_window = 1;
  plan.num_contrasts = 1;
  const std::pair<vulkan::Shader, std::vector<uint32_t>> shaders[] = {
      {kSliceShader, {kMaxSliceParts}},
      {kCValuesShader, kLeast.constants(plan)},
      {shaders::kCambiPoolCount, {}},
      {shaders::kCambiPoolFinish, {}}};
  for (const auto& [shader, constants] : shaders) {
    std::string reason = unsupported_reason(device, shader.needs(constants));
    if (!reason.empty()) return reason;
  }
  return "";
}

Scoring::Scoring(vulkan::Context& context, const CambiPlan& plan, const CValueTiles& tiles)
    : context_(context),
      tiles_(tiles),
      scales_(make_geometry(plan, tiles)),
      slice_(context.pipeline(kSliceShader, {tiles.slice_parts})),
      c_values_(context.pipeline(kCValuesShader, tiles.constants(plan))),
      pool_count_(context.pipeline(shaders::kCambiPoolCount)),
      pool_finish_(context.pipeline(shaders::kCambiPoolFinish)),
      geometry_(context.table(scales_)),
      contrasts_(context.table(contrast_rules(plan))),
      reciprocals_(context.table(plan.reciprocals)) {
  const std::shared_ptr<vulkan::Device>& device = context.device();
  const auto on_device = [&](int64_t bytes) {
    return vulkan::Buffer(device, vulkan::Memory::kDevice, bytes);
  };
  const ScoringSizes sizes = scoring_sizes(scales_);
  levels_ = on_device(sizes.words * kWordSamples * 2);
  planes_ = on_device(sizes.words * kPlaneVectors * 16);
  sets_ = on_device(sizes.blocks * kSetWords * 4);
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = on_device(sizes.value_bytes[i]);
  sums_ = on_device(kSumBytes);
  histograms_ = on_device(kHistogramBytes);
  read_sums_ = vulkan::Buffer(device, vulkan::Memory::kReadback, kSumBytes);
}

void Scoring::make_room_for_values() {
  if (read_values_.bytes() > 0) return;
  read_values_ =
      vulkan::Buffer(context_.device(), vulkan::Memory::kReadback, finest_bytes() + values_[2].bytes());
}

void Scoring::record(vulkan::Recorder& recorder, const ScoringInput& input, bool with_values) {
  recorder.begin_stage("slice");
  recorder.fill(sums_, 0);
  recorder.fill(histograms_, 0);
  uint groups = 0;
  for (const ScaleGeometry& scale : scales_) groups += scale.slice_groups;
  const auto& images = input.images;
  const vulkan::DeviceInfo& device = context_.device()->info();
  const vulkan::Recorder::Pass pass = recorder.pass(
      slice_, {&geometry_, &images[0]->buffer, &images[1]->buffer, &images[2]->buffer, &images[3]->buffer,
               &images[4]->buffer, &input.mask->buffer, &levels_, &planes_, &sets_});
  run_groups(device, pass, GroupPush{}, groups);
  recorder.begin_stage("c_values");
  record_c_values(recorder);
  recorder.begin_stage("pooling");
  record_pooling(recorder);
  if (with_values) record_values(recorder);
  recorder.begin_stage("readback");
  recorder.copy(sums_, read_sums_);
}

void Scoring::record_c_values(vulkan::Recorder& recorder) {
  uint tiles = 0;
  for (const ScaleGeometry& scale : scales_) tiles = std::max(scale.first_tile + scale.tiles, tiles);
  const vulkan::Recorder::Pass pass =
      recorder.pass(c_values_, {&geometry_, &levels_, &planes_, &sets_, &contrasts_, &reciprocals_,
                                &values_[0], &values_[1], &values_[2], &sums_});
  run_groups(context_.device()->info(), pass, GroupPush{}, tiles);
}

// pool, for all scales.
void Scoring::record_pooling(vulkan::Recorder& recorder) {
  uint groups = 0;
  for (const ScaleGeometry& scale : scales_) groups += scale.pool_groups;
  for (uint digit = 0; digit < kPoolDigits; ++digit) {
    const vulkan::Recorder::Pass pass =
        recorder.pass(pool_count_, {&geometry_, &values_[0], &values_[1], &values_[2], &sums_, &histograms_});
    run_groups(context_.device()->info(), pass, PoolPush{.first_group = 0, .digit = digit}, groups);
  }
  recorder.pass(pool_finish_, {&geometry_, &sums_, &histograms_}).run(GroupPush{}, {kScales, 1, 1});
}

// The halves of the finest scale meet again.
void Scoring::record_values(vulkan::Recorder& recorder) {
  const int64_t upper = values_[0].bytes();
  make_room_for_values();
  recorder.begin_stage("heatmap");
  std::vector<vulkan::Copy> copies = {
      {.from = &values_[0], .to = &read_values_, .bytes = upper},
      {.from = &values_[2], .to = &read_values_, .to_offset = finest_bytes(), .bytes = values_[2].bytes()}};
  if (finest_bytes() > upper) {
    copies.push_back(
        {.from = &values_[1], .to = &read_values_, .to_offset = upper, .bytes = finest_bytes() - upper});
  }
  recorder.copy(copies);
}

std::array<ExactSum, kScales> Scoring::sums() const {
  const auto* words = reinterpret_cast<const uint32_t*>(read_sums_.mapped());
  std::array<ExactSum, kScales> sums{};
  for (size_t k = 0; k < kScales; ++k, words += kSumWords) {
    const uint32_t* const sum = words + (words[0] > scales_[k].topk_count ? kSumOfLargest : kSumOfAll);
    sums[k] = (static_cast<ExactSum>(sum[2]) << 64) | (static_cast<ExactSum>(sum[1]) << 32) | sum[0];
  }
  return sums;
}

CValuesIn Scoring::values(int scale) const {
  const ScaleGeometry& geometry = scales_[static_cast<size_t>(scale)];
  const auto* values = reinterpret_cast<const float*>(read_values_.mapped());
  if (scale > 0) {
    values +=
        int64_t{scales_[0].words} * scales_[0].height * kWordSamples + int64_t{geometry.first_value} * 4;
  }
  return {values, static_cast<int>(geometry.width), static_cast<int>(geometry.height),
          static_cast<ptrdiff_t>(geometry.words) * kWordSamples};
}

ScoredPicture::ScoredPicture(vulkan::Context& context, const CambiPlan& plan, bool with_values)
    : plan_(plan),
      with_values_(with_values),
      picture_(context, plan),
      scoring_(context, plan),
      excess_(context.device(), vulkan::Memory::kReadback, picture_.excess().bytes()) {
  if (with_values) scoring_.make_room_for_values();
}

void ScoredPicture::record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma) {
  picture_.record(recorder, luma, false);
  ScoringInput input{{}, &picture_.whole_mask()};
  for (int k = 0; k < kScales; ++k) input.images[static_cast<size_t>(k)] = &picture_.image(k);
  scoring_.record(recorder, input, with_values_);
  recorder.copy(picture_.excess(), excess_);
}

bool ScoredPicture::has_excess() const { return *excess_.mapped() != std::byte{0}; }

}  // namespace vq::cambi::gpu

#include <set>

#include "feature/cambi/cambi.h"
#include "feature/extractor.h"
#include "tests/fuzz/target.h"
#include "tests/support/decoded_plane.h"

namespace vq::fuzz {
namespace {

// A reference scored at 8K takes minutes under the sanitizers.
double most_of(const OptionSpec& spec) { return spec.name.starts_with("src_") ? 330 : spec.max; }

constexpr int kPadding = 5;

// Bands of `step` columns and lines, with the bytes of the input over them: what CAMBI looks for.
test::DecodedPlane take_luma(ByteTaker& taker, const VideoFormat& format) {
  const int max = (1 << format.bit_depth) - 1;
  const int first = taker.integer(0, max), per_band = taker.integer(-4, 4);
  const int columns = taker.integer(1, 64), lines = taker.integer(1, 64);
  const bool in_range = taker.byte() != 0;
  const std::span<const uint8_t> noise = taker.rest();
  return test::DecodedPlane(format.width, format.height, format.bit_depth, kPadding).fill([&](int x, int y) {
    const auto at = static_cast<size_t>(y * (format.width + kPadding) + x);
    const int change = noise.empty() ? 0 : (noise[at % noise.size()] & 7) - 3;
    const int value = first + per_band * (x / columns + y / lines) + (change == 4 || change < 0 ? 0 : change);
    return in_range ? std::clamp(value, 0, max) : value;
  });
}

Verdict score(const FeatureRequest& request, const VideoFormats& formats, std::span<const FramePair> frames,
              const Execution& execution) {
  Verdict verdict;
  try {
    const auto extractor = make_extractor({&request, 1}, formats, execution);
    for (const FramePair& pair : frames) extractor->push(pair, verdict);
    extractor->finish(verdict);
  } catch (const Error& error) {
    verdict.kind = error.kind();
    verdict.error = error.what();
    check_message(verdict.error);
  }
  return verdict;
}

void require_same(const Verdict& got, const Verdict& expected) {
  require(got.error == expected.error, "every backend gives the same error");
  require(same_bits(got.values, expected.values), "every backend gives the same scores");
  require(got.heatmap_samples == expected.heatmap_samples, "every backend gives the same heatmaps");
}

// A picture, its size and options; every implementation must agree.
void run_cambi(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  VideoFormats formats;
  formats.distorted.name = "input";
  formats.distorted.bit_depth = taker.integer(8, 16);
  // One side at least must be 216, the other may be anything.
  const int long_side = taker.integer(210, 300), short_side = taker.integer(1, 90);
  const bool wide = taker.byte() % 2 == 0;
  formats.distorted.width = wide ? long_side : short_side;
  formats.distorted.height = wide ? short_side : long_side;
  const FeatureRequest request = {.info = &cambi::feature_info(),
                                  .options = take_options(taker, cambi::Cambi::kOptions.specs(), most_of),
                                  .heatmaps = true};
  const test::DecodedPlane luma = take_luma(taker, formats.distorted);
  formats.reference = formats.distorted;
  FramePair frames;
  frames.distorted = test::luma_frame(luma);
  frames.reference = frames.distorted;

  WorkerPool pool(1);
  const Verdict expected =
      score(request, formats, {&frames, 1}, {.backend = Backend::kScalar, .pool = &pool});
  require(expected.error.empty() || expected.kind == ErrorKind::kMismatch,
          "a picture can only be refused for its size or samples");
  require(expected.error.empty() != expected.values.empty(), "a picture has scores or an error");
  for (const double value : expected.values)
    require(std::isfinite(value) && value >= 0, "a score is 0 or more");
  require_same(score(request, formats, {&frames, 1}, {.backend = Backend::kCpu, .pool = &pool}), expected);
}

constexpr int kPairPadding = 3;  // bytes of the input that are left out behind each row
constexpr int kMostFrames = 3;
constexpr int kMostSamples = 3 * 96 * 96;  // of the luma of all frames, but the first

// Planes of many times the size take seconds under the sanitizers.
double largest_of(const OptionSpec& spec) {
  if (spec.name.ends_with("prescale")) return 1.5;
  return spec.kind == OptionKind::kInt ? std::min(spec.max, 4096.0) : spec.max;
}

// Waves of the input's bytes, each plane from another of them on, at full contrast or less.
Frame draw(const VideoFormat& format, std::span<const uint8_t> input, int shift) {
  const int max = (1 << format.bit_depth) - 1;
  return test::drawn_frame(format, [&](int plane, int x, int y) {
    const int width = plane_size({format.width, format.height}, format.chroma, plane).width;
    const auto at = static_cast<size_t>(y * (width + kPairPadding) + x + plane);
    const int level = input.empty() ? 0 : input[at % input.size()] * 257;
    return (level >> (16 - format.bit_depth) >> shift) & max;
  });
}

// Sides as some metrics need them, and no longer: emulated vectors take microseconds a sample under the
// sanitizers.
struct Sides {
  int least = 1, most = 1;
};

VideoFormat take_format(ByteTaker& taker) {
  constexpr Chroma kChroma[] = {Chroma::k400, Chroma::k420, Chroma::k420, Chroma::k422, Chroma::k444};
  constexpr Sides kSides[] = {{1, 20}, {1, 20}, {16, 50}, {16, 50}, {33, 50}, {80, 96}, {80, 96}, {176, 190}};
  VideoFormat format;
  format.name = "input";
  format.bit_depth = taker.integer(8, 16);
  const Sides sides = kSides[taker.byte() % std::size(kSides)];
  format.width = taker.integer(sides.least, sides.most);
  format.height = taker.integer(sides.least, sides.most);
  format.chroma = kChroma[taker.byte() % std::size(kChroma)];
  return format;
}

// The best of each group of instruction sets that a mask tells apart.
std::vector<Execution> executions(WorkerPool& pool) {
  std::vector<Execution> list;
  std::set<std::string> names;
  for (const uint32_t mask : {0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    const Execution execution = {.backend = Backend::kCpu, .pool = &pool, .cpumask = mask};
    if (names.insert(host_simd(execution)).second) list.push_back(execution);
  }
  return list;
}

// Where docs/adm.md and docs/ssim.md say that scores may be or mean nothing.
bool may_be_no_number(const FeatureRequest& request) {
  const OptionSet& options = request.options;
  if (request.info->name == "adm")
    return options.get_real("adm_noise_weight") == 0 || options.get_int("adm_csf_mode") == 1;
  return request.info->name == "float_ms_ssim" || request.info->name == "siti";  // which lacks a first TI
}

// Some frames of a video and its reference, their formats, and options of a feature that compares the two;
// the instruction set that the input chooses must agree with the scalar stages.
void run_pair(std::string_view feature, std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  const VideoFormat format = take_format(taker);
  VideoFormats formats = {format, format};
  // Now and then the two differ.
  const uint8_t other = taker.byte();
  if (other % 8 == 0) formats.reference->bit_depth = taker.integer(8, 16);
  if (other % 32 == 1) formats.reference->width += 1;
  const int count =
      std::min(taker.integer(1, kMostFrames), std::max(1, kMostSamples / (format.width * format.height)));
  const int shift = taker.integer(0, 2);
  const size_t instructions = taker.byte();
  FeatureRequest request = {.info = &find_feature(feature), .options = OptionSet({})};
  request.options = take_options(taker, request.info->options, largest_of);
  std::vector<FramePair> frames;
  PreviousFrames before(frame_needs({&request, 1}).before);
  for (int i = 0; i < count; ++i) {
    const std::span<const uint8_t> rest = taker.rest();
    FramePair pair;
    pair.distorted =
        draw(formats.distorted, rest.subspan(std::min<size_t>(rest.size(), static_cast<size_t>(i))), shift);
    pair.reference = draw(*formats.reference, rest, 0);
    pair.index = pair.distorted.index = pair.reference->index = i;
    before.give(pair);
    frames.push_back(pair);
  }
  WorkerPool pool(1);
  const Verdict expected = score(request, formats, frames, {.backend = Backend::kScalar, .pool = &pool});
  const auto is_no_number = [](double value) { return std::isnan(value); };
  require(may_be_no_number(request) || std::ranges::none_of(expected.values, is_no_number),
          "a score is a number");
  const std::vector<Execution> with_simd = executions(pool);
  require_same(score(request, formats, frames, with_simd[instructions % with_simd.size()]), expected);
}

std::vector<Target> feature_targets() {
  std::vector<Target> all = {{"c_api", run_c_api}, {"cambi", run_cambi}, {"libvmaf", run_libvmaf}};
  for (const char* const name : {"adm", "butteraugli", "ciede", "cvvdp", "float_ms_ssim", "float_ssim", "itp",
                                 "light", "motion", "psnr", "psnr_hvs", "siti", "speed_chroma",
                                 "speed_temporal", "ssimulacra2", "stretches", "vif", "xpsnr"})
    all.push_back({name, [=](std::span<const uint8_t> bytes) { run_pair(name, bytes); }});
  return all;
}
[[maybe_unused]] const bool kHasFeatureTargets = add_targets(feature_targets());

}  // namespace
}  // namespace vq::fuzz

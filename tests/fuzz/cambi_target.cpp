#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/cambi/cambi.h"
#include "feature/cambi/plan.h"
#include "feature/extractor.h"
#include "tests/fuzz/options.h"
#include "tests/fuzz/target.h"
#include "tests/support/decoded_plane.h"

namespace vq::fuzz {
namespace {

// A reference scored at 8K takes minutes under the sanitizers.
double most_of(const OptionSpec& spec) {
  return spec.name.starts_with("src_") ? 330 : spec.max;
}

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

Verdict score(const OptionSet& options, const VideoFormats& formats, const FramePair& frames,
              Backend backend) {
  Verdict verdict;
  WorkerPool pool(1);
  const Execution execution{.backend = backend, .pool = &pool};
  try {
    const std::vector<FeatureRequest> requests = {
        {.info = &cambi::feature_info(), .options = options, .heatmaps = true}};
    const auto extractor = make_extractor(requests, formats, execution);
    extractor->push(frames, verdict);
    extractor->finish(verdict);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kMismatch, "a picture can only be refused for its size or samples");
    verdict.error = error.what();
    check_message(verdict.error);
  }
  return verdict;
}

}  // namespace

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
  const OptionSet options = take_options(taker, cambi::Cambi::kOptions.specs(), most_of);
  const test::DecodedPlane luma = take_luma(taker, formats.distorted);
  formats.reference = formats.distorted;
  FramePair frames;
  frames.distorted = test::luma_frame(luma);
  frames.reference = frames.distorted;

  const Verdict expected = score(options, formats, frames, Backend::kScalar);
  require(expected.error.empty() != expected.values.empty(), "a picture has scores or an error");
  for (const double value : expected.values)
    require(std::isfinite(value) && value >= 0, "a score is 0 or more");
  for (const Backend backend : cambi::feature_info().backends) {
    if (backend != Backend::kCpu) continue;  // the others need a device
    const Verdict got = score(options, formats, frames, backend);
    require(got.error == expected.error, "every backend gives the same error");
    require(same_bits(got.values, expected.values), "every backend gives the same scores");
    require(got.heatmap_samples == expected.heatmap_samples, "every backend gives the same heatmaps");
  }
}

}  // namespace vq::fuzz

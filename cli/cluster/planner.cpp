#include "cli/cluster/plan.h"

#include <cmath>

#include "cli/batch/batch.h"
#include "cli/cluster/shard_run.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/pair_crop.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "cli/run/run_cuts.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/evaluator.h"

namespace vq::cli {

// As ScoringRun estimates it; what it would refuse is refused here.
static int64_t memory_of(const RunOptions& arguments, const StreamIndex& distorted,
                         const StreamIndex* reference, int threads) {
  const DecodedVideos videos{.distorted = distorted.info,
                             .reference = reference != nullptr ? &reference->info : nullptr};
  // Bars are found here only if the sizes of a pair follow from them: shards find them anew.
  const bool is_one_size = !arguments.reference_crop && arguments.crop && !arguments.crop->rectangle;
  const PairCrop crop = is_one_size ? PairCrop() : resolve_crops(arguments, videos);
  if (reference != nullptr) check_shapes(arguments, videos, crop);
  VideoFormats formats;
  formats.distorted = distorted.info.format;
  if (reference != nullptr) formats.reference = reference->info.format;
  crop_formats(crop, formats);
  KnownVideos known{.formats = formats};
  if (reference != nullptr) {
    known.display = reference->info.format;
    known.reference_rate = reference->info.frame_rate();
  }
  const Settled settled = settle(arguments, arguments, known);
  VideoReading reading{.threads = threads};
  const auto add = [&](const VideoInfo& video, const std::optional<Fitting>& fitting,
                       const VideoFormat& format) {
    ReadVideo& added = reading.videos.emplace_back(ReadVideo{.decoded = cli::memory_of(video), .fitted = {}});
    if (!fitting) return;
    added.fitted = added.decoded;
    added.fitted->format = format;
  };
  add(distorted.info, settled.distorted_fitting, settled.formats.distorted);
  if (reference != nullptr) add(reference->info, settled.reference_fitting, *settled.formats.reference);
  const Execution execution{.backend = Backend::kCpu, .threads = threads};
  const auto pair = reference != nullptr ? std::optional(headers_of(arguments, videos, crop)) : std::nullopt;
  check_features(settled.features, settled.formats, settled.models, pair);
  if (pair) {
    for (const PairFault& fault : pair_faults(settled.features, *pair)) refuse_pair_fault(fault, arguments);
  }
  return run_bytes(reading, settled.features, settled.formats, execution);
}

Planner::Indexed Planner::index(const RunOptions& arguments, Role role) {
  const std::string& path = role == Role::kReference ? *arguments.reference : arguments.distorted;
  if (is_read_once(path)) throw usage_error("{} is no file: several machines cannot read it.", path);
  if (!arguments.raw) check_is_video(path);
  if (!arguments.raw && names_sequence(path)) {
    throw usage_error(
        "{} is a sequence of pictures, which shards do not read. Score it by itself, or make a video of it "
        "first, for example with ffmpeg -framerate 24 -i IN -c:v ffv1 OUT.mkv",
        shown_path(path));
  }
  Indexed indexed;
  indexed.input.file = look_at_file(path);
  indexed.index = index_of(arguments, role);
  indexed.input.pictures = indexed.index.pictures;
  indexed.input.measured = indexed.index.measured;
  // Had it changed meanwhile, the index might be of either.
  check_unchanged(indexed.input.file);
  return indexed;
}

const Planner::Indexed& Planner::reference(const RunOptions& arguments) {
  if (!reference_ || reference_path_ != *arguments.reference) {
    reference_ = std::make_unique<Indexed>(index(arguments, Role::kReference));
    reference_path_ = *arguments.reference;
  }
  return *reference_;
}

PlannedTitle Planner::plan(const std::string& name, const RunOptions& arguments) {
  const Indexed distorted = index(arguments, Role::kDistorted);
  const Indexed* const other = arguments.reference ? &reference(arguments) : nullptr;
  const StreamIndex* const reference_index = other != nullptr ? &other->index : nullptr;
  PlannedTitle title = cut_title(arguments, distorted.index, reference_index, length_);
  title.name = name;
  title.distorted = distorted.input;
  if (other != nullptr) title.reference = other->input;
  const VideoFormat& format = distorted.index.info.format;
  title.width = format.width;
  title.height = format.height;
  title.threads = useful_threads(int64_t{format.width} * format.height);
  title.memory_bytes = memory_of(arguments, distorted.index, reference_index, title.threads);
  return title;
}

static int64_t shard_count(const RunCuts& run, const ShardLength& length, double rate) {
  const int64_t frames = run.end() - run.first();
  double each = static_cast<double>(length.frames.value_or(kDefaultShardFrames));
  if (length.shards) return std::clamp<int64_t>(*length.shards, 1, frames);
  if (length.seconds) each = *length.seconds * rate;
  return std::clamp<int64_t>(std::llround(std::ceil(static_cast<double>(frames) / std::max(each, 1.0))), 1,
                             frames);
}

static int64_t nearest_cut(const RunCuts& run, double ideal, double each) {
  // A place for a cut this part of a shard away from where it is best costs as much as one frame more to
  // decode does.
  constexpr double kFramesAway = 8;
  const std::vector<int64_t>& places = run.places();
  const auto as_real = [](int64_t frames) { return static_cast<double>(frames); };
  const auto cost_of = [&](int64_t place) {
    return std::fabs(as_real(place) - ideal) / each * kFramesAway + as_real(run.idle_reference(place));
  };
  const auto first = std::ranges::lower_bound(places, ideal - each / 2, {}, as_real);
  const auto behind = std::ranges::upper_bound(places, ideal + each / 2, {}, as_real);
  const auto best = std::ranges::min_element(first, behind, {}, cost_of);
  return best == behind ? -1 : *best;
}

// The first frames of the shards, as near as can be to equal lengths.
static std::vector<int64_t> first_frames(const RunCuts& run, int64_t count) {
  std::vector<int64_t> places = {run.first()};
  const double each = static_cast<double>(run.end() - run.first()) / static_cast<double>(count);
  for (int64_t i = 1; i < count; ++i) {
    const double ideal = static_cast<double>(run.first()) + each * static_cast<double>(i);
    const int64_t place = run.is_planar() ? std::llround(ideal) : nearest_cut(run, ideal, each);
    if (place > places.back() && place < run.end()) places.push_back(place);
  }
  return places;
}

PlannedTitle cut_title(const RunOptions& arguments, const StreamIndex& distorted,
                       const StreamIndex* reference, const ShardLength& length) {
  const RunCuts run(arguments, distorted, reference);
  PlannedTitle cut;
  cut.whole = run.whole();
  if (!cut.whole.empty()) {
    cut.shards.resize(1);
    return cut;
  }
  if (run.first() >= run.end())
    throw Error(ErrorKind::kInput, "{}: there is no frame to score.", arguments.distorted);
  cut.run_first = run.first();
  cut.frames = run.end() - run.first();
  const double rate = distorted.info.frame_rate().value_or(kAssumedFrameRate);
  std::vector<int64_t> places = first_frames(run, shard_count(run, length, rate));
  places.push_back(run.end());
  for (size_t i = 0; i + 1 < places.size(); ++i) cut.shards.push_back(run.part(places[i], places[i + 1]));
  return cut;
}

}  // namespace vq::cli

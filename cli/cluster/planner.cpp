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
#include "feature/extractor.h"

namespace vq::cli {

// The part of the pictures that is scored. Bars are found here only if the sizes of a pair follow from them:
// shards find them anew.
static PairCrop planned_crop(const RunOptions& arguments, const DecodedVideos& videos) {
  const bool is_one_size = !arguments.reference_crop && arguments.crop && !arguments.crop->rectangle;
  return is_one_size ? PairCrop() : resolve_crops(arguments, videos);
}

// As ScoringRun estimates it; what it would refuse is refused here.
static int64_t memory_of(const RunOptions& arguments, const StreamIndex& distorted,
                         const StreamIndex* reference, int threads) {
  const DecodedVideos videos{.distorted = distorted.info,
                             .reference = reference != nullptr ? &reference->info : nullptr};
  const PairCrop crop = planned_crop(arguments, videos);
  if (reference != nullptr) check_shapes(arguments, videos, crop);
  VideoFormats formats;
  formats.distorted = distorted.info.named_format();
  if (reference != nullptr) formats.reference = reference->info.named_format();
  crop_formats(crop, formats);
  KnownVideos known{.formats = formats};
  if (reference != nullptr) {
    known.display = reference->info.named_format();
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

namespace {

// A place for a cut this part of a shard away from where it is best costs as much as one frame more to decode
// does.
constexpr double kFramesAway = 8;

// One title at work; pairs have the numbers of the run.
class Cutter {
 public:
  Cutter(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference)
      : rate_(distorted.info.frame_rate().value_or(kAssumedFrameRate)),
        run_(arguments, distorted, reference) {}

  PlannedTitle cut(const ShardLength& length, const std::string& name) {
    PlannedTitle cut;
    cut.whole = run_.whole();
    if (!cut.whole.empty()) {
      cut.shards.resize(1);
      return cut;
    }
    if (run_.first() >= run_.end()) throw Error(ErrorKind::kInput, "{}: there is no frame to score.", name);
    cut.run_first = run_.first();
    cut.frames = run_.end() - run_.first();
    const std::vector<int64_t> places = cuts(shard_count(length));
    for (size_t i = 0; i < places.size(); ++i) {
      cut.shards.push_back(run_.part(places[i], i + 1 == places.size() ? run_.end() : places[i + 1]));
    }
    return cut;
  }

 private:
  int64_t shard_count(const ShardLength& length) const {
    const int64_t frames = run_.end() - run_.first();
    double each = static_cast<double>(length.frames.value_or(kDefaultShardFrames));
    if (length.shards) return std::clamp<int64_t>(*length.shards, 1, frames);
    if (length.seconds) each = *length.seconds * rate_;
    return std::clamp<int64_t>(std::llround(std::ceil(static_cast<double>(frames) / std::max(each, 1.0))), 1,
                               frames);
  }

  // The first frames of the shards, as near as can be to equal lengths.
  std::vector<int64_t> cuts(int64_t count) const {
    std::vector<int64_t> places = {run_.first()};
    const double each = static_cast<double>(run_.end() - run_.first()) / static_cast<double>(count);
    for (int64_t i = 1; i < count; ++i) {
      const double ideal = static_cast<double>(run_.first()) + each * static_cast<double>(i);
      const int64_t place = run_.is_planar() ? std::llround(ideal) : nearest_cut(ideal, each);
      if (place > places.back() && place < run_.end()) places.push_back(place);
    }
    return places;
  }

  int64_t nearest_cut(double ideal, double each) const {
    const std::vector<int64_t>& places = run_.places();
    const auto is_before_it = [](int64_t place, double wanted) {
      return static_cast<double>(place) < wanted;
    };
    auto from = std::ranges::lower_bound(places, ideal - each / 2, is_before_it);
    int64_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (; from != places.end() && static_cast<double>(*from) <= ideal + each / 2; ++from) {
      const double cost = std::fabs(static_cast<double>(*from) - ideal) / each * kFramesAway +
                          static_cast<double>(run_.idle_reference(*from));
      if (cost < least) best = *from;
      least = std::min(least, cost);
    }
    return best;
  }

  const double rate_;
  const RunCuts run_;
};

}  // namespace

PlannedTitle cut_title(const RunOptions& arguments, const StreamIndex& distorted,
                       const StreamIndex* reference, const ShardLength& length) {
  return Cutter(arguments, distorted, reference).cut(length, arguments.distorted);
}

}  // namespace vq::cli

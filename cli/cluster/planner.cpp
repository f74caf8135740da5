#include "cli/cluster/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cli/batch/batch.h"
#include "cli/cluster/shard_run.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/pair_crop.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_inputs.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/evaluator.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

// The part of the pictures that is scored. Bars are found here only if the sizes of a pair follow from them:
// shards find them anew.
PairCrop planned_crop(const RunOptions& arguments, const DecodedVideos& videos) {
  const bool is_one_size = !arguments.reference_crop && arguments.crop && !arguments.crop->rectangle;
  return is_one_size ? PairCrop() : resolve_crops(arguments, videos);
}

// As ScoringRun estimates it; what it would refuse is refused here.
int64_t memory_of(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference,
                  int threads) {
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

}  // namespace

Planner::Indexed Planner::index(const RunOptions& arguments, const std::string& path, bool is_reference) {
  if (is_read_once(path)) {
    throw Error(ErrorKind::kUsage, words("{} is no file: several machines cannot read it.", path));
  }
  if (!arguments.raw) check_is_video(path);
  if (!arguments.raw && names_sequence(path)) {
    throw Error(ErrorKind::kUsage,
                words("{} is a sequence of pictures, which shards do not read. Score it by itself, or make a "
                      "video of it first, for example with ffmpeg -framerate 24 -i IN -c:v ffv1 OUT.mkv",
                      shown_path(path)));
  }
  Indexed indexed;
  indexed.input.file = look_at_file(path);
  SourceOptions options =
      in_software(source_options(arguments, is_reference ? Role::kReference : Role::kDistorted));
  options.threads = 1;
  indexed.index = index_stream(options);
  indexed.input.pictures = indexed.index.pictures;
  indexed.input.measured = indexed.index.measured;
  // Had it changed meanwhile, the index might be of either.
  check_unchanged(indexed.input.file);
  return indexed;
}

const Planner::Indexed& Planner::reference(const RunOptions& arguments) {
  if (!reference_ || reference_path_ != *arguments.reference) {
    reference_ = std::make_unique<Indexed>(index(arguments, *arguments.reference, true));
    reference_path_ = *arguments.reference;
  }
  return *reference_;
}

PlannedTitle Planner::plan(const std::string& name, const RunOptions& arguments) {
  const Indexed distorted = index(arguments, arguments.distorted, false);
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
      : arguments_(arguments), distorted_(distorted), reference_(reference), lead_(lead_of(arguments)) {}

  PlannedTitle cut(const ShardLength& length) {
    PlannedTitle cut;
    cut.whole = reason();
    if (!cut.whole.empty()) {
      cut.shards.resize(1);
      return cut;
    }
    find_range();
    if (first_ >= end_)
      throw Error(ErrorKind::kInput, words("{}: there is no frame to score.", arguments_.distorted));
    cut.run_first = first_;
    cut.frames = end_ - first_;
    const std::vector<int64_t> places = cuts(shard_count(length));
    for (size_t i = 0; i < places.size(); ++i) {
      const bool is_last = i + 1 == places.size();
      cut.shards.push_back(shard(places[i], is_last ? end_ : places[i + 1], is_last));
    }
    return cut;
  }

 private:
  std::string reason() const {
    if (arguments_.align && arguments_.align->finds)
      return "--align auto looks at both videos first; --align N does not";
    if (arguments_.pairs_by_time) return "--pair time looks at the times of both videos from their start";
    if (arguments_.allow_damage) return "--allow-damage counts what is lost from the start";
    if (!distorted_.whole.empty()) return distorted_.whole;
    if (reference_ != nullptr && !reference_->whole.empty()) return "the reference: " + reference_->whole;
    return {};
  }

  int64_t skip_distorted() const { return arguments_.skip_distorted + std::max<int64_t>(0, shift()); }
  int64_t skip_reference() const { return arguments_.skip_reference + std::max<int64_t>(0, -shift()); }
  int64_t shift() const {
    return arguments_.align && arguments_.reference ? arguments_.align->shift.value_or(0) : 0;
  }

  // As PairReader finds them while it reads.
  void find_range() {
    pairs_ = *distorted_.pictures - skip_distorted();
    if (reference_ != nullptr) pairs_ = std::min(pairs_, *reference_->pictures - skip_reference());
    const auto position = [&](const VideoPosition& wanted) {
      if (const int64_t* const number = std::get_if<int64_t>(&wanted)) return *number;
      return first_at(std::get<double>(wanted));
    };
    first_ = arguments_.start
                 ? std::clamp<int64_t>(position(*arguments_.start), 0, std::max<int64_t>(pairs_, 0))
                 : 0;
    end_ = arguments_.end ? std::min(pairs_, position(*arguments_.end)) : pairs_;
    if (arguments_.frame_count > 0) end_ = std::min(end_, first_ + arguments_.frame_count);
  }

  // The first pair that is shown at that time or later.
  int64_t first_at(double seconds) const {
    int64_t low = 0, high = std::max<int64_t>(pairs_, 0);
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      is_before(time_of(middle), seconds) ? low = middle + 1 : high = middle;
    }
    return low;
  }

  double time_of(int64_t pair) const {
    const int64_t picture = pair + skip_distorted();
    return distorted_.timestamp(picture).value_or(static_cast<double>(picture) /
                                                  distorted_.info.frame_rate().value_or(kAssumedFrameRate));
  }

  int64_t shard_count(const ShardLength& length) const {
    const int64_t frames = end_ - first_;
    double each = static_cast<double>(length.frames.value_or(kDefaultShardFrames));
    if (length.shards) return std::clamp<int64_t>(*length.shards, 1, frames);
    if (length.seconds) each = *length.seconds * distorted_.info.frame_rate().value_or(kAssumedFrameRate);
    return std::clamp<int64_t>(std::llround(std::ceil(static_cast<double>(frames) / std::max(each, 1.0))), 1,
                               frames);
  }

  // The first frames of the shards, as near as can be to equal lengths.
  std::vector<int64_t> cuts(int64_t count) const {
    std::vector<int64_t> places = {first_};
    const double each = static_cast<double>(end_ - first_) / static_cast<double>(count);
    for (int64_t i = 1; i < count; ++i) {
      const double ideal = static_cast<double>(first_) + each * static_cast<double>(i);
      const int64_t place = distorted_.is_planar ? std::llround(ideal) : nearest_cut(ideal, each);
      if (place > places.back() && place < end_) places.push_back(place);
    }
    return places;
  }

  int64_t nearest_cut(double ideal, double each) const {
    const auto place = [&](const StreamStartPoint& start) {
      return start.picture - skip_distorted() + lead_;
    };
    const auto& starts = distorted_.starts;
    auto from = std::lower_bound(starts.begin(), starts.end(), ideal - each / 2,
                                 [&](const StreamStartPoint& start, double wanted) {
                                   return static_cast<double>(place(start)) < wanted;
                                 });
    int64_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (; from != starts.end() && static_cast<double>(place(*from)) <= ideal + each / 2; ++from) {
      const double cost = std::fabs(static_cast<double>(place(*from)) - ideal) / each * kFramesAway +
                          reference_lead(place(*from));
      if (cost < least) best = place(*from);
      least = std::min(least, cost);
    }
    return best;
  }

  // Frames of the reference that are decoded for nothing.
  double reference_lead(int64_t place) const {
    if (reference_ == nullptr || reference_->is_planar) return 0;
    const int64_t picture = place - lead_ + skip_reference();
    return picture < 0 ? 0 : static_cast<double>(picture - reference_->part(picture, picture + 1).picture);
  }

  PlannedShard shard(int64_t first, int64_t end, bool is_last) const {
    PlannedShard shard;
    shard.first = first;
    // The last one sees which of the videos ends first, if the run as a whole would.
    const int64_t limit = frames_to_read(arguments_).end;
    shard.end = is_last && end_ == pairs_ && (limit < 0 || limit > pairs_) ? -1 : end;
    shard.lead = std::min(first - first_, lead_);
    const int64_t from = first - shard.lead;
    const auto part = [&](const StreamIndex& index, int64_t skip) -> std::optional<StreamPart> {
      if (index.is_planar) return std::nullopt;
      return index.part(from + skip, shard.end < 0 ? *index.pictures : end + skip);
    };
    shard.distorted = part(distorted_, skip_distorted());
    if (reference_ != nullptr) shard.reference = part(*reference_, skip_reference());
    return shard;
  }

  const RunOptions& arguments_;
  const StreamIndex& distorted_;
  const StreamIndex* const reference_;
  const int64_t lead_;
  int64_t pairs_ = 0, first_ = 0, end_ = 0;
};

}  // namespace

// The frame before at the least: whether a frame repeats it is part of the report. Those that are left out
// are not compared.
int64_t lead_of(const RunOptions& arguments) {
  const FrameNeeds use = frame_needs(arguments.features);
  const bool every_frame =
      std::any_of(arguments.features.begin(), arguments.features.end(), needs_every_frame);
  return std::max<int64_t>(
      {1, use.before.distorted, use.before.references, every_frame ? 1 : arguments.sampling.longest_step()});
}

PlannedTitle cut_title(const RunOptions& arguments, const StreamIndex& distorted,
                       const StreamIndex* reference, const ShardLength& length) {
  return Cutter(arguments, distorted, reference).cut(length);
}

}  // namespace vq::cli

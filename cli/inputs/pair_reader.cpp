#include "cli/inputs/pair_reader.h"

#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "engine/analysis/signature.h"

namespace vq::cli {

static ReadRange range_of(const RunOptions& options) {
  if (!options.part) return {.start = options.start, .end = options.end, .frames = options.frame_count};
  const RunPart& part = *options.part;
  ReadRange range{.start = std::max(part.first - part.lead, part.run_first)};
  if (part.end >= 0) range.end = part.end;
  return range;
}

int64_t frame_at(const VideoPosition& position, const VideoInfo& video, int64_t skipped) {
  if (const int64_t* const number = std::get_if<int64_t>(&position)) return *number;
  const double rate = video.frame_rate().value_or(kAssumedFrameRate);
  return static_cast<int64_t>(std::llround(std::get<double>(position) * rate)) - skipped;
}

ReadLimits frames_to_read(const RunOptions& options, Role role) {
  const bool is_reference = role == Role::kReference;
  ReadLimits limits{.skip = is_reference ? options.skip_reference : options.skip_distorted};
  if (is_reference && options.pairs_by_time) return limits;
  if (options.part) {
    for (const RunStretch& stretch : options.part->stretches) {
      const std::optional<StreamPart>& part = is_reference ? stretch.reference : stretch.distorted;
      // Whoever reads up to the end of a stream is to see it.
      const bool is_last = part && !part->end_time;
      limits.stretches.push_back({stretch.frames.first, is_last ? -1 : stretch.frames.end});
    }
  }
  const ReadRange range = range_of(options);
  const auto number_of = [](const std::optional<VideoPosition>& position) {
    return position ? std::get_if<int64_t>(&*position) : nullptr;
  };
  const int64_t* const start = number_of(range.start);
  const int64_t* const end = number_of(range.end);
  limits.first = start ? *start : 0;
  if (end) limits.end = *end;
  if (range.frames > 0 && (!range.start || start)) {
    const int64_t last = limits.first + range.frames;
    limits.end = end ? std::min(*end, last) : last;
  }
  // Times count from the first frame.
  if (options.pairs_by_time) limits.first = 0;
  return limits;
}

std::optional<int64_t> expected_frames(const RunOptions& options, const VideoInfo& distorted,
                                       const VideoInfo* reference) {
  const auto available = [](const VideoInfo& video, int64_t skip) -> std::optional<int64_t> {
    if (video.frames) return std::max<int64_t>(0, *video.frames - skip);
    const std::optional<double> rate = video.frame_rate();
    if (!rate || !video.duration) return std::nullopt;
    return std::max<int64_t>(0, static_cast<int64_t>(std::llround(*video.duration * *rate)) - skip);
  };
  std::optional<int64_t> count = available(distorted, options.skip_distorted);
  const auto limit = [&](int64_t most) { count = std::min(count.value_or(most), most); };
  if (reference != nullptr && !options.pairs_by_time) {
    if (const auto other = available(*reference, options.skip_reference)) limit(*other);
  }
  const ReadRange range = range_of(options);
  const auto number_of = [&](const VideoPosition& position) {
    return frame_at(position, distorted, options.skip_distorted);
  };
  if (range.end) limit(number_of(*range.end));
  if (range.start && count) count = *count - number_of(*range.start);
  if (range.frames > 0) limit(range.frames);
  if (!count) return std::nullopt;
  return options.sampling.count_of(std::max<int64_t>(*count, 0));
}

PairReader::PairReader(std::unique_ptr<FrameReader> distorted, std::unique_ptr<FrameReader> reference,
                       const RunOptions& arguments)
    : distorted_(std::move(distorted)),
      reference_(std::move(reference)),
      skip_distorted_(arguments.skip_distorted),
      skip_reference_(arguments.skip_reference),
      range_(range_of(arguments)),
      sampling_(arguments.sampling),
      every_frame_(std::ranges::any_of(arguments.features, needs_every_frame)),
      counted_from_(arguments.part ? arguments.part->first : std::numeric_limits<int64_t>::min()),
      end_read_(frames_to_read(arguments).end),
      stop_(arguments.stop) {
  if (arguments.part) first_index_ = arguments.part->run_first;
  if (!arguments.pairs_by_time || !reference_) return;
  for (const FrameReader* video : {distorted_.get(), reference_.get()}) {
    if (!video->info().takes_frame_rate || video->info().frame_rate()) continue;
    const bool is_reference = video == reference_.get();
    throw usage_error("--pair time: {} has no times. Add {} with its frame rate",
                      shown_path(video->info().path), is_reference ? "--fps-ref" : "--fps");
  }
  const std::optional<double> rate = reference_->info().frame_rate();
  nearest_.emplace([this] { return next_timed(*reference_, reference_origin_); }, rate ? 1 / *rate : 0);
}

void PairReader::start() {
  distorted_->start();
  if (reference_) reference_->start();
}

void PairReader::close() {
  distorted_->close();
  if (reference_) reference_->close();
}

std::optional<FramePair> PairReader::next() {
  while (std::optional<FramePair> pair = next_pair()) {
    if (range_.start && !reaches(pair->distorted, *range_.start)) continue;
    if (!first_index_) first_index_ = pair->index;
    const int64_t position = pair->index - *first_index_;
    if (range_.end && reaches(pair->distorted, *range_.end)) break;
    if (range_.frames > 0 && position >= range_.frames) break;
    pair->is_reported = sampling_.takes(position);
    if (pair->index >= counted_from_) {
      if (may_use_ && !may_use_(pair->index)) break;
      ++pairs_read_;
      if (nearest_) count_match(pair->index);
      if (look_) look_(*pair);
    }
    if (pair->is_reported || every_frame_) return pair;
  }
  return std::nullopt;
}

// Damaged frames may be missing from either video: the numbers of the others still tell which belong
// together.
std::optional<FramePair> PairReader::next_pair() {
  if (nearest_) return next_by_time();
  start();
  std::optional<Frame> distorted = distorted_->next(stop_);
  std::optional<Frame> reference;
  if (reference_) reference = reference_->next(stop_);
  if (stop_.is_requested()) return std::nullopt;
  check_skip(*distorted_, skip_distorted_);
  if (reference_) check_skip(*reference_, skip_reference_);
  while (reference_ && distorted && reference && distorted->index != reference->index) {
    const bool distorted_behind = distorted->index < reference->index;
    (distorted_behind ? distorted : reference) = (distorted_behind ? distorted_ : reference_)->next(stop_);
  }
  if (reference_ && distorted.has_value() != reference.has_value()) {
    shorter_ = distorted ? ShorterVideo::kReference : ShorterVideo::kDistorted;
    return std::nullopt;
  }
  if (!distorted) return std::nullopt;
  FramePair pair;
  pair.index = distorted->index;
  pair.distorted = std::move(*distorted);
  pair.reference = std::move(reference);
  return pair;
}

// The next frame with its time since the first; nothing at the end.
std::optional<NearestFrames::TimedFrame> PairReader::next_timed(FrameReader& video,
                                                                std::optional<double>& origin) {
  std::optional<Frame> frame = video.next(stop_);
  if (!frame) return std::nullopt;
  const double rate = video.info().frame_rate().value_or(kAssumedFrameRate);
  const double time = frame->timestamp.value_or(static_cast<double>(frame->index) / rate);
  if (!origin) origin = time;
  // Every implementation finds the same, and few samples are looked at.
  const Signature signature = signature_of(*frame, video.info().format, signature::scalar::cell_sums);
  return NearestFrames::TimedFrame{std::move(*frame), time - *origin, pattern_of(signature)};
}

std::optional<FramePair> PairReader::next_by_time() {
  start();
  std::optional<NearestFrames::TimedFrame> distorted = next_timed(*distorted_, distorted_origin_);
  if (stop_.is_requested()) return std::nullopt;
  check_skip(*distorted_, skip_distorted_);
  const double frame_seconds = 1 / distorted_->info().frame_rate().value_or(kAssumedFrameRate);
  if (!distorted) {
    const double end = last_time_ + std::max(last_step_, frame_seconds);
    if (nearest_->goes_on_at(end) && last_index_ + 1 != end_read_) shorter_ = ShorterVideo::kDistorted;
    return std::nullopt;
  }
  last_step_ = distorted->time - std::exchange(last_time_, distorted->time);
  match_ = nearest_->at(distorted->time, std::max(last_step_, frame_seconds), distorted->pattern);
  if (stop_.is_requested()) return std::nullopt;
  check_skip(*reference_, skip_reference_);
  if (match_.frame == nullptr) {
    shorter_ = ShorterVideo::kReference;
    return std::nullopt;
  }
  FramePair pair;
  pair.index = last_index_ = distorted->frame.index;
  pair.distorted = std::move(distorted->frame);
  pair.reference = *match_.frame;
  pair.reference->index = pair.index;
  return pair;
}

void PairReader::count_match(int64_t frame) {
  fit_before_ += match_.from_nearest < 0 ? 1 : 0;
  fit_behind_ += match_.from_nearest > 0 ? 1 : 0;
  if (match_.is_alike) return;
  constexpr size_t kNamed = 4;
  if (unmatched_.size() < kNamed) unmatched_.push_back(frame);
  ++unmatched_count_;
}

std::string PairReader::pairing_note() const {
  if (!nearest_) return {};
  const std::string name = shown_path(reference_->info().path);
  std::vector<std::string> parts;
  if (const int64_t fit = fit_before_ + fit_behind_; fit > 0) {
    const char* const which = fit_behind_ == 0 ? "an earlier" : fit_before_ == 0 ? "a later" : "another";
    parts.push_back(
        words("{} of {} fit {} frame of {} better than the nearest in time and are compared with it", fit,
              counted(pairs_read_, "frame"), which, name));
  }
  if (nearest_->unused() > 0)
    parts.push_back(words("{} of {} compared with none", counted(nearest_->unused(), "frame"), name));
  if (nearest_->repeated() > 0)
    parts.push_back(
        words("{} with the same frame of {} as before", counted(nearest_->repeated(), "pair"), name));
  return join(parts, ", ");
}

std::string PairReader::pairing_warning() const {
  if (unmatched_count_ == 0) return {};
  std::string frames = join(unmatched_, ", ", word_of<int64_t>);
  if (unmatched_count_ > static_cast<int64_t>(unmatched_.size())) frames += ", ...";
  return words("{} of {} {} no frame of {} near {} time ({}).", counted(unmatched_count_, "frame"),
               shown_path(distorted_->info().path), unmatched_count_ == 1 ? "matches" : "match",
               shown_path(reference_->info().path), unmatched_count_ == 1 ? "its" : "their", frames);
}

void PairReader::check_skip(const FrameReader& video, int64_t wanted) const {
  if (video.skipped() >= wanted) return;
  throw Error(ErrorKind::kInput, "{}: cannot skip {}; it has {}.", video.info().path,
              counted(wanted, "frame"), video.skipped());
}

// Without timestamps, frames are as long as the frame rate says.
double PairReader::time_of(const Frame& frame) const {
  if (frame.timestamp) return *frame.timestamp;
  const int64_t number = frame.index + skip_distorted_;
  return static_cast<double>(number) / distorted_->info().frame_rate().value_or(kAssumedFrameRate);
}

// Timestamps are rounded to the container's clock: half a millisecond is less than any frame and more than
// that.
constexpr double kClockSlack = 0.0005;

bool is_before(double time, double other) { return time < other - kClockSlack; }

// Whether the frame is there or behind it.
bool PairReader::reaches(const Frame& frame, const VideoPosition& position) const {
  if (const int64_t* number = std::get_if<int64_t>(&position)) return frame.index >= *number;
  return !is_before(time_of(frame), std::get<double>(position));
}

}  // namespace vq::cli

#include "engine/analysis/pair_watch.h"

#include <cmath>
#include <cstdlib>

#include "core/text.h"

namespace vq {

constexpr int64_t kStretch = PictureMatch::kStretch, kFirstLook = PictureMatch::kFirstLook;
// A few frames that stand still in a long video are the encoder's, and their scores are its as well.
constexpr double kManyMisplaced = 0.01;

static void add_span(std::vector<FrameSpan>& spans, const FrameSpan& span) {
  if (!spans.empty() && spans.back().end == span.first) {
    spans.back().end = span.end;
  } else {
    spans.push_back(span);
  }
}

// The frames of the distorted video whose shift is not 0.
static std::vector<FrameSpan> misplaced_frames(const Alignment& alignment) {
  std::vector<FrameSpan> spans;
  for (const ShiftPart& part : alignment.parts) {
    if (part.shift != 0 && part.frames > 0) add_span(spans, {part.first, part.first + part.frames});
  }
  return spans;
}

static int64_t frames_in(const std::vector<FrameSpan>& spans) {
  int64_t frames = 0;
  for (const FrameSpan& span : spans) frames += span.frames();
  return frames;
}

// "frame 12", "frames 40 to 119", "frames 40 to 79, 90 to 99 and others"
static std::string spans_text(const std::vector<FrameSpan>& spans) {
  constexpr size_t kNamed = 3;
  const bool is_one = spans.size() == 1 && spans.front().frames() == 1;
  const auto text_of = [](const FrameSpan& span) {
    return span.frames() > 1 ? words("{} to {}", span.first, span.end - 1) : std::to_string(span.first);
  };
  return words("{} {}{}", is_one ? "frame" : "frames",
               join(std::span(spans).first(std::min(kNamed, spans.size())), ", ", text_of),
               spans.size() > kNamed ? " and others" : "");
}

static PairFaultKind kind_of(PictureRelation relation) {
  switch (relation) {
    case PictureRelation::kMirrored:
    case PictureRelation::kUpsideDown:
      return PairFaultKind::kMirrored;
    case PictureRelation::kTurned:
      return PairFaultKind::kRotation;
    case PictureRelation::kNegative:
      return PairFaultKind::kNegative;
    default:
      return PairFaultKind::kPictures;
  }
}

static std::string relation_text(const std::string& distorted, const std::string& reference,
                                 PictureRelation relation) {
  const std::string shows = words("{} shows the pictures of {}", distorted, reference);
  switch (relation) {
    case PictureRelation::kMirrored:
      return shows + " mirrored left to right.";
    case PictureRelation::kUpsideDown:
      return shows + " mirrored top to bottom.";
    case PictureRelation::kTurned:
      return shows + " turned by 180 degrees.";
    case PictureRelation::kNegative:
      return shows + " as a negative: dark and light are exchanged.";
    default:
      return words("{} and {} do not show the same pictures. Is the reference right?", distorted, reference);
  }
}

PairWatch::PairWatch(const VideoFormats& formats, const Execution& execution, const Skips& skipped)
    : formats_(formats),
      skipped_(skipped),
      cell_sums_(signature::cell_sums_for(execution)),
      reference_bars_(*formats.reference, execution),
      distorted_bars_(formats.distorted, execution) {}

void PairWatch::look(const FramePair& pair) {
  if (!pair.reference) return;
  const bool may_have_bars = !reference_bars_.is_whole() || !distorted_bars_.is_whole();
  if (!ignores_bars_ && may_have_bars && is_looked_at_for_bars(pair.index)) {
    reference_bars_.look(*pair.reference);
    distorted_bars_.look(pair.distorted);
    looked_bars_.push_back({pair.index, reference_bars_.seen(), distorted_bars_.seen()});
  }
  const Signature reference = signature_of(*pair.reference, *formats_.reference, cell_sums_);
  distorted_ = signature_of(pair.distorted, formats_.distorted, cell_sums_);
  if (taker_) taker_(pair.index, reference, distorted_);
  add(pair.index, reference, distorted_);
}

void PairWatch::add_bars(const std::vector<LookedBars>& looked) {
  later_bars_.insert(later_bars_.end(), looked.begin(), looked.end());
}

// Judged at fixed numbers of pairs, so that parts that are put together are judged as the whole is.
void PairWatch::add(int64_t frame, const Signature& reference, const Signature& distorted) {
  while (!later_bars_.empty() && later_bars_.front().frame <= frame) {
    reference_bars_.add(later_bars_.front().reference);
    distorted_bars_.add(later_bars_.front().distorted);
    later_bars_.pop_front();
  }
  ranges_.add(reference, distorted);
  pictures_.add(frame, reference, distorted);
  finder_.add_reference(frame, reference);
  finder_.add_distorted(frame, distorted);
  ++pairs_;
  if (pairs_ == kFirstLook || pairs_ % kStretch == 0 || finder_.frames_searched() != searched_) judge(false);
}

std::vector<PairFault> PairWatch::take_faults(bool ended) {
  if (ended) judge(true);
  return std::exchange(faults_, {});
}

void PairWatch::report(PairFault fault) {
  reported_.insert(fault.kind);
  faults_.push_back(std::move(fault));
}

void PairWatch::judge(bool ended) {
  if (are_other_pictures_) return;
  const Alignment alignment = ended ? finder_.finish() : finder_.so_far();
  searched_ = finder_.frames_searched();
  if (ended) pictures_.finish();
  judge_bars(ended);
  judge_pictures();
  if (are_other_pictures_) return;
  judge_shifts(alignment, ended);
  if (ended) judge_parts();
  judge_range(ended);
}

void PairWatch::judge_pictures() {
  const PictureRelation relation = pictures_.relation();
  // A picture that was scaled to make room for bars is like no other.
  if (have_certain_bars_ && relation == PictureRelation::kOther) return;
  are_other_pictures_ = relation != PictureRelation::kAlike && relation != PictureRelation::kUnknown;
  if (are_other_pictures_)
    report({kind_of(relation), {relation_text(distorted_name(), reference_name(), relation)}});
}

// Other pictures in a part, unless frames that were left out or repeated explain it.
void PairWatch::judge_parts() {
  if (is_reported(PairFaultKind::kShift) || is_reported(PairFaultKind::kUneven) || have_certain_bars_) return;
  std::vector<FrameSpan> spans;
  for (const PictureMatch::Stretch& stretch : pictures_.stretches()) {
    if (stretch.relation == PictureRelation::kOther) add_span(spans, {stretch.first, stretch.last + 1});
  }
  if (static_cast<double>(frames_in(spans)) < std::max(1.0, kManyMisplaced * static_cast<double>(pairs_)))
    return;
  report({PairFaultKind::kPictures,
          {words("in {} {} does not show the pictures of {}.", spans_text(spans), distorted_name(),
                 reference_name())},
          false,
          spans});
}

void PairWatch::judge_shifts(const Alignment& alignment, bool ended) {
  if (ignores_shifts_) return;
  const bool is_plain = alignment.is_plain();
  if (!ended && !is_plain) return;
  if (alignment.is_shifted() && !alignment.is_uneven() && !is_reported(PairFaultKind::kShift))
    report({PairFaultKind::kShift, shift_warning(alignment), is_plain});
  if (!alignment.is_uneven() || is_reported(PairFaultKind::kUneven)) return;
  const std::vector<FrameSpan> spans = misplaced_frames(alignment);
  const auto misplaced = static_cast<double>(frames_in(spans));
  const bool are_many =
      misplaced >= kManyMisplaced * static_cast<double>(std::max(pairs_, expected_.value_or(pairs_)));
  if (!ended && !(expected_ && are_many)) return;
  report({PairFaultKind::kUneven,
          {words("{} against {}: {}. {}", distorted_name(), reference_name(), changes_text(alignment),
                 misplaced > 0 ? words("The scores of {} are wrong.", spans_text(spans)) : ""),
           Advice::kListChanges},
          are_many && is_plain,
          spans});
}

void PairWatch::judge_range(bool ended) {
  using Finding = RangeFinder::Finding;
  const bool is_known = is_reported(PairFaultKind::kRange) || is_reported(PairFaultKind::kShift);
  const Finding found = is_known ? Finding::kAlike : ranges_.finding();
  if (found == Finding::kDistortedIsFuller || found == Finding::kReferenceIsFuller)
    return report({PairFaultKind::kRange, {range_warning(found == Finding::kDistortedIsFuller)}});
  if (!ended || found == Finding::kAlike || is_hdr(formats_.distorted) != is_hdr(*formats_.reference)) return;
  if (found == Finding::kMoreContrast) {
    return report({PairFaultKind::kContrast,
                   {words("{} has more contrast than {}; VMAF v0.6.1 rewards that.", distorted_name(),
                          reference_name()),
                    Advice::kUseNeg},
                   false});
  }
  const std::string is = found == Finding::kLessContrast ? " has less contrast than "
                         : found == Finding::kBrighter   ? " is brighter than "
                                                         : " is darker than ";
  report({PairFaultKind::kContrast, {distorted_name() + is + reference_name() + "."}, false});
}

// Bars on one side may be a dark scene or text; on both sides they are a matter of framing.
void PairWatch::judge_bars(bool ended) {
  if (ignores_bars_ || is_reported(PairFaultKind::kBars)) return;
  const std::optional<std::string> bars = difference_of_bars(reference_bars_, distorted_bars_);
  const bool are_certain = bars && have_bars_on_both_sides(reference_bars_, distorted_bars_);
  if (!bars || (!ended && !are_certain)) return;
  Diagnostic diagnostic{words("{} against {}: {}.", distorted_name(), reference_name(), *bars)};
  if (const std::optional<Rectangle> both = shown_by_both(reference_bars_, distorted_bars_))
    diagnostic = {diagnostic.text, Advice::kCrop, {crop_text(*both)}};
  have_certain_bars_ = are_certain;
  report({PairFaultKind::kBars, std::move(diagnostic), are_certain});
}

std::string PairWatch::distorted_name() const { return shown_path(formats_.distorted.name); }

std::string PairWatch::reference_name() const { return shown_path(formats_.reference->name); }

Diagnostic PairWatch::shift_warning(const Alignment& alignment) const {
  const std::string text = words("{} starts {}{} in the film than {}. The scores are wrong.",
                                 distorted_name(), counted(std::abs(alignment.shift), "frame"),
                                 alignment.shift < 0 ? " later" : " earlier", reference_name());
  if (skipped_.reference == 0 && skipped_.distorted == 0)
    return {text, Advice::kAlign, {std::to_string(alignment.shift)}};
  return {.text = text, .advice = Advice::kSkip, .skips = skips_for(alignment.shift, skipped_)};
}

std::string PairWatch::range_warning(bool distorted_is_fuller) const {
  const VideoFormat &full = distorted_is_fuller ? formats_.distorted : *formats_.reference,
                    &limited = distorted_is_fuller ? *formats_.reference : formats_.distorted;
  std::string tags;
  for (const VideoFormat* format : {&full, &limited}) {
    if (format->range == Range::kUnspecified) continue;
    tags += words("{}{} is tagged {}", tags.empty() ? ", but " : " and ", shown_path(format->name),
                  to_string(format->range));
  }
  return words(
      "{} looks like full range, {} like limited range{}. The scores are wrong. Convert the one of full "
      "range first, for example with ffmpeg -i IN -vf scale=in_range=full:out_range=limited -c:v ffv1 "
      "OUT.mkv",
      shown_path(full.name), shown_path(limited.name), tags.empty() ? ", and no tag says so" : tags);
}

// The neighbours of a frame are judged with neighbours of their own.
constexpr size_t kAround = 2 * SceneCutFinder::kReach;

// What of the picture with more contrast the other does not explain: 0 to its contrast. A negative picture
// explains nothing.
double SceneCutFinder::difference(const Pattern& a, const Pattern& b) {
  const double most = std::max(a.contrast, b.contrast), product = a.contrast * b.contrast;
  if (product <= 0) return most;
  double sum = 0;
  for (size_t i = 0; i < a.levels.size(); ++i) sum += a.levels[i] * b.levels[i];
  const double correlation = std::clamp(sum / kSignatureCells / product, 0.0, 1.0);
  return most * std::sqrt(1 - correlation * correlation);
}

// From the frame before. Measured by the most contrast around it, so that the first frames of a fade are no
// news.
double SceneCutFinder::change(size_t position) const {
  const size_t begin = position - std::min(position, kReach), end = std::min(position + kReach, kept_.size());
  double contrast = 0;
  for (size_t i = begin; i < end; ++i) contrast = std::max(contrast, kept_[i].contrast);
  return difference(kept_[position - 1], kept_[position]) / (contrast + kLeastContrast);
}

bool SceneCutFinder::stands_out(size_t position, double change_here) const {
  const size_t reach = change_here >= kPlainChange ? 1 : kReach;
  const size_t begin = position > reach ? position - reach : 1,
               end = std::min(position + reach + 1, kept_.size());
  for (size_t i = begin; i < end; ++i) {
    if (i != position && change(i) * kProminence > change_here) return false;
  }
  return true;
}

// Whether a frame soon after is like that before the change, or this one like a frame soon before.
bool SceneCutFinder::comes_back(size_t position) const {
  const auto likeness = [](const Pattern& a, const Pattern& b) {
    const double contrast = std::max(a.contrast, b.contrast);
    return contrast > 0 ? difference(a, b) / contrast : 0;
  };
  const Pattern &before = kept_[position - 1], &here = kept_[position];
  const double most = likeness(before, here) / 2;
  for (size_t k = 1; k <= kReach; ++k) {
    if (position + k < kept_.size() && likeness(before, kept_[position + k]) < most) return true;
    if (position >= k + 1 && likeness(kept_[position - 1 - k], here) < most) return true;
  }
  return false;
}

bool SceneCutFinder::is_cut(size_t position) const {
  const double change_here = change(position);
  return change_here >= kLeastChange && stands_out(position, change_here) && !comes_back(position);
}

void SceneCutFinder::add(int64_t number, const Signature& signature) {
  Pattern pattern{.number = number};
  double sum = 0, squares = 0;
  for (const uint16_t level : signature.levels) sum += level;
  for (size_t i = 0; i < pattern.levels.size(); ++i) {
    pattern.levels[i] = signature.levels[i] - sum / kSignatureCells;
    squares += pattern.levels[i] * pattern.levels[i];
  }
  pattern.contrast = std::sqrt(squares / kSignatureCells);
  kept_.push_back(pattern);
  if (kept_.size() <= judged_ + kAround) return;
  if (is_cut(judged_)) cuts_.push_back(kept_[judged_].number);
  if (judged_ > kAround) {
    kept_.pop_front();
  } else {
    ++judged_;
  }
}

// The contrast around a frame, which grows by what follows, only lowers its change.
bool SceneCutFinder::may_be_cut() const {
  if (kept_.size() < 2) return false;
  const size_t last = kept_.size() - 1;
  const double change_here = change(last);
  return change_here >= kLeastChange && (last < 2 || change(last - 1) * kProminence <= change_here);
}

std::vector<int64_t> SceneCutFinder::cuts() const {
  std::vector<int64_t> all = cuts_;
  for (size_t i = judged_; i < kept_.size(); ++i) {
    if (is_cut(i)) all.push_back(kept_[i].number);
  }
  return all;
}

}  // namespace vq

#include "engine/analysis/pair_watch.h"

#include "core/text/message_text.h"

namespace vq {

PairWatch::PairWatch(const VideoFormats& formats, const Execution& execution, const Skips& skipped)
    : formats_(formats),
      skipped_(skipped),
      cell_sums_(signature::cell_sums_for(execution)),
      reference_bars_(*formats.reference, execution),
      distorted_bars_(formats.distorted, execution) {}

void PairWatch::look(const FramePair& pair) {
  if (!pair.reference) return;
  const Signature reference = signature_of(*pair.reference, formats_.reference->range, cell_sums_);
  distorted_ = signature_of(pair.distorted, formats_.distorted.range, cell_sums_);
  taker_ ? taker_(pair.index, reference, distorted_) : add(pair.index, reference, distorted_);
  const bool may_have_bars = !reference_bars_.is_whole() || !distorted_bars_.is_whole();
  if (bars_are_reported_ || !may_have_bars || !is_looked_at_for_bars(pair.index)) return;
  reference_bars_.look(*pair.reference);
  distorted_bars_.look(pair.distorted);
}

void PairWatch::add(int64_t frame, const Signature& reference, const Signature& distorted) {
  ranges_.add(reference, distorted);
  finder_.add_reference(frame, reference);
  finder_.add_distorted(frame, distorted);
}

void PairWatch::add_bars(const BarsSeen& reference, const BarsSeen& distorted) {
  reference_bars_.add(reference);
  distorted_bars_.add(distorted);
}

std::vector<PairFault> PairWatch::take_faults(bool ended) {
  std::vector<PairFault> faults;
  if (!ended && finder_.frames_searched() == judged_) return faults;
  const Alignment alignment = ended ? finder_.finish() : finder_.so_far();
  judged_ = finder_.frames_searched();
  const std::string pair =
      shown_path(formats_.distorted.name) + " against " + shown_path(formats_.reference->name) + ": ";
  if (alignment.is_shifted() && !alignment.is_uneven() && !shift_is_reported_ && !ignores_shifts_) {
    faults.push_back({PairFaultKind::kShift, shift_warning(alignment)});
    shift_is_reported_ = true;
  }
  // A few frames that stand still in a long video are the encoder's, and their scores are its as well.
  constexpr double kManyMisplaced = 0.01;
  if (ended && alignment.is_uneven() && !ignores_shifts_) {
    faults.push_back(
        {PairFaultKind::kUneven, uneven_warning(alignment), alignment.misplaced() >= kManyMisplaced});
  }
  if (std::string text = ended ? range_warning() : ""; !text.empty())
    faults.push_back({PairFaultKind::kRange, {std::move(text)}});
  if (ended && !bars_are_reported_) {
    const std::optional<std::string> bars = difference_of_bars(reference_bars_, distorted_bars_);
    const std::optional<Rectangle> both = shown_by_both(reference_bars_, distorted_bars_);
    Diagnostic diagnostic{pair + bars.value_or("") + "."};
    if (both) diagnostic = {diagnostic.text, Advice::kCrop, {crop_text(*both)}};
    if (bars) faults.push_back({PairFaultKind::kBars, std::move(diagnostic), false});
  }
  return faults;
}

Diagnostic PairWatch::shift_warning(const Alignment& alignment) const {
  const std::string text = shown_path(formats_.distorted.name) + " is " + lateness(alignment.shift) +
                           " against " + shown_path(formats_.reference->name) +
                           ", so frames are compared with others than their own.";
  if (skipped_.reference == 0 && skipped_.distorted == 0)
    return {text, Advice::kAlign, {std::to_string(alignment.shift)}};
  const Skips skips = skips_for(alignment.shift, skipped_);
  return {text, Advice::kSkip, {std::to_string(skips.reference), std::to_string(skips.distorted)}};
}

std::string PairWatch::range_warning() const {
  const auto tagged = [](const VideoFormat& format) {
    return shown_path(format.name) + " (" +
           (format.range == Range::kUnspecified ? "no tag" : std::string(to_string(format.range))) + ")";
  };
  const RangeFinder::Finding found = ranges_.finding();
  if (found == RangeFinder::Finding::kAlike) return {};
  std::string full = tagged(formats_.distorted), limited = tagged(*formats_.reference);
  if (found == RangeFinder::Finding::kReferenceIsFuller) std::swap(full, limited);
  return "the samples of " + full + " lie against those of " + limited +
         " as full range against limited, so a tag is wrong and scores that compare them are. Convert the "
         "one of full range "
         "first, for example with ffmpeg -i IN -vf scale=in_range=full:out_range=limited -c:v ffv1 OUT.mkv";
}

Diagnostic PairWatch::uneven_warning(const Alignment& alignment) const {
  return {shown_path(formats_.distorted.name) + " against " + shown_path(formats_.reference->name) + ": " +
              changes_text(alignment) + ", so some frames are compared with others than their own.",
          Advice::kListChanges};
}

}  // namespace vq

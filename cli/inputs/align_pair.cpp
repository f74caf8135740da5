#include "cli/inputs/align_pair.h"

#include <algorithm>

#include "cli/decoding/frame_reader.h"
#include "cli/inputs/remarks.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// One video of the pair, while it is read.
class Side {
 public:
  Side(const SourceOptions& options, int64_t skip, const PairSearch& search, std::optional<Rectangle> picture)
      : stop_(options.stop),
        reader_(options, {.capacity = 4, .skip = skip, .end = search.frames > 0 ? search.frames : -1}),
        is_cropped_(picture.has_value()),
        bars_(reader_.info().format, search.execution),
        cell_sums_(signature::cell_sums_for(search.execution)) {
    if (picture) reader_.crop(*picture);
    reader_.start();
  }

  // The next frame's number and signature.
  std::optional<std::pair<int64_t, Signature>> next() {
    std::optional<Frame> frame = reader_.next(stop_);
    if (!frame) {
      if (stop_.is_requested()) throw Error(ErrorKind::kIncomplete, "interrupted");
      return std::nullopt;
    }
    ++frames_;
    if (!is_cropped_ && is_looked_at_for_bars(frame->index) && !bars_.is_whole()) bars_.look(*frame);
    return std::pair(frame->index, signature_of(*frame, reader_.info().format, cell_sums_));
  }
  const VideoInfo& info() const { return reader_.info(); }
  const BarFinder& bars() const { return bars_; }
  int64_t frames() const { return frames_; }

 private:
  StopToken stop_;
  FrameReader reader_;
  const bool is_cropped_;
  BarFinder bars_;
  const signature::CellSums cell_sums_;
  int64_t frames_ = 0;
};

struct Pictures {
  std::optional<Rectangle> reference, distorted;
};

// The area that both show. Bars of a video of the same size cover what the other has there; one of another
// size has its whole picture within them.
Pictures within_bars(const Side& reference, const Side& distorted) {
  if (const std::optional<Rectangle> both = shown_by_both(reference.bars(), distorted.bars()))
    return {both, both};
  return {reference.bars().picture(), distorted.bars().picture()};
}

// Fills what is known of a reading of both, and gives the pictures within the bars if these differ.
std::optional<Pictures> read_both(const PairSearch& search, const Pictures& within, PairFindings& findings) {
  Side reference(search.reference, search.skips.reference, search, within.reference);
  Side distorted(search.distorted, search.skips.distorted, search, within.distorted);
  const PairHeaders pair = headers_of(distorted.info(), reference.info());
  if (search.needs_one_rate && has_other_moments(pair)) {
    throw Error(ErrorKind::kMismatch,
                "--align auto: {} and {} have different frame rates, so no shift fits. Try: --pair time, or "
                "convert one first, for example with {}",
                shown_path(distorted.info().path), shown_path(reference.info().path),
                rate_remedy(pair.reference));
  }
  AlignmentFinder finder(search.window);
  for (bool more = true; more;) {
    const auto a = reference.next(), b = distorted.next();
    if (a) finder.add_reference(a->first, a->second);
    if (b) finder.add_distorted(b->first, b->second);
    more = a || b;
  }
  findings.reference = reference.info();
  findings.distorted = distorted.info();
  findings.alignment = finder.finish();
  findings.reference_frames = reference.frames();
  findings.distorted_frames = distorted.frames();
  findings.reference_ended = search.frames == 0 || reference.frames() < search.frames;
  findings.distorted_ended = search.frames == 0 || distorted.frames() < search.frames;
  const std::optional<std::string> bars = difference_of_bars(reference.bars(), distorted.bars());
  if (!bars) return std::nullopt;
  findings.bars = bars;
  findings.within_bars = shown_by_both(reference.bars(), distorted.bars());
  return within_bars(reference, distorted);
}

}  // namespace

ShiftSettled settle_shift(PairSearch search) {
  for (const std::string* path : {&search.reference.path, &search.distorted.path})
    check_read_twice(*path, "--align auto reads videos");
  search.needs_one_rate = true;
  const Alignment alignment = search_pair(search).alignment;
  if (!alignment.is_certain()) {
    const std::string why =
        alignment.is_foreign() ? "the pictures are not alike" : "several shifts agree equally well";
    return {0, "align=none (cannot be told)",
            words("--align auto: the shift cannot be told, since {}; nothing is skipped.", why)};
  }
  // Where frames were dropped or repeated, the one that the videos begin with.
  const int64_t shift = alignment.first_shift();
  const NumberStyle style{NumberStyle::Kind::kSignificant, 2};
  return {
      shift,
      words("align={} (found, confidence {})", shift_text(shift), number_text(alignment.confidence, style)),
      ""};
}

PairFindings search_pair(const PairSearch& search) {
  PairFindings findings;
  const std::optional<Pictures> within = read_both(search, {}, findings);
  if (within) read_both(search, *within, findings);
  return findings;
}

}  // namespace vq::cli

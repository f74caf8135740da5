// The places at which the frames of a run can be cut into parts, each of which is read by itself.
#pragma once

#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/run_options.h"
#include "engine/part_findings.h"

namespace vq::cli {

// The number of frames that are read before a part, so that its first frame is scored as in the whole run.
int64_t lead_of(const RunOptions& arguments);

// Why the run cannot be cut, as far as its options tell; empty if it can.
std::string reason_for_whole(const RunOptions& arguments);

// index_stream() of one of the videos, in software on one thread. Throws as that.
StreamIndex index_of(const RunOptions& arguments, Role role);

class RunCuts {
 public:
  // All arguments outlive this; `reference` may be null.
  RunCuts(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference);

  // Why the run cannot be cut, as a sentence for the user; empty if it can. Only then the others may be
  // called.
  const std::string& whole() const { return whole_; }
  // The frames of the run, as PairReader finds them while it reads.
  int64_t first() const { return first_; }
  int64_t end() const { return end_; }
  // Whether a part may begin anywhere, as frames are stored uncompressed.
  bool is_planar() const { return distorted_.is_planar; }
  // The frames at which parts best begin, ascending: lead_of() behind a picture of the distorted video at
  // which decoding may begin, so that nothing is decoded before a part but the frames that it needs. They may
  // lie outside the run. Empty if is_planar().
  const std::vector<int64_t>& places() const { return places_; }
  // Frames of the reference that a part from there on decodes for nothing.
  int64_t idle_reference(int64_t place) const;
  // The video that ends before the other, if the run goes on to where they end.
  ShorterVideo shorter() const;
  // The part from `first` up to `end`; the last one, up to end(), goes on to where the videos end, and sees
  // which of them does first, if the run as a whole would. Needs: first() <= first < end <= end().
  RunPart part(int64_t first, int64_t end) const;
  // The part that has only these frames, which ascend, with those before them that they need. What lies
  // between two is read as well if decoding for the second has to begin before the first ends. Needs: at
  // least one frame each, of the run.
  // `together`: those of further runs, whose parts then have the same stretches.
  RunPart part(std::span<const FrameSpan> scored, std::span<const RunCuts* const> together = {}) const;
  int64_t first_distorted() const { return first_ + skip_distorted_; }  // in the video
  int64_t first_reference() const { return first_ + skip_reference_; }

 private:
  void find_range();
  RunPart part_between(int64_t first, int64_t end) const;
  int64_t first_at(double seconds) const;
  double time_of(int64_t pair) const;
  bool reads_on(int64_t end, int64_t first) const;
  bool goes_to_end() const;

  const RunOptions& arguments_;
  const StreamIndex& distorted_;
  const StreamIndex* const reference_;
  const int64_t lead_;
  int64_t skip_distorted_, skip_reference_;  // with the shift
  std::string whole_;
  int64_t pairs_ = 0, first_ = 0, end_ = 0;
  std::vector<int64_t> places_;
};

}  // namespace vq::cli

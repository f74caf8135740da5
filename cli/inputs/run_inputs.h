// The videos of a run, from its options, and how two videos lie against each other.
#pragma once

#include "cli/decoding/frame_reader.h"
#include "cli/inputs/run_options.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/picture_format.h"
#include "engine/evaluator.h"

namespace vq::cli {

inline constexpr int kMaxShiftWindow = 2000;

// The starts of two videos are read to find how they lie against each other.
struct PairSearch {
  SourceOptions reference, distorted;
  Skips skips;
  int64_t frames = 600;  // of each video to look at; 0: all
  int window = 240;      // of shifts, to either side
  Execution execution = {};
  bool needs_one_rate = false;  // other frame rates are an error, before frames are read
};

struct SearchedVideo {
  VideoInfo info;
  int64_t frames = 0;  // that were read
  bool ended = false;
};

struct PairFindings {
  SearchedVideo reference, distorted;
  Alignment alignment;
  std::optional<std::string> bars;       // how they differ; then the pictures within them were compared
  std::optional<Rectangle> within_bars;  // what --crop takes then, if both have one size
};

// Opens both once more. Throws Error{kMismatch} if frame rates differ that may not, what opening and reading
// throw, and Error{kUsage} for what cannot be read twice.
PairFindings search_pair(const PairSearch& search);

// The result of `--align auto`: the shift that was found, or none if it is not certain.
struct ShiftSettled {
  int64_t shift = 0;
  std::string note;     // "align=+3 (found, confidence 0.98)"
  std::string warning;  // empty if the shift is certain
};
// Throws as search_pair(), and Error{kMismatch} if frame rates differ.
ShiftSettled settle_shift(PairSearch search);

// How one of the videos is to be read. Throws Error{kUsage} if the arguments stand for two runs. Needs, here
// and below: there is one.
SourceOptions source_options(const RunOptions& arguments, Role role);

// The same, for one who looks at a few frames only: no hardware is opened for them.
SourceOptions in_software(SourceOptions options);

// Number of planes that are read: those that features need, and all if frames are shown in colour.
int planes_to_read(const RunOptions& arguments);

// How the pair is to be read to find how it lies. Needs: there is a reference.
PairSearch pair_search(const RunOptions& arguments, const Execution& execution);

// Opens one of the videos as a run with these arguments does, and reads at least this number of planes.
// Throws as open_video().
std::unique_ptr<FrameReader> open_input(const RunOptions& arguments, Role role, int least_planes = 1);

// The arguments with numbers of frames in place of times to skip. Reads the packets of the videos for them,
// or frames if packets do not tell. Throws as open_video(), and Error{kUsage} for a video without times or
// one that can be read only once.
RunOptions count_skipped(RunOptions arguments);

// Facts about the distorted video, which is opened for that on one thread. Throws as open_video().
VideoInfo look_at_input(const RunOptions& arguments);

// Threads of a run: as many as asked for, or one for each core.
int thread_count(const RunOptions& arguments);
// Bytes that a run may take: as many as asked for, or what this machine has.
int64_t memory_limit(const RunOptions& arguments);
// A video as it counts in estimates of memory.
DecodedVideo memory_of(const VideoInfo& info);

// Checks before a run what can be told without decoding: that the video can be opened and has a size that can
// be scored. Returns the metrics it will have. One that can be read only once, such as a pipe, is left alone
// and has none; so is the reference. Throws as ScoringRun.
std::vector<Metric> check_run(const RunOptions& arguments);

}  // namespace vq::cli

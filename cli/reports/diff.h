// Two reports, or two videos, compared frame by frame: score by score and word by word.
#pragma once

#include "cli/reports/ci_formats.h"
#include "core/text_table.h"
#include "engine/report/report.h"

namespace vq::cli {

inline constexpr int kDefaultPlaces = 4;
inline constexpr int kAllPlaces = 17;  // every bit

struct DiffSide {
  std::string name;
  const Report& report;  // scores may be missing
};

// A score that is not the same in both reports; a side without it has nothing.
struct Difference {
  std::optional<int64_t> frame;  // none: an aggregate, which is of the whole run
  std::string metric;
  std::optional<double> a, b;
};

// Texts of a frame that differ in two reports; a side without one is empty.
struct TextDifference {
  int64_t frame = 0;
  std::string name, a, b;
};

struct DiffResult {
  std::string name_a, name_b;
  int places = kDefaultPlaces;
  int64_t compared = 0;   // scores in either report
  int64_t different = 0;  // of these, those not equal, missing ones included
  int64_t missing = 0;    // of the different, those that only one report has
  int64_t frames = 0;     // in either report
  std::vector<std::string> metrics_only_in_a, metrics_only_in_b;  // names of texts as well
  int64_t frames_only_in_a = 0, frames_only_in_b = 0;
  // The largest difference of two scores that both exist, or the first of several that are as large. A
  // difference that is not finite counts as the largest.
  std::optional<Difference> worst;
  std::optional<Difference> first_missing;
  int64_t texts = 0;            // in either report
  int64_t different_texts = 0;  // of these, those not equal, missing ones included
  std::optional<TextDifference> first_text;

  bool same() const { return different == 0 && different_texts == 0; }
};

// Compares every metric and every text of every frame of either report, and the aggregates. Two scores are
// equal if |a - b| < 0.5 * 10^-places (a == b for kAllPlaces), if both are infinite, and if both are not a
// number. `places` is 0..kAllPlaces. Takes time linear in the size of the reports.
DiffResult diff_reports(const DiffSide& a, const DiffSide& b, int places = kDefaultPlaces);

// "frame 7", or "the whole run".
std::string place_of(const Difference& difference);

// A few lines for people, each with a line end. The first says whether the reports agree.
std::string diff_text(const DiffResult& result);
// Whether they agree, as a case of that name.
JunitCase diff_case(const std::string& name, const DiffResult& result);

// The findings of a gate: the same run on several backends, every metric of every frame compared.

// One backend's run, compared with the first one's.
struct GateEntry {
  RunFacts run;  // of what really ran
  int64_t frames = 0;
  DiffResult diff;
};

struct GateResult {
  int places = kAllPlaces;
  std::vector<GateEntry> entries;  // the first is what the others are compared with

  bool passes() const;
};

// A row for each backend. Decoders are shown if they are not the same on all.
TextTable gate_table(const GateResult& result);
// A case for each backend.
JunitSuite gate_suite(const std::string& video, const GateResult& result);
// The table for people; it fits `width` columns if it can (0: unlimited).
std::string gate_text(const GateResult& result, size_t width = 0);
// The same for programs, with the keys in docs/report.md.
std::string gate_json(const GateResult& result);

// Videos of which each frame has a word, such as a hash: lists of them, and the comparison of two. Sides are
// named by their paths; the words are the first text of their reports.

struct FrameMatch {
  std::string path_a, path_b;
  int64_t frames = 0;  // numbers of frames that either has
  int64_t equal = 0;   // of these, those if both have the same word
  int64_t only_in_a = 0, only_in_b = 0;
  struct Difference {
    int64_t frame = 0;
    std::optional<double> timestamp;  // in a, or in b if a has no such frame
  };
  std::optional<Difference> first;
  // Shifted by `offset`, both videos have `common` frames in common; in `equal` of these, frame i of a equals
  // frame i + `offset` of b. The longest run of equal frames begins at frame `first` of a and has `run`
  // frames.
  struct Shift {
    int64_t offset = 0, common = 0, equal = 0, first = 0, run = 0;
  };
  // None if there is no offset at which more frames are equal than without one, and at least half of the
  // common ones.
  std::optional<Shift> shift;

  bool same() const { return equal == frames; }
};

// Matches two videos. An offset is found from the frames at which the word changes to one that occurs only
// once in either video, since stills and repeated frames say nothing. Takes time linear in the number of
// frames.
FrameMatch match_frames(const DiffSide& a, const DiffSide& b);

// A line for each frame: its word, number, time in seconds and path, with two blanks between them. An unknown
// time is "-"; bytes of the path that are no text are escaped.
std::string frame_lines(std::span<const DiffSide> videos);

// A line or two for people, each with a line end.
std::string match_text(const FrameMatch& match);

// All lists, and the match if there is one.
std::string frame_words_json(std::span<const DiffSide> videos, const std::optional<FrameMatch>& match);
std::string frame_words_csv(std::span<const DiffSide> videos);

}  // namespace vq::cli

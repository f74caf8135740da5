// Videos told by a word a frame, such as a hash: as lists, and two of them held against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/report.h"

namespace vq::cli {

struct FrameWords {
  std::string path;
  std::vector<int64_t> frames;                    // their numbers, ascending
  std::vector<std::optional<double>> timestamps;  // seconds; one for each frame
  TextSeries words;                               // the same
};

struct FrameMatch {
  std::string path_a, path_b;
  int64_t frames = 0;  // numbers of frames that either has
  int64_t equal = 0;   // of these, those where both have the same word
  int64_t only_in_a = 0, only_in_b = 0;
  struct Difference {
    int64_t frame = 0;
    std::optional<double> timestamp;  // in a, or in b where a has no such frame
  };
  std::optional<Difference> first;
  // Frame i of a is frame i + `offset` of b, for `equal` of the `common` frames that there are of both. The
  // longest run of those begins with frame `first` of a and has `run` frames.
  struct Shift {
    int64_t offset = 0, common = 0, equal = 0, first = 0, run = 0;
  };
  // None where no other offset has more equal frames than 0 and half of the common ones.
  std::optional<Shift> shift;

  bool same() const { return equal == frames; }
};

// Offsets are told from the frames at which words change, and of these from those whose words occur once in
// either video: stills and repeated frames say nothing. Takes time linear in the number of frames.
FrameMatch match_frames(const FrameWords& a, const FrameWords& b);

// A line for each frame: its word, number, time in seconds and path, with two blanks between them. A time
// that is not known is "-"; what is no text in the path is escaped.
std::string frame_lines(const std::vector<FrameWords>& videos);

// A line or two for people, each with a line end.
std::string match_text(const FrameMatch& match);

// All lists, and the match where there is one.
std::string frame_words_json(const std::vector<FrameWords>& videos, const std::optional<FrameMatch>& match);
std::string frame_words_csv(const std::vector<FrameWords>& videos);

}  // namespace vq::cli

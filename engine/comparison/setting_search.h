// The highest setting of an encoder, such as a CRF, at which a film reaches a score: parts of the film are
// encoded at a few settings, and what lies between is interpolated. docs/search.md has the method.
#pragma once

#include "core/frame.h"
#include "core/metric.h"
#include "engine/report/statistic.h"

namespace vq {

// How a film is cut and drawn.
struct FilmSample {
  std::vector<FrameSpan> parts;             // that are drawn, ascending
  std::vector<std::vector<size_t>> groups;  // what one encode takes: places in `parts`
};
// Cuts the film at key frames, which ascend and may be none, or between two that lie far apart, and draws
// parts until five groups are full. A group has at most `most` frames and a fifth of the film, but a film of
// which a fifth is less than ten seconds is one part. Needs: frames and most above 0.
FilmSample draw_parts(int64_t frames, double frame_rate, std::span<const int64_t> key_frames, int64_t most,
                      uint64_t seed);

// What is looked for. Settings are numbered from 0, the best quality, to `last`.
struct SettingTarget {
  Metric metric;        // its name and meaning; one side is better
  ScoreEnds ends;       // of its scores
  Statistic statistic;  // of the scores of all frames
  double value = 0;     // that the statistic is to reach
  int last = 0;
};

// A part of the film, encoded.
struct EncodedPart {
  std::vector<double> scores;  // of its frames
  double bytes = 0, seconds = 0;
};

struct EncodeStep {
  size_t group = 0;
  int setting = 0;
  bool operator==(const EncodeStep&) const = default;
};

// A figure of the whole film, and where it lies in 95 % of samples like this one; infinite: not known.
struct FilmFigure {
  double value = 0, low = 0, high = 0;
};

class SettingSearch {
 public:
  // Needs: at least one group, none empty; frames of the film above 0.
  SettingSearch(SettingTarget target, FilmSample sample, int64_t film_frames, uint64_t seed);

  // What to encode next; nothing once that would hardly change the answer.
  std::optional<EncodeStep> next() const;
  // Takes the parts of the step's group, in its order.
  void add(const EncodeStep& step, std::vector<EncodedPart> parts);

  // These need: an encode was added.
  // The highest setting that reaches the target, by all that is known; nothing if none does.
  std::optional<int> answer() const { return answer_for(target_.value); }
  // The answers at either end of the score's spread; -1: no setting reaches it.
  std::pair<int, int> answers() const;
  FilmFigure score(int setting) const;
  FilmFigure bytes(int setting) const;
  double seconds() const;                                     // that encoding all of the film takes
  int64_t seen_frames() const;                                // of parts that were encoded at least once
  double measured(std::span<const EncodedPart> parts) const;  // the statistic of these frames alone

 private:
  struct Encoded {
    int setting = 0;
    EncodedPart part;
  };
  struct Curve {
    std::vector<std::pair<double, double>> points;  // setting and value, ascending settings
    double slope = 0;                               // as long as there is one point
    double at(double setting) const;
  };
  double level(double score) const;
  double moved(double score, double levels) const;
  bool reaches(double score, double value) const;
  Curve levels() const;
  Curve sizes() const;
  double value_at(int setting) const;
  std::optional<int> answer_for(double value) const;
  std::vector<std::vector<double>> scores_at(int setting) const;
  double pooled(std::span<const std::vector<double>> parts, std::span<const size_t> picks) const;
  FilmFigure spread(double value, const std::vector<double>& drawn) const;
  std::vector<std::vector<size_t>> resamples() const;
  std::optional<EncodeStep> farthest(int setting) const;

  const SettingTarget target_;
  const FilmSample sample_;
  const int64_t film_frames_;
  const uint64_t seed_;
  const double best_;                          // the end that is better; infinite: none
  const bool is_ratio_;                        // levels are logarithms of what is missing to `best_`
  std::vector<std::vector<Encoded>> encoded_;  // of each part, by ascending settings
  std::vector<std::vector<int>> settings_;     // of each group, ascending
  size_t steps_ = 0;
};

}  // namespace vq

// Parts of a film, encoded by a command of the user and scored against the film.
#pragma once

#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/metric.h"
#include "engine/comparison/setting_search.h"

namespace vq::cli {

// What stands for what in a command: in each word, any number of times.
inline constexpr std::string_view kPartInput = "{in}", kPartOutput = "{out}", kPartSetting = "{crf}";

struct EncoderRequest {
  std::vector<std::string> command;  // with each of these three
  std::string metric;                // as find_named() takes it
  std::string keep;                  // a folder for results, so that no part is encoded twice; empty: none
  std::string key;                   // all that decides the scores, besides the film and the command
  int jobs = 0;                      // parts at a time; 0: one for each four cores
};

class PartEncoder {
 public:
  // Reads the packets of the film, which `options` name as both of its videos; its features are what is
  // scored. Options and messages, to which warnings go, outlive this. Throws as ScoringRun; Error{kUsage} for
  // a metric that is not scored, Error{kInput} for a film that cannot be cut.
  PartEncoder(const RunOptions& options, EncoderRequest request, Messages& messages);

  const StreamIndex& index() const { return index_; }
  int64_t frames() const { return *index_.pictures; }
  double frame_rate() const;
  uint64_t seed() const { return seed_; }           // by the content of the film
  const Metric& metric() const { return metric_; }  // without scores
  const ScoreEnds& ends() const { return ends_; }

  // Encodes and scores the parts, several at a time, each in a folder that is gone afterwards. Fewer if it is
  // stopped. Throws as ScoringRun, and Error{kInput} with the last lines of a command that fails or leaves no
  // video, once all that run have ended.
  std::vector<EncodedPart> encode(std::span<const FilmPart> parts, const std::string& setting);

 private:
  std::optional<EncodedPart> encode(const FilmPart& part, const std::string& setting, const StopToken& stop);
  void write_part(const FilmPart& part, const std::string& path, const StopToken& stop) const;
  EncodedPart score(const std::string& reference, const std::string& encoded, const StopToken& stop);

  const RunOptions& options_;
  const EncoderRequest request_;
  Messages& messages_;
  std::mutex mutex_;            // of the messages
  std::set<std::string> told_;  // warnings
  StreamIndex index_;
  Metric metric_;
  ScoreEnds ends_;
  uint64_t seed_ = 0;
  std::string kept_folder_;  // of this film and command; empty: none
  int jobs_ = 1;
  RunOptions of_parts_;
};

}  // namespace vq::cli

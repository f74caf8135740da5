// An extractor that a context uses: what it is called, and what becomes of what it finds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/libvmaf/heatmap_writer.h"
#include "engine/libvmaf/score_store.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// The feature that an extractor of this name is; null where there is none.
const FeatureInfo* find_extractor(const std::string& name);

// Where scores go.
class ScoreReceiver {
 public:
  virtual ~ScoreReceiver() = default;
  // Of a frame that has a score of this name the first counts.
  virtual void receive(const std::string& name, ScoreOrder order, unsigned index, double value) = 0;
  virtual bool has(const std::string& name, unsigned index) const = 0;
  // A frame could not be scored by all, or nothing can be scored any more: a negative errno.
  enum class Extent { kFrame, kAll };
  virtual void fail(int fault, Extent extent) noexcept = 0;
};

class Registration {
 public:
  explicit Registration(FeatureRequest request);

  // Equal keys are one registration.
  const std::string& key() const { return key_; }
  const FeatureRequest& request() const { return request_; }

  // Settles, once, what depends on the pictures, and finds out whether it can score them.
  void prepare(const VideoFormats& formats);
  bool is_prepared() const { return is_prepared_; }
  // Why it cannot; empty: it can. The next need that it is prepared.
  const std::string& refusal() const { return refusal_; }
  // Whether it looks at all frames that are read, and not at those alone that count.
  bool looks_at_every_frame() const;
  // Whether it remembers frames on its own: the reference runs such extractors before others where it has
  // threads, so that their scores come first in reports.
  bool is_sequential() const { return looks_at_every_frame() && sequence_ == nullptr; }
  // Whether it cannot score a frame behind the first without one that was read before.
  bool needs_previous() const;
  // The names of its scores, and where they stand.
  const std::vector<std::pair<std::string, ScoreOrder>>& scores() const { return scores_; }

  // What it finds in a frame, in the order in which frames were read. A frame that it has already is left
  // out.
  void take(unsigned index, const FrameResult& result, ScoreReceiver& receiver);
  // No more frames will come.
  void finish(ScoreReceiver& receiver);
  // Figures of all frames.
  std::vector<std::pair<std::string, double>> aggregates() const;

 private:
  void complete(const std::vector<FrameValues>& frames, ScoreReceiver& receiver);

  FeatureRequest request_;
  const std::string key_;
  VideoFormats formats_;
  bool is_prepared_ = false;
  std::string refusal_;
  std::vector<std::pair<std::string, ScoreOrder>> scores_;
  std::unique_ptr<HeatmapWriter> heatmaps_;  // null where none were asked for
  std::unique_ptr<FrameSequence> sequence_;  // null where each frame stands for itself
  std::map<unsigned, FrameResult> ahead_;    // that the sequence has not had yet, as one before is missing
  unsigned next_ = 0;                        // that the sequence wants
  unsigned complete_ = 0;                    // whose values it has given
  std::vector<double> totals_;
};

}  // namespace vq::libvmaf

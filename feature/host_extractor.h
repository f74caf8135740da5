// Features on the CPU: frames in parallel, each scored by one thread, which may score those of other runs
// with it.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/feature.h"

namespace vq {

class HostExtractor;

// A frame of one run. It is scored by its extractor's features, alone or with those of other runs.
struct GroupedFrame {
  HostExtractor* extractor = nullptr;
  FrameJob* job = nullptr;
  std::promise<void> done = {};
};

// What the extractors of such runs have in common. Frames of one number are scored by one task, so that
// features compute what they need of the reference once. A frame waits for those of the other runs only while
// its own run has others to begin, so no run ever waits for another.
class ScoringGroup {
 public:
  // `ahead`: the number of frames by which a run may be ahead of the slowest one. Each run has as many more
  // frames in flight, so that its frames meet those of the others. Throws std::bad_alloc.
  ScoringGroup(int threads, size_t ahead) : pool_(threads), ahead_(ahead) {}

  WorkerPool& pool() { return pool_; }
  size_t ahead() const { return ahead_; }
  Rendezvous<GroupedFrame>& frames() { return frames_; }
  // The first feature that was passed with the key, which is `own` if there was none.
  std::shared_ptr<HostFeature> shared(const std::string& key, std::shared_ptr<HostFeature> own);

 private:
  WorkerPool pool_;
  const size_t ahead_;
  Rendezvous<GroupedFrame> frames_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<HostFeature>> features_;
};

// The same for all features that score frames in the same way: of what they were made, but for names.
std::string sharing_key(const FeatureRequest& request, const VideoFormats& formats);

// Whether two frames have their samples at the same place.
bool is_same_picture(const Frame& a, const Frame& b);

struct HostPart {
  std::shared_ptr<HostFeature> feature;
  bool every_frame = false;  // also needs frames that the run does not report
  std::string name = {};     // its first metric: prefix of stage names if there are several features
  BoundedLuma bounded_luma = BoundedLuma::kNone;
  bool is_shared =
      false;  // may score frames of other runs that have the same feature together with this run's
};

// Throws std::bad_alloc. Needs: a feature.
std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameNeeds& use,
                                                      const VideoFormats& formats,
                                                      const Execution& execution);

// Maximum number of results at a time.
size_t host_results(const Execution& execution);

}  // namespace vq

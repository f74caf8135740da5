// One video read once for several readers, each on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cli/decoding/frame_queue.h"

namespace vq::cli {

class SharedFrames {
 public:
  // Takes the frames of `source` for `readers` readers. No reader gets more than `window` frames ahead of the
  // slowest, so memory stays bounded. Needs: window >= 1.
  SharedFrames(std::unique_ptr<FrameReader> source, size_t readers, size_t window);

  // The frames for the i-th reader, which must take them on one thread at a time. This outlives it.
  std::unique_ptr<FrameReader> reader(size_t i);
  // The i-th reader wants no more: nobody waits for it. Until every reader has either ended or left, the
  // others may wait for it.
  void leave(size_t i);

 private:
  class Reader;
  std::optional<Frame> next(size_t i, const StopToken& stop);
  void fetch(std::unique_lock<std::mutex>& lock, const StopToken& stop);
  void drop_what_all_have();
  void use_store(size_t i, std::shared_ptr<FrameStore> store);

  const std::unique_ptr<FrameReader> source_;
  const size_t window_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;        // those that some reader still wants
  int64_t first_ = 0;               // position of the first of them
  std::vector<int64_t> positions_;  // of the frame that each reader gets next
  std::optional<size_t> placing_;   // the reader in whose store samples lie
  bool is_fetching_ = false, ended_ = false;
  std::exception_ptr error_;
};

}  // namespace vq::cli

#include "cli/inputs/shared_frames.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace vq::cli {
namespace {

constexpr int64_t kLeft = std::numeric_limits<int64_t>::max();

}  // namespace

class SharedFrames::Reader final : public FrameReader {
 public:
  Reader(SharedFrames& shared, size_t index) : shared_(shared), index_(index) {}
  const VideoInfo& info() const override { return shared_.source_->info(); }
  void limit_ahead(int64_t bytes) override {
    const std::lock_guard lock(shared_.mutex_);
    shared_.source_->limit_ahead(bytes);
  }
  void start() override {
    const std::lock_guard lock(shared_.mutex_);
    shared_.source_->start();
  }
  // Also for those who read the frame, and for those behind, who make room for it.
  std::optional<Frame> next(const StopToken& stop) override {
    const auto start = std::chrono::steady_clock::now();
    std::optional<Frame> frame = shared_.next(index_, stop);
    waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return frame;
  }
  int64_t skipped() const override { return shared_.source_->skipped(); }
  std::vector<std::string> take_warnings() override { return shared_.source_->take_warnings(); }
  std::string decoders() override { return shared_.source_->decoders(); }
  void use_store(std::shared_ptr<FrameStore> store) override { shared_.use_store(index_, std::move(store)); }
  std::optional<StreamLength> measured_length() override { return shared_.source_->measured_length(); }
  double waited() const override { return waited_; }

 private:
  SharedFrames& shared_;
  const size_t index_;
  double waited_ = 0;
};

SharedFrames::SharedFrames(std::unique_ptr<FrameReader> source, size_t readers, size_t window)
    : source_(std::move(source)), window_(window), positions_(readers, 0) {}

std::unique_ptr<FrameReader> SharedFrames::reader(size_t i) {
  return std::make_unique<Reader>(*this, i);
}

void SharedFrames::leave(size_t i) {
  {
    const std::lock_guard lock(mutex_);
    positions_[i] = kLeft;
    drop_what_all_have();
  }
  changed_.notify_all();
}

// Samples can lie in one place: in that of the reader who says so first.
void SharedFrames::use_store(size_t i, std::shared_ptr<FrameStore> store) {
  const std::lock_guard lock(mutex_);
  if (placing_.value_or(i) != i) return;
  placing_ = store != nullptr ? std::optional(i) : std::nullopt;
  source_->use_store(std::move(store));
}

void SharedFrames::drop_what_all_have() {
  const int64_t slowest = *std::min_element(positions_.begin(), positions_.end());
  for (; !frames_.empty() && first_ < slowest; ++first_) frames_.pop_front();
}

std::optional<Frame> SharedFrames::next(size_t i, const StopToken& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  std::unique_lock lock(mutex_);
  while (true) {
    const size_t ahead = static_cast<size_t>(positions_[i] - first_);
    if (ahead < frames_.size()) {
      Frame frame = frames_[ahead];
      ++positions_[i];
      drop_what_all_have();
      lock.unlock();
      changed_.notify_all();
      return frame;
    }
    if (error_ && !stop.is_requested()) std::rethrow_exception(error_);
    if (ended_ || stop.is_requested()) return std::nullopt;
    if (!is_fetching_ && frames_.size() < window_) {
      fetch(lock, stop);
    } else {
      changed_.wait_for(lock, kPoll);
    }
  }
}

// Reads one frame for all, without the lock: whoever needs frames that are there already need not wait.
void SharedFrames::fetch(std::unique_lock<std::mutex>& lock, const StopToken& stop) {
  is_fetching_ = true;
  lock.unlock();
  std::optional<Frame> frame;
  std::exception_ptr error;
  try {
    frame = source_->next(stop);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  is_fetching_ = false;
  error_ = error;
  ended_ = !frame;
  if (frame) frames_.push_back(std::move(*frame));
  changed_.notify_all();
}

}  // namespace vq::cli

#include "cli/decoding/frame_queue.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/part_source.h"
#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"

namespace vq::cli {
FrameQueue::FrameQueue(SourceOptions options, FrameQueueLimits limits) : limits_(limits) {
  options.stop =
      StopToken([this, asked = std::move(options.stop)] { return stop_.load() || asked.is_requested(); });
  options.store = store_;
  source_ = options.part ? open_part(options) : open_video(options);
  info_ = source_->info();
}

void FrameQueue::start() {
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { read_ahead(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kResource,
                words("{}: no thread can be started to read it: {}. Try: a higher limit of processes",
                      shown_path(info_.path), errno_text(error.code().value())));
  }
}

FrameQueue::~FrameQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FrameQueue::decode_by(const SourceOptions& options) {
  source_->decode_by(options);
  info_ = source_->info();
}

void FrameQueue::read_ahead() {
  name_thread("reader of ", info_.path);
  std::exception_ptr error;
  for (const auto step : {&FrameQueue::read_frames, &FrameQueue::collect_warnings}) {
    try {
      (this->*step)();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    measured_ = source_->measured_length();
    ended_ = true;
  }
  changed_.notify_all();
}

void FrameQueue::collect_warnings() {
  std::vector<std::string> lines = source_->take_warnings();
  const std::string decoders = source_->decoders();
  const std::lock_guard lock(mutex_);
  decoders_ = decoders;
  for (std::string& line : lines) warnings_.push_back(std::move(line));
}

// False where reading is to stop.
bool FrameQueue::wait_for_room() {
  const TraceSpan span("wait for the scorer");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_.load() || frames_.size() < limits_.capacity; });
  return !stop_;
}

void FrameQueue::read_frames() {
  if (limits_.skip + limits_.first > 0) {
    const int64_t skipped = std::min(source_->skip(limits_.skip + limits_.first), limits_.skip);
    const std::lock_guard lock(mutex_);
    skipped_ = skipped;
  }
  for (int64_t next = limits_.first; limits_.end < 0 || next < limits_.end;) {
    if (!wait_for_room()) return;
    std::optional<Frame> frame;
    {
      const TraceSpan span("read", next + limits_.skip);
      frame = source_->read();
    }
    if (!frame) return;
    frame->index -= limits_.skip;
    if (limits_.end >= 0 && frame->index >= limits_.end) return;
    next = frame->index + 1;
    collect_warnings();
    {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(*frame));
    }
    changed_.notify_all();
  }
}

std::optional<Frame> FrameQueue::next(const StopToken& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const TraceSpan span("wait for a frame");
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kPoll, [this] { return ended_ || !frames_.empty(); })) {
    if (stop.is_requested()) return std::nullopt;
  }
  waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (frames_.empty()) {
    if (error_ && !stop.is_requested()) std::rethrow_exception(error_);
    is_at_end_ = true;
    return std::nullopt;
  }
  std::optional<Frame> frame = std::move(frames_.front());
  frames_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return frame;
}

std::vector<std::string> FrameQueue::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

std::string FrameQueue::decoders() {
  const std::lock_guard lock(mutex_);
  return decoders_;
}

std::optional<StreamLength> FrameQueue::measured_length() {
  const std::lock_guard lock(mutex_);
  return is_at_end_ ? measured_ : std::nullopt;
}

double FrameQueue::waited() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

}  // namespace vq::cli

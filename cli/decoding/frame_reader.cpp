#include "cli/decoding/frame_reader.h"

#include <exception>
#include <system_error>

#include "cli/decoding/open_video.h"
#include "core/error.h"
#include "core/frame.h"
#include "core/text.h"
#include "core/trace.h"
#include "engine/analysis/signature.h"
#include "feature/fitting/fitting.h"

namespace vq::cli {

// One video and the thread that reads it, for one reader or several.
class FrameReader::Queue {
 public:
  Queue(SourceOptions options, const ReadLimits& limits, const Open& open);
  ~Queue();
  Queue& operator=(Queue&&) = delete;

  // Returns the reader's index.
  size_t join();
  void leave(size_t reader);
  void start();
  std::optional<Frame> next(size_t reader, const StopToken& stop);
  void use_store(size_t reader, std::shared_ptr<FrameStore> store);
  void look_at(const Rectangle& part) { part_ = part; }  // before start()
  void decode_by(SourceOptions options);
  std::vector<std::string> take_warnings();
  SourceReport report() const;
  int64_t skipped() const { return skipped_; }
  bool is_shared() const { return positions_.size() > 1; }
  VideoSource& source() { return *source_; }  // before start()
  const VideoInfo& info() const { return source_->info(); }

 private:
  void read_ahead();
  void read_frames();
  bool read_frames(int64_t first, int64_t end);
  void read_stretches();
  bool wait_for_room();
  void take_report();
  void drop_what_all_have();

  static constexpr int64_t kLeft = std::numeric_limits<int64_t>::max();
  // Further frames read ahead for each of several readers, so that a fast one seldom waits for a slow one.
  static constexpr size_t kAheadOfOthers = 4;

  std::atomic<bool> stop_ = false;
  const std::shared_ptr<DeferredFrameStore> store_ = std::make_shared<DeferredFrameStore>();
  const std::shared_ptr<LookedRows> rows_ = std::make_shared<LookedRows>();
  std::optional<Rectangle> part_;  // of the picture that is looked at; none: the whole
  std::unique_ptr<VideoSource> source_;
  const ReadLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;        // those that some reader still wants
  int64_t first_ = 0;               // position of the first of them
  std::vector<int64_t> positions_;  // of the frame that each reader gets next
  std::optional<size_t> placing_;   // the reader in whose store samples lie
  SourceReport report_;
  size_t taken_warnings_ = 0;
  std::exception_ptr error_;
  bool ended_ = false;  // reading is over
  int64_t skipped_ = 0;
  std::thread thread_;
};

FrameReader::Queue::Queue(SourceOptions options, const ReadLimits& limits, const Open& open)
    : limits_(limits) {
  options.stop =
      StopToken([this, asked = std::move(options.stop)] { return stop_.load() || asked.is_requested(); });
  options.store = store_;
  options.hardware.rows = rows_;
  source_ = open ? open(options) : options.part ? open_part(options) : open_video(options);
}

FrameReader::Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

size_t FrameReader::Queue::join() {
  const std::lock_guard lock(mutex_);
  positions_.push_back(0);
  return positions_.size() - 1;
}

void FrameReader::Queue::leave(size_t reader) {
  {
    const std::lock_guard lock(mutex_);
    positions_[reader] = kLeft;
    drop_what_all_have();
  }
  changed_.notify_all();
}

void FrameReader::Queue::decode_by(SourceOptions options) {
  options.hardware.rows = rows_;
  source_->decode_by(options);
}

void FrameReader::Queue::start() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  const PlaneSize size = {info().format.width, info().format.height};
  const Rectangle part = part_.value_or(Rectangle{0, 0, size.width, size.height});
  const LumaLines lines = lines_of_whole(signature::sampled_lines({part.width, part.height}), part);
  std::vector<int> rows =
      stored_lines(lines, size, info().is_turned ? info().orientation : Orientation()).rows;
  std::ranges::sort(rows);
  rows_->set(std::move(rows));
  try {
    thread_ = std::thread([this] { read_ahead(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kResource,
                "{}: no thread can be started to read it: {}. Try: a higher limit of processes",
                shown_path(info().path), errno_text(error.code().value()));
  }
}

void FrameReader::Queue::read_ahead() {
  name_thread("reader of ", info().path);
  std::exception_ptr error;
  for (const auto step : std::array<void (Queue::*)(), 2>{&Queue::read_frames, &Queue::take_report}) {
    try {
      (this->*step)();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    ended_ = true;
  }
  changed_.notify_all();
}

void FrameReader::Queue::take_report() {
  SourceReport report = source_->report();
  const std::lock_guard lock(mutex_);
  report_ = std::move(report);
}

// False if reading is to stop.
bool FrameReader::Queue::wait_for_room() {
  const TraceSpan span("wait for the scorer");
  std::unique_lock lock(mutex_);
  const size_t capacity = limits_.capacity + (is_shared() ? kAheadOfOthers : 0);
  const auto wants_one = [](int64_t position) { return position != kLeft; };
  changed_.wait(lock, [&] {
    return stop_.load() || (frames_.size() < capacity && std::ranges::any_of(positions_, wants_one));
  });
  return !stop_;
}

void FrameReader::Queue::read_frames() {
  if (!limits_.stretches.empty()) return read_stretches();
  if (limits_.skip + limits_.first > 0) {
    const int64_t skipped = std::min(source_->skip(limits_.skip + limits_.first), limits_.skip);
    const std::lock_guard lock(mutex_);
    skipped_ = skipped;
  }
  read_frames(limits_.first, limits_.end);
}

// A source counts pictures from its file's first on, and skips them when it is at another place as well.
void FrameReader::Queue::read_stretches() {
  int64_t position = 0;
  {
    const std::lock_guard lock(mutex_);
    skipped_ = limits_.skip;
  }
  for (const ReadStretch& stretch : limits_.stretches) {
    if (stretch.part && position > 0) source_->go_to(*stretch.part);
    const int64_t first = stretch.first + limits_.skip;
    if (source_->skip(first - position) < first - position || !read_frames(stretch.first, stretch.end))
      return;
    position = stretch.end + limits_.skip;
  }
}

// False if that was the end.
bool FrameReader::Queue::read_frames(int64_t first, int64_t end) {
  for (int64_t next = first; end < 0 || next < end;) {
    if (!wait_for_room()) return false;
    std::optional<Frame> frame;
    {
      const TraceSpan span("read", next + limits_.skip);
      frame = source_->read();
    }
    if (!frame) return false;
    frame->index -= limits_.skip;
    if (end >= 0 && frame->index >= end) return false;
    next = frame->index + 1;
    take_report();
    {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(*frame));
      drop_what_all_have();
    }
    changed_.notify_all();
  }
  return true;
}

// Needs: the lock.
void FrameReader::Queue::drop_what_all_have() {
  const int64_t slowest = *std::ranges::min_element(positions_);
  for (; !frames_.empty() && first_ < slowest; ++first_) frames_.pop_front();
}

std::optional<Frame> FrameReader::Queue::next(size_t reader, const StopToken& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  const TraceSpan span("wait for a frame");
  std::unique_lock lock(mutex_);
  const auto ahead = [&] { return static_cast<size_t>(positions_[reader] - first_); };
  while (!changed_.wait_for(lock, kPoll, [&] { return ended_ || ahead() < frames_.size(); })) {
    if (stop.is_requested()) return std::nullopt;
  }
  if (ahead() >= frames_.size()) {
    if (error_ && !stop.is_requested()) std::rethrow_exception(error_);
    return std::nullopt;
  }
  Frame frame = is_shared() ? frames_[ahead()] : std::move(frames_.front());
  ++positions_[reader];
  drop_what_all_have();
  lock.unlock();
  changed_.notify_all();
  return frame;
}

// Samples can lie in one place.
void FrameReader::Queue::use_store(size_t reader, std::shared_ptr<FrameStore> store) {
  const std::lock_guard lock(mutex_);
  if (placing_.value_or(reader) != reader) return;
  placing_ = store != nullptr ? std::optional(reader) : std::nullopt;
  store_->set(std::move(store));
}

std::vector<std::string> FrameReader::Queue::take_warnings() {
  const std::lock_guard lock(mutex_);
  const auto fresh = report_.warnings.begin() + static_cast<ptrdiff_t>(taken_warnings_);
  taken_warnings_ = report_.warnings.size();
  return {fresh, report_.warnings.end()};
}

SourceReport FrameReader::Queue::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

FrameReader::FrameReader(const SourceOptions& options, const ReadLimits& limits, const Open& open)
    : FrameReader(std::make_shared<Queue>(options, limits, open)) {}

FrameReader::FrameReader(std::shared_ptr<Queue> queue)
    : queue_(std::move(queue)), index_(queue_->join()), info_(queue_->info()) {}

FrameReader::~FrameReader() {
  if (queue_) queue_->leave(index_);
}

std::unique_ptr<FrameReader> FrameReader::share() const {
  return std::unique_ptr<FrameReader>(new FrameReader(queue_));
}

void FrameReader::leave() {
  queue_->leave(index_);
}

void FrameReader::crop(const Rectangle& rectangle) {
  queue_->look_at(rectangle);
  changes_.emplace_back([chroma = info_.format.chroma, rectangle](Frame frame) {
    crop_frame(frame, chroma, rectangle);
    return frame;
  });
  info_.format.width = rectangle.width;
  info_.format.height = rectangle.height;
}

void FrameReader::fit(const Fitting& fitting, int planes) {
  const std::shared_ptr<FrameFitter> fitter = make_frame_fitter(info_.named_format(), fitting, planes, {});
  changes_.emplace_back([fitter](const Frame& frame) {
    Frame fitted = fitter->fit(frame);
    fitted.repeated_planes = 0;
    return fitted;
  });
  info_.format = fitted_format(std::move(info_.format), fitting);
  is_fitted_ = true;
}

const VideoInfo& FrameReader::source_info() const {
  return queue_->info();
}

void FrameReader::limit_ahead(int64_t bytes) {
  queue_->source().limit_ahead(bytes);
}

void FrameReader::decode_by(const SourceOptions& options) {
  if (queue_->is_shared()) return;
  queue_->decode_by(options);
  if (changes_.empty()) info_ = queue_->info();
}

void FrameReader::start() {
  queue_->start();
}

std::optional<Frame> FrameReader::next(const StopToken& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::optional<Frame> frame = queue_->next(index_, stop);
  waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  is_at_end_ = !frame && !stop.is_requested();
  if (!frame) return std::nullopt;
  for (const auto& change : changes_) frame = change(std::move(*frame));
  return frame;
}

int64_t FrameReader::skipped() const {
  return queue_->skipped();
}

// Samples of frames that are fitted lie elsewhere.
void FrameReader::use_store(std::shared_ptr<FrameStore> store) {
  if (!is_fitted_) queue_->use_store(index_, std::move(store));
}

std::vector<std::string> FrameReader::take_warnings() {
  return queue_->take_warnings();
}

SourceReport FrameReader::report() const {
  SourceReport report = queue_->report();
  if (!is_at_end_) report.length.reset();
  return report;
}

}  // namespace vq::cli

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
struct FrameReader::Queue {
  Queue(SourceOptions options, const ReadLimits& wanted, const Open& open) : limits(wanted) {
    options.stop =
        StopToken([this, asked = std::move(options.stop)] { return stop.load() || asked.is_requested(); });
    options.store = store;
    options.hardware.rows = rows;
    source = open ? open(options) : open_video(options);
  }

  ~Queue() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }

  Queue& operator=(Queue&&) = delete;

  bool is_shared() const { return positions.size() > 1; }
  const VideoInfo& info() const { return source->info(); }
  // Needs: the lock.
  void drop_what_all_have() {
    const int64_t slowest = *std::ranges::min_element(positions);
    for (; !frames.empty() && first < slowest; ++first) frames.pop_front();
  }

  void read_ahead() {
    name_thread("reader of ", info().path);
    while (!ended && wait_for_room()) read_one();
  }

  // Adds the next frame, or ends the reading.
  void read_one() {
    std::optional<Frame> frame;
    std::exception_ptr failure;
    const auto attempt = [&](const auto& step) {
      try {
        step();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    attempt([&] { frame = read_frame(); });
    attempt([&] { take_report(); });
    const std::lock_guard lock(mutex);
    if (frame && !failure) attempt([&] { frames.push_back(std::move(*frame)); });
    error = failure;
    ended = failure || !frame;
    drop_what_all_have();
    changed.notify_all();
  }

  // Nothing at the end.
  std::optional<Frame> read_frame() {
    while (rest.end >= 0 && rest.first >= rest.end) {
      if (!begin_stretch()) return std::nullopt;
    }
    const TraceSpan span("read", rest.first + limits.skip);
    std::optional<Frame> frame = source->read();
    if (!frame) return std::nullopt;
    frame->index -= limits.skip;
    if (rest.end >= 0 && frame->index >= rest.end) return std::nullopt;
    rest.first = frame->index + 1;
    return frame;
  }

  // Passes over what precedes the first frame to read, or that of the next stretch. False if there is none. A
  // source counts pictures from its file's first on, and skips them when it is at another place as well.
  bool begin_stretch() {
    const bool is_all = limits.stretches.empty();
    if (stretch == (is_all ? 1 : limits.stretches.size())) return false;
    if (stretch > 0) source->go_on();
    const int64_t before = stretch > 0 ? rest.end + limits.skip : 0;
    rest = is_all ? FrameSpan{limits.first, limits.end} : limits.stretches[stretch];
    const int64_t wanted = rest.first + limits.skip - before;
    const int64_t passed = wanted > 0 ? source->skip(wanted) : 0;
    if (stretch++ == 0) {
      const std::lock_guard lock(mutex);
      skipped = is_all ? std::min(passed, limits.skip) : limits.skip;
    }
    return is_all || passed >= wanted;
  }

  // False if reading is to stop.
  bool wait_for_room() {
    const TraceSpan span("wait for the scorer");
    std::unique_lock lock(mutex);
    const size_t capacity = limits.capacity + (is_shared() ? kAheadOfOthers : 0);
    const auto wants_one = [](int64_t position) { return position != kLeft; };
    changed.wait(lock, [&] {
      return stop.load() || (frames.size() < capacity && std::ranges::any_of(positions, wants_one));
    });
    return !stop;
  }

  void take_report() {
    SourceReport now = source->report();
    const std::lock_guard lock(mutex);
    report = std::move(now);
  }

  static constexpr int64_t kLeft = std::numeric_limits<int64_t>::max();
  // Further frames read ahead for each of several readers, so that a fast one seldom waits for a slow one.
  static constexpr size_t kAheadOfOthers = 4;

  std::atomic<bool> stop = false;
  const std::shared_ptr<DeferredFrameStore> store = std::make_shared<DeferredFrameStore>();
  const std::shared_ptr<LookedRows> rows = std::make_shared<LookedRows>();
  std::optional<Rectangle> part;  // of the picture that is looked at; none: the whole
  std::unique_ptr<VideoSource> source;
  const ReadLimits limits;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Frame> frames;        // those that some reader still wants
  int64_t first = 0;               // position of the first of them
  std::vector<int64_t> positions;  // of the frame that each reader gets next
  std::optional<size_t> placing;   // the reader in whose store samples lie
  SourceReport report;
  size_t taken_warnings = 0;
  std::exception_ptr error;
  bool ended = false;  // reading is over
  int64_t skipped = 0;
  FrameSpan rest;      // of the frames that are read now; an end of -1 is that of the video
  size_t stretch = 0;  // the next
  std::thread thread;  // none: frames are read when they are asked for
};

FrameReader::FrameReader(const SourceOptions& options, const ReadLimits& limits, const Open& open)
    : FrameReader(std::make_shared<Queue>(options, limits, open)) {}

FrameReader::FrameReader(std::shared_ptr<Queue> queue)
    : queue_(std::move(queue)), index_(queue_->positions.size()), info_(queue_->info()) {
  queue_->positions.push_back(0);
}

FrameReader::~FrameReader() {
  if (queue_) leave();
}

std::unique_ptr<FrameReader> FrameReader::share() const {
  return std::unique_ptr<FrameReader>(new FrameReader(queue_));
}

void FrameReader::leave() {
  const std::lock_guard lock(queue_->mutex);
  queue_->positions[index_] = Queue::kLeft;
  queue_->drop_what_all_have();
  queue_->changed.notify_all();
}

void FrameReader::crop(const Rectangle& rectangle) {
  queue_->part = rectangle;
  changes_.emplace_back([chroma = info_.format.chroma, rectangle](Frame frame) {
    crop_frame(frame, chroma, rectangle);
    return frame;
  });
  info_.format.width = rectangle.width;
  info_.format.height = rectangle.height;
}

void FrameReader::fit(const Fitting& fitting, int planes) {
  const std::shared_ptr<FrameFitter> fitter = make_frame_fitter(info_.format, fitting, planes, {});
  changes_.emplace_back([fitter](const Frame& frame) {
    Frame fitted = fitter->fit(frame);
    fitted.repeated_planes = 0;
    return fitted;
  });
  info_.format = fitted_format(std::move(info_.format), fitting);
  is_fitted_ = true;
}

const VideoInfo& FrameReader::source_info() const { return queue_->info(); }

void FrameReader::limit_ahead(int64_t bytes) { queue_->source->limit_ahead(bytes); }

void FrameReader::decode_by(SourceOptions options) {
  if (queue_->is_shared()) return;
  options.hardware.rows = queue_->rows;
  queue_->source->decode_by(options);
  if (changes_.empty()) info_ = queue_->info();
}

void FrameReader::start() {
  Queue& queue = *queue_;
  const std::lock_guard lock(queue.mutex);
  if (queue.thread.joinable()) return;
  const VideoInfo& info = queue.info();
  const PlaneSize size = {info.format.width, info.format.height};
  const Rectangle part = queue.part.value_or(Rectangle{0, 0, size.width, size.height});
  const LumaLines lines = lines_of_whole(signature::sampled_lines({part.width, part.height}), part);
  std::vector<int> rows = stored_lines(lines, size, info.is_turned ? info.orientation : Orientation()).rows;
  std::ranges::sort(rows);
  queue.rows->set(std::move(rows));
  if (queue.limits.capacity == 0 && !queue.is_shared()) return;
  try {
    queue.thread = std::thread([&queue] { queue.read_ahead(); });
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kResource,
                "{}: no thread can be started to read it: {}. Try: a higher limit of processes",
                shown_path(info.path), errno_text(error.code().value()));
  }
}

std::optional<Frame> FrameReader::next(const StopToken& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::optional<Frame> frame = take(stop);
  waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  is_at_end_ = !frame && !stop.is_requested();
  if (!frame) return std::nullopt;
  for (const auto& change : changes_) frame = change(std::move(*frame));
  return frame;
}

// As it is stored.
std::optional<Frame> FrameReader::take(const StopToken& stop) {
  constexpr auto kPoll = std::chrono::milliseconds(100);
  const TraceSpan span("wait for a frame");
  Queue& queue = *queue_;
  std::unique_lock lock(queue.mutex);
  const auto ahead = [&] { return static_cast<size_t>(queue.positions[index_] - queue.first); };
  if (!queue.thread.joinable() && queue.frames.empty() && !queue.ended) {
    lock.unlock();
    queue.read_one();
    lock.lock();
  }
  while (!queue.changed.wait_for(lock, kPoll, [&] { return queue.ended || ahead() < queue.frames.size(); })) {
    if (stop.is_requested()) return std::nullopt;
  }
  if (ahead() >= queue.frames.size()) {
    if (queue.error && !stop.is_requested()) std::rethrow_exception(queue.error);
    return std::nullopt;
  }
  Frame frame = queue.is_shared() ? queue.frames[ahead()] : std::move(queue.frames.front());
  ++queue.positions[index_];
  queue.drop_what_all_have();
  lock.unlock();
  queue.changed.notify_all();
  return frame;
}

int64_t FrameReader::skipped() const { return queue_->skipped; }

// Samples can lie in one place, and those of frames that are fitted lie elsewhere.
void FrameReader::use_store(std::shared_ptr<FrameStore> store) {
  if (is_fitted_) return;
  const std::lock_guard lock(queue_->mutex);
  if (queue_->placing.value_or(index_) != index_) return;
  queue_->placing = store != nullptr ? std::optional(index_) : std::nullopt;
  queue_->store->set(std::move(store));
}

std::vector<std::string> FrameReader::take_warnings() {
  const std::lock_guard lock(queue_->mutex);
  const std::vector<std::string>& all = queue_->report.warnings;
  return {all.begin() + static_cast<ptrdiff_t>(std::exchange(queue_->taken_warnings, all.size())), all.end()};
}

SourceReport FrameReader::report() const {
  const std::lock_guard lock(queue_->mutex);
  SourceReport report = queue_->report;
  if (!is_at_end_) report.length.reset();
  return report;
}

}  // namespace vq::cli

#include "cli/run/run_members.h"

#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/run_inputs.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"
#include "feature/extractor.h"

namespace vq::cli {

// A device starts a range with decoders that wait for each other; the host starts at once.
constexpr RangeMember kHost = {.is_device = false, .start = 0.3, .least = 0.3};
constexpr RangeMember kDevice = {.is_device = true, .start = 0.5, .least = 0.5};

// The CPU scores beside a device that began, on threads of its own.
static RangeMember first_of(const RunOptions& asked, const SettledRun& run) {
  RangeMember host = kHost;
  if (run.begins_on_device()) {
    host = kDevice;
    host.steals = false;
  }
  host.keeps_front = run.threads_beside_devices == thread_count(asked);
  return host;
}

// The first one of a device takes longer than those to come. A range's reader finds what is wrong with it.
static void open_decoder(RunOptions options, BackendChoice choice) {
  name_thread("first decoder of ", choice.infos.front().name);
  const vulkan::DriverUse use;
  const TraceSpan span("open a decoder");
  if (!use) return;
  try {
    options.backend = Backend::kVulkan;
    open_devices(options, choice);
    SourceOptions source = source_options(options, Role::kDistorted);
    source.decoders = source.threads = 1;
    if (!may_be_hardware(source.hardware)) return;
    // Closing it takes a fifth of a second in which others wait for the driver, and the process's end takes
    // none.
    static std::mutex mutex;
    static auto* const kept = new std::vector<std::unique_ptr<VideoSource>>();
    std::unique_ptr<VideoSource> opened = open_video(source);
    const std::lock_guard lock(mutex);
    kept->push_back(std::move(opened));
  } catch (const std::exception&) {
  }
}

RunOptions options_of_parts(const RunOptions& asked, const SettledRun& run) {
  RunOptions options = asked;
  options.skip_distorted = run.options.skip_distorted;
  options.skip_reference = run.options.skip_reference;
  options.skip_distorted_seconds.reset();
  options.skip_reference_seconds.reset();
  if (options.align && !options.align->is_off()) options.align.reset();
  const auto found = [](std::optional<CropRequest>& request, const std::optional<Rectangle>& rectangle) {
    if (request && !request->rectangle)
      request = rectangle ? std::optional(CropRequest{rectangle}) : std::nullopt;
  };
  found(options.crop, run.crop.distorted);
  found(options.reference_crop, run.crop.reference);
  // Their record has to be as the whole run's.
  options.extended = tells_stages(asked);
  options.lists_scenes = finds_scenes(asked);
  options.outputs.clear();
  options.thresholds.clear();
  options.segments.clear();
  options.quiet = options.compare_anyway = true;
  for (ModelOfRun& model : options.models) model.has_scores = false;
  return options;
}

// Threads that are not joined: in a driver, which takes up to a second to open a device and cannot be
// interrupted, they use nothing of the run, so that this can end meanwhile.
struct RunMembers::Threads {
  std::mutex mutex;
  std::condition_variable changed;
  int joining = 0;  // that have no range yet
  int inside = 0;   // that may touch the RunMembers, which waits for them
  bool is_over = false;

  void leave(int& count) {
    const std::lock_guard lock(mutex);
    --count;
    changed.notify_all();
  }
  // Runs `in_driver` and throws what it throws. False if the run has ended meanwhile, or the process ends.
  template <typename Work>
  bool outside(Work in_driver) {
    leave(inside);
    std::exception_ptr error;
    bool may_go_on = false;
    {
      const vulkan::DriverUse use;
      may_go_on = static_cast<bool>(use);
      try {
        if (use) in_driver();
      } catch (...) {
        error = std::current_exception();
      }
    }
    {
      const std::lock_guard lock(mutex);
      if (is_over || !may_go_on) return false;
      ++inside;
    }
    if (error) std::rethrow_exception(error);
    return true;
  }
};

RunMembers::RunMembers(const RunOptions& asked, const SettledRun& run)
    : asked_(asked),
      run_(run),
      options_(options_of_parts(asked, run)),
      ranges_(first_of(asked, run), seconds_now),
      threads_(std::make_shared<Threads>()) {
  options_.stop = StopToken([this, stop = asked.stop] {
    return is_stopped_.load(std::memory_order_relaxed) || stop.is_requested();
  });
  if (!options_.devices) options_.devices = run.options.devices;
  if (!options_.devices) options_.devices = std::make_shared<SharedDevices>();
  if (run.begins_on_device()) begin_to_join();
}

RunMembers::~RunMembers() {
  is_stopped_ = true;
  ranges_.stop();
  {
    // Compiling may take longer than the rest of the run did.
    const std::lock_guard lock(mutex_);
    for (const auto& device : compiling_) device->leave();
  }
  host_ = {};
  std::unique_lock lock(threads_->mutex);
  threads_->is_over = true;
  threads_->changed.wait(lock, [this] { return threads_->inside == 0; });
}

void RunMembers::look(int64_t scored, std::optional<int64_t> expected) {
  // The pace of the first moments says little, and a driver that was opened for nothing costs a quarter of a
  // second at the end: the rest takes at least kTimes as long as opening, if the length is known.
  constexpr double kSoonest = 0.05, kTimes = 2;
  if (has_begun_) return;
  if (options_.joins_after <= 0) {
    constexpr std::chrono::seconds kLongest{60};
    begin_to_join();
    std::unique_lock lock(threads_->mutex);
    threads_->changed.wait_for(lock, kLongest, [this] { return threads_->joining == 0; });
    return;
  }
  if (scored == 0) return;
  if (!first_) first_ = {seconds_now(), scored};
  const double seconds = seconds_now() - first_->first;
  if (seconds < kSoonest) return;
  const auto more = static_cast<double>(scored - first_->second + 1);
  const double left = expected ? static_cast<double>(*expected - scored) * seconds / more : seconds;
  if (left > options_.joins_after * (expected ? kTimes : 1)) begin_to_join();
}

// Throws std::system_error if no thread can be started.
template <typename Job>
void RunMembers::start(Job job) {
  {
    const std::lock_guard lock(threads_->mutex);
    ++threads_->joining;
    ++threads_->inside;
  }
  Joining joining(nullptr, [threads = threads_](void*) { threads->leave(threads->joining); });
  try {
    std::thread([threads = threads_, job = std::move(job), joining = std::move(joining)]() mutable {
      if (job(std::move(joining))) threads->leave(threads->inside);
    }).detach();
  } catch (...) {
    threads_->leave(threads_->inside);
    throw;
  }
}

void RunMembers::begin_to_join() {
  has_begun_ = true;
  try {
    start([this](Joining joining) { return join_devices(std::move(joining)); });
  } catch (const std::exception&) {  // threads or memory are missing: the CPU scores all
  }
}

void RunMembers::warn_later(const std::string& line) {
  const std::lock_guard lock(mutex_);
  warnings_.push_back(line);
}

std::vector<std::string> RunMembers::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

bool RunMembers::join_devices(Joining joining) {
  name_thread("devices join");
  // They are the host's, unless other runs are under way.
  if (!asked_.devices && options_.joins_after > 0 && !run_.begins_on_device()) lower_other_threads();
  try {
    const BackendRequest request = backend_request(run_.options);
    vulkan::DeviceList list = run_.backend.list;
    const auto look = [&list, &request, shared = options_.devices] {
      const TraceSpan span("list the devices");
      list = shared->list(request);
    };
    if (!run_.begins_on_device() && !threads_->outside(look)) return false;
    std::vector<BackendChoice> choices = joining_devices(request, list);
    // The members that began are at work.
    const auto is_idle = [this](const BackendChoice& choice) {
      return std::ranges::none_of(run_.backend.infos, [&](const vulkan::DeviceInfo& began) {
        return began.index == choice.infos.front().index;
      });
    };
    const auto busy = std::stable_partition(choices.begin(), choices.end(), is_idle);
    {
      const std::lock_guard lock(mutex_);
      began_.assign(busy, choices.end());
    }
    choices.erase(busy, choices.end());
    if ((choices.empty() && !run_.begins_on_device()) || is_stopped_) return true;
    for (const BackendChoice& choice : choices) start_device(choice);
    open_cuts();
    if (!run_.begins_on_device()) return true;
    joining.reset();
    // The few threads for which there is memory beside large pictures finish a piece when the device is done.
    RangeMember host = kHost;
    host.steals = 2 * run_.threads_beside_devices >= run_.threads();
    run_host(ranges_.add_member(host), nullptr);
  } catch (const Error& error) {
    // The reader of a video reports its faults.
    if (error.kind() == ErrorKind::kBackend) warn_later(words("{}; continuing on the CPU.", error.what()));
    ranges_.stop();
  } catch (const std::exception&) {  // threads or memory are missing
    ranges_.stop();
  }
  return true;
}

// Where both streams can be cut. Devices open meanwhile.
void RunMembers::open_cuts() {
  const TraceSpan span("index the streams");
  std::future<StreamIndex> other;
  if (options_.reference)
    other = std::async(std::launch::async, [this] { return index_of(options_, Role::kReference); });
  distorted_ = index_of(options_, Role::kDistorted);
  if (other.valid()) reference_ = other.get();
  auto cuts = std::make_unique<RunCuts>(options_, *distorted_, reference_ ? &*reference_ : nullptr);
  if (!cuts->whole().empty()) return ranges_.stop();
  std::vector<int64_t> places = cuts->places();
  constexpr int64_t kPlanarStep = 8;
  for (int64_t at = cuts->first(); cuts->is_planar() && at < cuts->end(); at += kPlanarStep)
    places.push_back(at);
  const int64_t end = cuts->end();
  cuts_ = std::move(cuts);
  ranges_.open(std::move(places), end);
}

void RunMembers::start_device(const BackendChoice& choice) {
  start([this, choice = BackendChoice(choice)](Joining joining) {
    return run_device(choice, std::move(joining));
  });
}

bool RunMembers::run_device(BackendChoice choice, Joining joining) {
  const std::string name = choice.infos.front().name;
  name_thread(name);
  std::shared_ptr<vulkan::Device> device;
  try {
    const auto open = [&choice, &device, shared = options_.devices] {
      const TraceSpan span("open the device");
      shared->open(choice, cache_folder());
      device = choice.devices.opened.get().front();
    };
    if (!threads_->outside(open)) return false;
    note_compiling(device, true);
    if (is_stopped_) return true;
    // Nothing waits for it; devices of several runs are warm after the first.
    if (!asked_.devices) {
      RunOptions own = options_;
      own.stop = asked_.stop;  // the other one asks this object, which may be gone
      std::thread(open_decoder, std::move(own), choice).detach();
    }
    compile(choice);
    note_compiling(device, false);
  } catch (const Error& error) {
    if (!is_stopped_) warn_later(words("{}; continuing on the CPU.", error.what()));
    return true;
  } catch (const std::exception&) {  // threads or memory are missing
    return true;
  }
  RunOptions options = options_;
  options.backend = Backend::kVulkan;
  options.device = choice.devices.selector;
  work(ranges_.add_member(kDevice), std::move(options), name, std::move(joining));
  return true;
}

void RunMembers::note_compiling(const std::shared_ptr<vulkan::Device>& device, bool is_begun) {
  const std::lock_guard lock(mutex_);
  std::erase(compiling_, device);
  if (is_begun && !asked_.devices) compiling_.push_back(device);
}

// A range is taken when the device can begin at once.
void RunMembers::compile(const BackendChoice& choice) const {
  const TraceSpan span("make pipelines");
  WorkerPool pool(1);
  BackendChoice own = choice;
  Execution execution = execution_of(options_, own, &pool);
  leave_too_large(own, run_.options.features, run_.formats, execution);
  execution.devices = own.devices;
  make_extractor(run_.options.features, run_.formats, execution);
}

void RunMembers::work(size_t member, RunOptions options, const std::string& name, Joining joining) {
  while (const std::shared_ptr<RunRange> range = ranges_.take(member)) {
    joining.reset();
    if (!score(member, *range, options, name)) return;
  }
}

// False if the member leaves. A device's failure is no failure of the run: who goes on finds what is wrong
// with the videos, if anything is.
bool RunMembers::score(size_t member, RunRange& range, RunOptions& options, const std::string& name) {
  const TraceSpan span("score a range", range.first);
  const bool is_device = member != 0;
  int64_t next = range.first;
  const auto give = [&](RangeFindings some) {
    if (!some.found.frames.empty()) next = some.found.frames.back().frame + 1;
    range.findings.add(std::move(some));
  };
  try {
    options.part = cuts_->part(range.first, range.taken_end);
    score_range({options, [&](int64_t frame) { return ranges_.may_use(range, frame); }, give});
    ranges_.finish(range);
    range.findings.end();
    return true;
  } catch (const Error& error) {
    if (is_device && error.kind() == ErrorKind::kBackend)
      warn_later(words("{}; continuing without {}.", error.what(), name));
    fail(member, range, next);
  } catch (...) {
    fail(member, range, next);
  }
  return false;
}

// Called while the error is handled.
void RunMembers::fail(size_t member, RunRange& range, int64_t next) {
  if (member != 0) {
    ranges_.give_back(range, next);
    return range.findings.end();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  ranges_.leave(member);
  range.findings.end(std::current_exception());
}

bool RunMembers::end_first() {
  next_ = ranges_.finish(*ranges_.first_range());
  return ranges_.goes_on_at(next_);
}

// The CPU on a thread that is its own. `pool`: null if the run's is busy.
void RunMembers::run_host(size_t member, std::shared_ptr<WorkerPool> pool) {
  name_thread("host");
  if (options_.joins_after > 0) lower_this_thread();
  RunOptions options = options_;
  options.backend = Backend::kCpu;
  options.device.clear();
  options.threads = run_.threads_beside_devices;
  if (options.threads == run_.threads()) options.pool = std::move(pool);
  options.hardware = {};
  options.hardware.decoder = DecoderRequest::kSoftware;
  work(member, std::move(options), "the CPU", {});
}

void RunMembers::go_on() {
  constexpr double kWorthOpening = 2;  // seconds
  try {
    const std::lock_guard lock(mutex_);
    if (ranges_.longest_rest() > kWorthOpening)
      for (const BackendChoice& choice : began_) start_device(choice);
    host_ = std::jthread([this] { run_host(0, run_.pool); });
  } catch (const std::system_error& error) {  // the devices score the rest
    failure_ = std::make_exception_ptr(
        Error(ErrorKind::kResource,
              words("no thread can be started: {}. Try: a higher limit of processes", error.what())));
    ranges_.leave(0);
  }
}

std::optional<RangeFindings> RunMembers::next() {
  while (!options_.stop.is_requested()) {
    if (!delivering_) delivering_ = ranges_.range_at(next_, options_.stop);
    if (!delivering_) break;
    if (std::optional<RangeFindings> some = delivering_->findings.take(options_.stop)) {
      if (!some->found.frames.empty()) ranges_.delivered(some->found.frames.back().frame);
      return some;
    }
    if (options_.stop.is_requested()) break;
    next_ = ranges_.end_of(*std::exchange(delivering_, nullptr));
    ranges_.delivered(next_);
  }
  if (options_.stop.is_requested() || !ranges_.goes_on_at(next_)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(failure_);  // all others have left as well
}

}  // namespace vq::cli

#include "engine/libvmaf/context.h"

#include <system_error>

#include "core/error.h"
#include "core/text.h"
#include "engine/backend_choice.h"

namespace vq::libvmaf {

// A frame may be compared with the second before it.
constexpr size_t kMostBefore = 2;
// More threads would not work at a time.
constexpr unsigned kThreadsForEachCore = 4;

static unsigned threads_of(const VmafConfiguration& configuration, const Environment& environment) {
  const auto cores = static_cast<unsigned>(usable_cores());
  const unsigned asked = environment.threads ? static_cast<unsigned>(*environment.threads) : 0;
  if (environment.threads) return asked == 0 ? cores : asked;
  return std::min(configuration.n_threads, kThreadsForEachCore * cores);
}

static void keep_last(std::deque<Frame>& frames, const Frame& frame) {
  frames.push_front(frame);
  if (frames.size() > kMostBefore) frames.pop_back();
}

Context::Context(const VmafConfiguration& configuration)
    : environment_(read_environment()),
      threads_(threads_of(configuration, environment_)),
      subsample_(configuration.n_subsample),
      hides_faults_(configuration.n_threads > 0),
      limits_{.cpumask = static_cast<uint32_t>(configuration.cpumask),
              .forbids_devices = configuration.gpumask != 0,
              .threads = static_cast<int>(std::max(1U, threads_))} {}

Context::~Context() {
  if (reads_ > 0) note_context(reads_);
}

void Context::use(FeatureRequest request) {
  auto added = std::make_shared<Registration>(std::move(request));
  const auto is_it = [&](const auto& known) { return known->key() == added->key(); };
  if (std::ranges::any_of(registrations_, is_it)) return;
  log(LogLevel::kDebug, words("uses {}", added->key()));
  registrations_.push_back(added);
  waiting_.push_back(std::move(added));
}

void Context::use_cuda(const CudaContext& cuda) {
  if (reads_ > 0) throw usage_error("CUDA's state comes after the first picture");
  Environment on_its_device = environment_;
  on_its_device.device = device_with(cuda.uuid);
  const auto devices = lease_devices(
      {.selector = on_its_device.device, .requirement = {}, .cache_folder = on_its_device.cache_folder});
  cuda_ = CudaPictureMaker::open(cuda, devices.front());
  if (cuda_ == nullptr)
    throw Error(ErrorKind::kBackend, "Vulkan's driver for CUDA's device does not share memory");
  environment_.device = on_its_device.device;
  if (environment_.backend.empty() || environment_.backend == "auto")
    environment_.backend = to_string(Backend::kVulkan);
}

void Context::preallocate(const PictureShape& shape, bool are_on_cuda) {
  announced_ = shape;
  are_announced_on_cuda_ = are_on_cuda;
}

VmafPicture Context::fetch() const {
  if (!announced_) throw usage_error("no pictures were announced");
  return are_announced_on_cuda_ ? make_picture(*announced_, *cuda_) : make_picture(*announced_);
}

void Context::mount(std::shared_ptr<const ModelState> model) {
  const std::lock_guard lock(mutex_);
  mounted_.push_back(std::move(model));
}

void Context::add_handler(const VmafMetadataConfiguration& handler) {
  const std::lock_guard lock(mutex_);
  handlers_.push_back(handler);
}

bool Context::import(const std::string& name, unsigned index, double value) {
  if (!scores_.put(name, ScoreOrder::kFound, index, value)) return false;
  tell(name, index, value);
  return true;
}

// Handlers get late scores at the end.
void Context::receive(const std::string& name, ScoreOrder order, unsigned index, double value) {
  if (scores_.put(name, order, index, value) && order != ScoreOrder::kLate) tell(name, index, value);
}

// Without a worker the reader is told of the fault of its frame at once.
void Context::fail(int fault, Extent extent) noexcept {
  if (worker_ != nullptr) fault_ = fault;
  if (extent == Extent::kAll) end_ = fault;
}

bool Context::has(const std::string& name, unsigned index) const {
  return scores_.find(name, index).has_value();
}

void Context::tell(const std::string& name, unsigned index, double value) {
  std::vector<VmafMetadataConfiguration> handlers;
  {
    const std::lock_guard lock(mutex_);
    handlers = handlers_;
  }
  for (const VmafMetadataConfiguration& handler : handlers) {
    if (name != handler.feature_name) {
      predict_for(handler.feature_name, index);
      continue;
    }
    VmafMetadata metadata = {handler.feature_name, index, value};
    handler.callback(handler.data, &metadata);
  }
}

// Only if all inputs of the model are there and it has no score yet.
void Context::predict_for(const std::string& name, unsigned index) {
  std::shared_ptr<const ModelState> model;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& mounted : mounted_) {
      if (model == nullptr && mounted->name == name) model = mounted;
    }
  }
  if (model == nullptr || has(name, index)) return;
  std::vector<double> values;
  for (const std::string& input : model->inputs) {
    const std::optional<double> value = scores_.find_shown(input, index);
    if (!value) return;
    values.push_back(*value);
  }
  put_prediction(name, index, predict(*model, values));
}

double Context::put_prediction(const std::string& name, unsigned index, double value) {
  if (!scores_.put(name, ScoreOrder::kPredicted, index, value)) return *scores_.find(name, index);
  tell(name, index, value);
  return value;
}

bool Context::has_handlers() {
  const std::lock_guard lock(mutex_);
  return !handlers_.empty();
}

FrameWorker* Context::worker() {
  const std::lock_guard lock(mutex_);
  return worker_.get();
}

void Context::wait_for_all() {
  if (FrameWorker* const at_work = worker()) at_work->wait_for_all();
}

std::optional<double> Context::score(const std::string& name, unsigned index) {
  const std::optional<double> known = scores_.find(name, index);
  FrameWorker* const at_work = worker();
  if (known || at_work == nullptr) return known;
  at_work->wait([&] { return has(name, index); });
  return scores_.find(name, index);
}

std::optional<std::vector<double>> Context::inputs(const ModelState& model, unsigned index) {
  std::vector<double> values;
  for (const std::string& input : usable(model).inputs) {
    const std::optional<double> value = score(input, index);
    if (!value) {
      log(LogLevel::kError, words("frame {} has no {}, which {} is made of", index, input, model.name));
      return std::nullopt;
    }
    values.push_back(*value);
  }
  return values;
}

std::optional<double> Context::score(const ModelState& model, unsigned index) {
  if (const std::optional<double> known = scores_.find(model.name, index)) return known;
  const std::optional<std::vector<double>> values = inputs(model, index);
  if (!values) return std::nullopt;
  return put_prediction(model.name, index, predict(model, *values));
}

// The first reference counts, whatever becomes of it.
bool Context::fits(const VmafPicture& reference, const VmafPicture& distorted) {
  if (!holds_picture(reference) || !holds_picture(distorted)) {
    log(LogLevel::kError, "there is no picture to read");
    return false;
  }
  if (!is_valid(shape_)) shape_ = shape_of(reference);
  if (shape_of(reference) == shape_ && shape_of(distorted) == shape_) return true;
  log(LogLevel::kError, "a picture has another size, format or depth than the first reference");
  return false;
}

// Features registered since the last frame begin with this one.
void Context::prepare() {
  if (waiting_.empty()) return;
  if (!formats_) formats_ = {format_of(shape_, "distorted"), format_of(shape_, "reference")};
  std::vector<std::shared_ptr<Registration>> added;
  for (const auto& registration : waiting_) {
    if (!registration->is_prepared()) {
      registration->prepare(*formats_);
      if (!registration->refusal().empty()) log(LogLevel::kError, registration->refusal());
    }
    if (registration->refusal().empty()) added.push_back(registration);
  }
  if (!added.empty()) {
    if (pool_ == nullptr) start(added);
    add_groups(added);
  }
  waiting_.clear();
}

void Context::start(const std::vector<std::shared_ptr<Registration>>& added) {
  const auto requests = mapped(added, [](const auto& registration) { return registration->request(); });
  execution_ = choose_backend(environment_, limits_, requests, *formats_);
  pool_ = std::make_unique<WorkerPool>(limits_.threads);
  execution_.pool = pool_.get();
  if (threads_ == 0 && !is_on_device(execution_.backend)) return;
  const QueueLimits limits = {.frames = std::max<size_t>(4, 2 * size_t{threads_}),
                              .bytes = environment_.queue_bytes};
  try {
    auto made =
        std::make_unique<FrameWorker>([this](const std::shared_ptr<PairJob>& job) { advance(job); }, limits);
    const std::lock_guard lock(mutex_);
    worker_ = std::move(made);
  } catch (const std::system_error& error) {
    log(LogLevel::kWarning,
        words("no thread can be started ({}): frames are scored as they are read", error.what()));
  }
}

// Features that look at all frames are kept apart from those that do not.
void Context::add_groups(const std::vector<std::shared_ptr<Registration>>& added) {
  std::vector<std::shared_ptr<Registration>> of_all, of_some;
  for (const auto& registration : added)
    (subsample_ <= 1 || registration->looks_at_every_frame() ? of_all : of_some).push_back(registration);
  std::vector<std::unique_ptr<ExtractorGroup>> made;
  for (const auto& members : {of_all, of_some}) {
    if (!members.empty())
      made.push_back(std::make_unique<ExtractorGroup>(members, *formats_, execution_, *this));
  }
  for (const auto& group : made) {
    const BackendReport report = group->backend_report();
    log(environment_.backend.empty() ? LogLevel::kDebug : LogLevel::kInfo,
        words("{} runs on {} ({})", vmaf_version(), report.backend,
              report.device.empty() ? report.simd : report.device));
  }
  const std::lock_guard lock(groups_mutex_);
  for (auto& group : made) groups_.push_back(std::move(group));
}

// Why an extractor cannot score this frame; empty: it can.
std::string Context::refusal(const Registration& registration, unsigned index) const {
  if (!registration.refusal().empty()) return registration.refusal();
  if (registration.needs_previous() && index > 0 && references_before_.empty())
    return words("{}: no frame was read before frame {}", registration.key(), index);
  for (const auto& [name, order] : registration.scores()) {
    if (order == ScoreOrder::kFound && has(name, index))
      return words("{}: frame {} has a score already", registration.key(), index);
  }
  return {};
}

std::shared_ptr<PairJob> Context::make_job(const VmafPicture& reference, const VmafPicture& distorted,
                                           unsigned index) const {
  auto job = std::make_shared<PairJob>();
  job->index = index;
  job->bytes = 2 * bytes_of(shape_);
  FramePair& frames = job->frames;
  frames.index = static_cast<int64_t>(reads_);
  frames.distorted = frame_of(distorted);
  frames.reference = frame_of(reference);
  frames.distorted.index = frames.reference->index = frames.index;
  frames.distorted_before.assign(distorted_before_.begin(), distorted_before_.end());
  frames.references_before.assign(references_before_.begin(), references_before_.end());
  return job;
}

// If faults are not hidden, the first extractor that cannot score the frame ends the list, with an error.
int Context::choose_extractors(PairJob& job) const {
  for (const auto& registration : registrations_) {
    if (!counts(job.index) && !registration->looks_at_every_frame()) continue;
    const std::string why = refusal(*registration, job.index);
    if (why.empty()) {
      job.wanted.push_back(registration.get());
    } else if (!hides_faults_) {
      log(LogLevel::kError, why);
      return -EINVAL;
    }
  }
  return 0;
}

int Context::read(VmafPicture& reference, VmafPicture& distorted, unsigned index) {
  if (is_flushed_) return -EINVAL;
  if (end_ != 0) return end_;
  ++reads_;
  if (!fits(reference, distorted)) return -EINVAL;
  prepare();
  if (is_on_cuda(reference) || is_on_cuda(distorted)) {
    if (cuda_ == nullptr) return -EINVAL;  // of another context
    cuda_->synchronize();
  }
  // Whether it has scores is known once frames before it are done.
  if (!hides_faults_ && highest_ && index <= *highest_) wait_for_all();
  const std::shared_ptr<PairJob> job = make_job(reference, distorted, index);
  if (const int refused = choose_extractors(*job); refused != 0) {
    run(job);
    wait_for_all();
    return refused;
  }
  reserve_columns(*job);
  run(job);
  if (worker_ == nullptr && job->fault != 0) return job->fault;
  accept(*job);
  release(reference);
  release(distorted);
  return 0;
}

void Context::reserve_columns(const PairJob& job) {
  std::vector<const Registration*> ordered = job.wanted;
  if (hides_faults_) {
    std::stable_partition(ordered.begin(), ordered.end(),
                          [](const Registration* registration) { return registration->is_sequential(); });
  }
  for (const Registration* registration : ordered) {
    for (const auto& [name, order] : registration->scores()) scores_.reserve(name, order);
  }
}

void Context::accept(const PairJob& job) {
  for (const Registration* registration : job.wanted) {
    if (!contains(started_, registration)) started_.push_back(registration);
  }
  highest_ = std::max(highest_.value_or(0), job.index);
  keep_last(references_before_, *job.frames.reference);
  keep_last(distorted_before_, job.frames.distorted);
}

void Context::run(const std::shared_ptr<PairJob>& job) {
  if (worker_ == nullptr) {
    advance(job);
    return advance(nullptr);
  }
  worker_->add(job);
  // A caller that granted no threads is called back while reading.
  if (!hides_faults_ && has_handlers()) worker_->wait_for_all();
}

void Context::advance(const std::shared_ptr<PairJob>& job) noexcept {
  const int fault = guarded([&] {
    const std::lock_guard lock(groups_mutex_);
    for (const auto& group : groups_) {
      if (job == nullptr) {
        group->finish();
      } else if (group->is_wanted(*job)) {
        group->push(job);
      }
    }
  });
  if (fault == 0) return;
  if (job != nullptr) job->fault = fault;
  fail(fault, Extent::kAll);
}

int Context::flush() {
  if (is_flushed_) return -EINVAL;
  for (const auto& registration : registrations_) {
    const bool has_started = contains(started_, registration.get());
    if (has_started || hides_faults_) continue;
    log(LogLevel::kError, words("{} has scored no frame", registration->key()));
    return -EINVAL;
  }
  wait_for_all();
  is_flushed_ = true;
  for (const auto& registration : registrations_) {
    registration->finish(*this);
    for (const auto& [name, value] : registration->aggregates()) scores_.put_aggregate(name, value);
  }
  for (const ScoreStore::Score& late : scores_.show_late()) tell(late.name, late.index, late.value);
  if (end_ != 0) return end_;
  const int fault = fault_;
  return hides_faults_ && fault != -ENOMEM ? 0 : fault;
}

}  // namespace vq::libvmaf

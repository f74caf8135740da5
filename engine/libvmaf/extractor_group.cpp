#include "engine/libvmaf/context.h"

#include <system_error>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/model_features.h"
#include "feature/extractor.h"

namespace vq::libvmaf {

// Features that only this program has.
constexpr std::string_view kOwnFeatures[] = {"bounds", "fingerprint", "histogram"};
// These take only pictures of some depths.
constexpr std::string_view kOfFewDepths[] = {"ciede", "psnr"};
constexpr int kDepths[] = {8, 10, 12, 16};

const FeatureInfo* find_extractor(const std::string& name) {
  if (contains(kOwnFeatures, name)) return nullptr;
  const auto found = std::ranges::find(features(), name, &FeatureInfo::name);
  return found == features().end() ? nullptr : *found;
}

Registration::Registration(FeatureRequest request)
    : request_(std::move(request)), key_(model::instance_of(request_)) {}

void Registration::prepare(const VideoFormats& formats) {
  formats_ = formats;
  is_prepared_ = true;
  try {
    resolve(request_, formats_);
    check_request(request_, formats_);
    const int bits = formats_.distorted.bit_depth;
    if (contains(kOfFewDepths, request_.info->name) && !contains(kDepths, bits))
      throw Error(ErrorKind::kMismatch, "it takes no pictures of {} bits", bits);
    if (!frame_needs({&request_, 1}).before.noises.empty())
      throw usage_error("freezes are not found here, as pictures may come in any order");
    if (request_.heatmaps) {
      const std::string& folder = request_.options.get_text(request_.info->heatmap_option);
      heatmaps_ =
          std::make_unique<HeatmapWriter>(folder, request_.info->name, heatmaps_of(request_, formats_));
    }
  } catch (const Error& error) {
    refusal_ = words("{}: {}", request_.info->name, error.what());
    return;
  }
  for (const Metric& metric : metrics_of(request_)) {
    const bool is_late = metric.info != nullptr && metric.info->is_late;
    scores_.emplace_back(stored_name(metric.name), is_late ? ScoreOrder::kLate : ScoreOrder::kFound);
  }
  if (request_.info->make_sequence != nullptr) sequence_ = request_.info->make_sequence(request_.options);
}

bool Registration::looks_at_every_frame() const {
  return request_.info->neighbours != nullptr || request_.info->aggregates != nullptr;
}

bool Registration::needs_previous() const {
  return sequence_ != nullptr && frame_needs({&request_, 1}).before.references > 0;
}

void Registration::take(unsigned index, const FrameResult& result, Context& context) {
  if (context.has(scores_.front().first, index)) return;
  if (heatmaps_ != nullptr) heatmaps_->write(result.heatmaps);
  totals_.resize(std::max(totals_.size(), result.tallies.size()));
  for (size_t i = 0; i < result.tallies.size(); ++i) totals_[i] += result.tallies[i];
  if (sequence_ == nullptr) {
    for (size_t i = 0; i < scores_.size(); ++i)
      context.receive(scores_[i].first, scores_[i].second, index, result.values[i]);
    return;
  }
  const std::vector<std::optional<double>> known = sequence_->at_once(result, index);
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) context.receive(scores_[i].first, scores_[i].second, index, *known[i]);
  }
  if (index < next_) return;
  ahead_.try_emplace(index, result.without_pictures());
  for (auto first = ahead_.begin(); first != ahead_.end() && first->first == next_; first = ahead_.begin()) {
    complete(sequence_->next(first->second), context);
    ahead_.erase(first);
    ++next_;
  }
}

void Registration::complete(const std::vector<FrameValues>& frames, Context& context) {
  for (const FrameValues& values : frames) {
    for (size_t i = 0; i < scores_.size(); ++i)
      context.receive(scores_[i].first, scores_[i].second, complete_, values[i]);
    ++complete_;
  }
}

void Registration::finish(Context& context) {
  if (sequence_ != nullptr && next_ > 0) complete(sequence_->finish(), context);
}

std::vector<std::pair<std::string, double>> Registration::aggregates() const {
  if (request_.info->aggregates == nullptr || totals_.empty()) return {};
  return request_.info->aggregates(request_.options, formats_, totals_);
}

namespace {

std::vector<FeatureRequest> requests_of(const std::vector<std::shared_ptr<Registration>>& members) {
  return mapped(members, [](const auto& member) { return member->request(); });
}

Execution on_cpu(Execution execution) {
  execution.backend = Backend::kCpu;
  execution.devices = {};
  return execution;
}

// Features without device support run on the CPU.
Execution suited(const std::vector<FeatureRequest>& requests, const Execution& execution) {
  return left_to_host(requests, execution).size() == requests.size() ? on_cpu(execution) : execution;
}

// Keeps what one feature finds in one frame.
class OneResult final : public ScoreSink {
 public:
  void scored(const FrameScores& scores) override {
    const FrameResult& found = scores.results.front();
    result = found.without_pictures();
    for (const Plane<uint16_t>& map : found.heatmaps) result.heatmaps.push_back(copy_plane(map.view()));
  }
  FrameResult result;
};

}  // namespace

ExtractorGroup::ExtractorGroup(std::vector<std::shared_ptr<Registration>> members,
                               const VideoFormats& formats, const Execution& execution, Context& context)
    : members_(std::move(members)),
      requests_(requests_of(members_)),
      needs_(frame_needs(requests_)),
      formats_(formats),
      execution_(suited(requests_, execution)),
      context_(context),
      extractor_(make()) {}

std::unique_ptr<FeatureExtractor> ExtractorGroup::make() {
  auto extractor = make_extractor(requests_, formats_, execution_);
  if (!is_on_device(execution_.backend)) return extractor;
  Fallback fallback;
  fallback.on_fallback = [this](const std::string& reason) {
    log(LogLevel::kWarning, words("{}; the CPU goes on", reason));
    execution_ = on_cpu(execution_);
  };
  fallback.make = [this] { return make_extractor(requests_, formats_, execution_); };
  return with_fallback(std::move(extractor), std::move(fallback));
}

bool ExtractorGroup::is_wanted(const PairJob& job) const {
  const auto is_one = [&](const std::shared_ptr<Registration>& member) { return job.wants(member.get()); };
  return std::ranges::any_of(members_, is_one);
}

FramePair ExtractorGroup::frames_for(const PairJob& job, Backend backend) const {
  FramePair frames = job.frames;
  const auto keep = [](std::vector<Frame>& before, int count) {
    before.resize(std::min(before.size(), static_cast<size_t>(count)));
  };
  keep(frames.distorted_before, needs_.before.distorted);
  keep(frames.references_before, needs_.before.references);
  if (is_on_device(backend)) return frames;
  for (Frame* const frame : {&frames.distorted, &*frames.reference}) *frame = on_host(*frame);
  for (auto* const before : {&frames.distorted_before, &frames.references_before}) {
    for (Frame& frame : *before) frame = on_host(frame);
  }
  return frames;
}

void ExtractorGroup::push(const std::shared_ptr<PairJob>& job) noexcept {
  int fault = fault_;
  if (fault == 0) {
    fault = guarded([&] { pending_.push_back(job); });
  }
  if (fault != 0) return fail(*job, fault);
  attempt([&] { extractor_->push(frames_for(*job, execution_.backend), *this); });
}

void ExtractorGroup::finish() noexcept {
  if (fault_ == 0) attempt([&] { extractor_->finish(*this); });
}

BackendReport ExtractorGroup::backend_report() const {
  return extractor_ ? extractor_->backend_report() : BackendReport();
}

// The extractor knows nothing of what becomes of its results.
void ExtractorGroup::scored(const FrameScores& scores) {
  const std::shared_ptr<PairJob> job = std::move(pending_.front());
  pending_.pop_front();
  for (size_t i = 0; i < members_.size(); ++i) {
    if (job->wants(members_[i].get())) take(i, *job, scores.results[i]);
  }
}

void ExtractorGroup::take(size_t member, PairJob& job, const FrameResult& result) {
  const int fault = guarded([&] { members_[member]->take(job.index, result, context_); });
  if (fault != 0) fail(job, fault);
}

// An extractor that has thrown is of no use any more.
template <typename Step>
void ExtractorGroup::attempt(Step step) noexcept {
  try {
    step();
    return;
  } catch (...) {
    fault_of_exception();
  }
  try {
    recover();
  } catch (...) {
    fault_ = fault_of_exception();
    context_.fail(fault_, Context::Extent::kAll);
    extractor_.reset();
    for (const std::shared_ptr<PairJob>& job : pending_) fail(*job, fault_);
    pending_.clear();
  }
}

// Which of the frames under way has failed is not known, so each is scored by itself.
void ExtractorGroup::recover() {
  extractor_.reset();  // before another takes its memory
  for (; !pending_.empty(); pending_.pop_front()) score_apart(*pending_.front());
  extractor_ = make();
}

void ExtractorGroup::score_apart(PairJob& job) {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!job.wants(members_[i].get())) continue;
    OneResult one;
    const int fault = guarded([&] {
      const auto extractor = make_extractor({&requests_[i], 1}, formats_, on_cpu(execution_));
      extractor->push(frames_for(job, Backend::kCpu), one);
      extractor->finish(one);
    });
    fault == 0 ? take(i, job, one.result) : fail(job, fault);
  }
}

void ExtractorGroup::fail(PairJob& job, int fault) noexcept {
  job.fault = fault;
  context_.fail(fault, Context::Extent::kFrame);
}

static bool write_map(std::ofstream& file, PlaneView<const uint16_t> map) {
  std::string row(static_cast<size_t>(map.width) * 2, '\0');
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const auto at = static_cast<size_t>(x) * 2;
      row[at] = static_cast<char>(map.row(y)[x] & 0xFF);
      row[at + 1] = static_cast<char>(map.row(y)[x] >> 8);
    }
    file.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
  return file.flush().good();
}

HeatmapWriter::HeatmapWriter(const std::string& folder, std::string_view feature,
                             std::span<const HeatmapInfo> infos) {
  std::error_code failure;
  std::filesystem::create_directories(path_of(folder), failure);  // then files cannot be opened
  for (const HeatmapInfo& info : infos) {
    File& added = files_.emplace_back();
    added.path = words("{}/{}", folder, heatmap_file_name(feature, info));
    added.file.open(path_of(added.path), std::ios::binary);
    if (!added.file) throw Error(ErrorKind::kOutput, "cannot write {}: {}", added.path, errno_text(errno));
  }
}

void HeatmapWriter::write(std::span<const Plane<uint16_t>> maps) {
  for (size_t i = 0; i < files_.size() && i < maps.size(); ++i) {
    if (write_map(files_[i].file, maps[i].view())) continue;
    log(LogLevel::kError, words("cannot write {}: {}", files_[i].path, errno_text(errno)));
    files_.clear();
  }
}

FrameWorker::FrameWorker(Step step, const QueueLimits& limits)
    : step_(std::move(step)), limits_(limits), thread_([this] { work(); }) {}

FrameWorker::~FrameWorker() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

bool FrameWorker::is_full() const {
  constexpr size_t kLeast = 3;
  return queue_.size() >= kLeast && (queue_.size() >= limits_.frames || bytes_ >= limits_.bytes);
}

void FrameWorker::add(std::shared_ptr<PairJob> job) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_full(); });
    bytes_ += job->bytes;
    queue_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void FrameWorker::wait(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_idle() || condition(); });
  --waiting_;
}

// Frames under way are brought to an end only while a caller waits.
void FrameWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stops_ || !queue_.empty() || (waiting_ > 0 && has_begun_); });
    if (stops_) return;
    std::shared_ptr<PairJob> job;
    if (!queue_.empty()) {
      job = std::move(queue_.front());
      queue_.pop_front();
      bytes_ -= job->bytes;
    }
    is_busy_ = true;
    lock.unlock();
    changed_.notify_all();
    step_(job);
    const bool had_job = job != nullptr;
    job.reset();
    lock.lock();
    has_begun_ = had_job;
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace vq::libvmaf

#include "engine/c_api/context.h"

#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/models/catalogue.h"
#include "engine/report/statistic.h"
#include "engine/report/threshold.h"
#include "feature/extractor.h"

namespace vq::c_api {

static Error usage(const std::string& message) { return {ErrorKind::kUsage, message}; }

static void check_same(const VideoFormat& first, const VideoFormat& now) {
  if (first.size() == now.size() && first.bit_depth == now.bit_depth && first.chroma == now.chroma) return;
  throw Error(ErrorKind::kMismatch, "{} began with {}, {} bits, {} and goes on with {}, {} bits, {}",
              first.name, size_text(first), first.bit_depth, to_string(first.chroma), size_text(now),
              now.bit_depth, to_string(now.chroma));
}

// Number of planes of which frames are made for a video. Luma in another matrix is made of all.
static int planes_of(const Settled& settled, const FrameNeeds& needs) {
  const auto mixes_planes = [](const FeatureRequest& request) {
    return request.fitting && (request.fitting->matrix || request.fitting->ycbcr);
  };
  return std::ranges::any_of(settled.features, mixes_planes) ? kMaxPlanes : needs.planes;
}

static void check_features(const Settled& settled) {
  for (size_t i = 0; i < settled.features.size(); ++i) {
    try {
      check_request(settled.features[i], settled.formats);
    } catch (const Error& error) {
      throw Error(error.kind(), refusal_text(settled.models, i, *settled.features[i].info, error.what()));
    }
  }
}

HistogramRecorder::HistogramRecorder(const std::vector<FeatureRequest>& features,
                                     const VideoFormats& formats) {
  for (size_t i = 0; i < features.size(); ++i) {
    if (!features[i].histograms) continue;
    const std::vector<HistogramInfo> infos = histograms_of(features[i], formats);
    for (size_t k = 0; k < infos.size(); ++k)
      channels_.push_back({.name = infos[k].name, .feature = i, .place = k, .rows = {}});
  }
}

void HistogramRecorder::found(const FrameScores& scores) {
  if (!scores.is_reported) return;
  const std::lock_guard lock(mutex_);
  for (Channel& channel : channels_)
    channel.rows.push_back(scores.results[channel.feature].histograms.at(channel.place));
}

const std::vector<uint32_t>* HistogramRecorder::find(const std::string& name, int64_t row) const {
  const std::lock_guard lock(mutex_);
  for (const Channel& channel : channels_) {
    if (channel.name != name) continue;
    return row < static_cast<int64_t>(channel.rows.size()) ? &channel.rows[static_cast<size_t>(row)]
                                                           : nullptr;
  }
  throw NotFound(words("no feature has a histogram of \"{}\"", printable(name)));
}

Run::Run(std::shared_ptr<Context> context, const CambiRunOptions& options)
    : context_(std::move(context)), threads_(context_->threads()), options_(options) {
  if (options.subsample < 0) throw usage(words("subsample is {}; it is 0 or more", options.subsample));
  if (!(options.frame_rate >= 0)) throw usage("frame_rate is not 0 or more");
  request_.no_prediction = options.no_prediction != 0;
  request_.as_stored = options.as_stored != 0;
}

Run::Run(ParsedReport read)
    : options_(),
      finished_(true),
      read_style_(read.style),
      table_(std::move(read.report)),
      is_over_(true),
      is_complete_(true) {
  const InputFacts* const video = distorted_input(table_);
  pushed_ = video != nullptr ? video->frames : table_.frames.back() + 1;
  for (const TextSeries& text : table_.texts)
    words_.push_back({text.name, {text.values.begin(), text.values.end()}});
  const RunFacts& run = table_.run;
  add_faults(std::exchange(table_.run.pair_faults, {}));
  for (const std::string& note : run.notes) remarks_.push_back({CAMBI_LOG_NOTE, note});
  for (const std::string& warning : run.warnings) remarks_.push_back({CAMBI_LOG_WARNING, warning});
}

// A cancelled run gives back what it holds before it says so.
void Run::refuse_if_stopped() {
  if (!stopped_) return;
  release_work();
  throw Stopped();
}

void Run::check_open() {
  refuse_if_stopped();
  if (failed_) throw usage("the run has failed before");
  if (finished_) throw usage("the run is finished");
}

void Run::add_feature(const char* spec) {
  check_open();
  if (work_) throw usage("frames were pushed already");
  Request request = request_;
  request.asked_features.push_back(parse_feature_spec(text_of(spec, "feature")));
  selection_ = select(request);
  request_ = std::move(request);
}

void Run::add_model(const char* spec) {
  check_open();
  if (work_) throw usage("frames were pushed already");
  Request request = request_;
  for (model::ModelSpec& one : model::parse_model_specs(text_of(spec, "model")))
    request.model_specs.push_back(std::move(one));
  selection_ = select(request);
  request_ = std::move(request);
}

void Run::remark(CambiLogLevel level, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    remarks_.push_back({level, text});
  }
  context_->log(level, text);
}

// Faults in a report that was read are among its warnings.
void Run::add_faults(std::vector<PairFault> faults) {
  for (PairFault& fault : faults) {
    if (!read_style_) remark(CAMBI_LOG_WARNING, fault.diagnostic.text);
    Fault added{.text = fault.diagnostic.text, .frames = {}};
    for (const FrameSpan& span : fault.frames)
      added.frames.insert(added.frames.end(), {span.first, span.end - 1});
    const std::lock_guard lock(mutex_);
    std::vector<PairFault>& known = table_.run.pair_faults;
    known.reserve(known.size() + 1);  // so that both lists grow or neither
    faults_.push_back(std::move(added));
    known.push_back(std::move(fault));
  }
}

void Run::begin(const VideoFormats& formats) {
  if (selection_.features.empty()) throw usage("the run has neither features nor models");
  KnownVideos known{.formats = formats, .display = formats.reference};
  known.formats.distorted.frame_rate = options_.frame_rate;
  if (options_.frame_rate > 0) known.reference_rate = options_.frame_rate;
  auto work = std::make_unique<Work>();
  work->settled = settle(request_, selection_, known);
  Settled& settled = work->settled;
  work->needs = frame_needs(settled.features);
  if (work->needs.reference && !formats.reference) throw usage("a feature needs a reference, which is null");
  check_features(settled);
  if (options_.histograms != 0) {
    for (FeatureRequest& feature : settled.features) feature.histograms = feature.info->histograms != nullptr;
    work->histograms = std::make_unique<HistogramRecorder>(settled.features, settled.formats);
  }
  work->places = report_places(settled.features, settled.models);
  work->before.emplace(work->needs.before);
  // Pictures are on the host, whatever the backend.
  if (any_compares(settled.features))
    work->watch = std::make_unique<PairWatch>(settled.formats, Execution{}, Skips{});
  std::vector<Metric> metrics = report_metrics(settled.features, settled.models);
  std::deque<Words> words;
  for (const FeatureRequest& feature : settled.features) {
    if (feature.info->text_names == nullptr) continue;
    for (const std::string& name : feature.info->text_names(feature.options)) words.push_back({name, {}});
  }
  start_evaluator(*work);
  const std::lock_guard lock(mutex_);
  table_.width = settled.formats.distorted.width;
  table_.height = settled.formats.distorted.height;
  table_.metrics = std::move(metrics);
  words_ = std::move(words);
  work_ = std::move(work);
  begun_ = std::chrono::steady_clock::now();
}

// Notes worth knowing about the formats.
void Run::note_settled(bool locations_differ) {
  const Settled& settled = work_->settled;
  for (const auto* lines : {&settled.chosen, &settled.fitted_for, &settled.resolved}) {
    for (const std::string& line : *lines) remark(CAMBI_LOG_NOTE, line);
  }
  std::set<std::string> warnings(settled.warnings.begin(), settled.warnings.end());
  for (const Diagnostic& diagnostic : settled.remarks) warnings.insert(diagnostic.text);
  for (const auto& [info, contradiction] : settled.contradictions) warnings.insert(contradiction.text);
  if (locations_differ && work_->needs.planes > 1) {
    warnings.insert(
        "the chroma samples of the two pictures lie at different places, so metrics of chroma compare "
        "shifted samples");
  }
  for (const std::string& warning : warnings) remark(CAMBI_LOG_WARNING, warning);
  if (any_compares(settled.features)) {
    PairHeaders headers;
    headers.distorted.format = settled.formats.distorted;
    headers.reference.format = *settled.formats.reference;
    headers.is_as_stored = request_.as_stored;
    add_faults(header_faults(headers));
  }
}

void Run::start_evaluator(Work& work) {
  const BackendChoice choice = context_->choose(work.settled.features);
  for (const Diagnostic& diagnostic : choice.remarks) remark(CAMBI_LOG_NOTE, diagnostic.text);
  const RunContext how{
      .execution = {.backend = choice.backend, .pool = &context_->pool(), .devices = choice.devices},
      .may_use_cpu = choice.may_fall_back,
      .on_takeover = [this](const std::string& reason, const std::string& successor) {
        remark(CAMBI_LOG_WARNING, words("{}; {} goes on", reason, successor));
      }};
  std::vector<EvaluationObserver*> observers;
  if (work.histograms) observers.push_back(work.histograms.get());
  work.evaluator = std::make_unique<Evaluator>(work.settled.features, work.settled.models,
                                               work.settled.formats, how, observers);
}

void Run::push(const CambiPicture& distorted, const CambiPicture* reference,
               std::shared_ptr<const PictureOwner> distorted_owner,
               std::shared_ptr<const PictureOwner> reference_owner) {
  check_open();
  VideoFormats formats{.distorted = format_of(distorted, "distorted"), .reference = {}};
  if (reference != nullptr) formats.reference = format_of(*reference, "reference");
  if (!work_) begin(formats);
  const VideoFormats& settled = work_->settled.formats;
  check_same(settled.distorted, formats.distorted);
  if (settled.reference.has_value() != formats.reference.has_value())
    throw usage("every frame has a reference, or none has");
  if (reference != nullptr) check_same(*settled.reference, *formats.reference);
  const int planes = planes_of(work_->settled, work_->needs);
  FramePair pair{.distorted = frame_of(distorted, formats.distorted, planes, std::move(distorted_owner)),
                 .reference = {}};
  if (work_->needs.reference)
    pair.reference = frame_of(*reference, *formats.reference, planes, std::move(reference_owner));
  {
    const std::lock_guard lock(mutex_);
    pair.index = pushed_++;
  }
  pair.is_reported = pair.index % std::max<int64_t>(1, options_.subsample) == 0;
  pair.distorted.index = pair.index;
  if (pair.reference) pair.reference->index = pair.index;
  try {
    if (pair.index == 0)
      note_settled(reference != nullptr && distorted.chroma_location != reference->chroma_location);
    evaluate(pair);
    take_scores();
  } catch (...) {
    failed_ = true;
    take_scores();
    throw;
  }
  refuse_if_stopped();
}

void Run::evaluate(FramePair& pair) {
  if (work_->watch) {
    work_->watch->look(pair);
    add_faults(work_->watch->take_faults(false));
  }
  const auto& features = work_->settled.features;
  if (!pair.is_reported && std::ranges::none_of(features, needs_every_frame)) return;
  if (options_.skip_unchanged != 0) {
    work_->repeats.mark(pair.distorted);
    if (pair.reference) work_->reference_repeats.mark(*pair.reference);
  }
  work_->before->give(pair);
  work_->evaluator->push(pair);
}

void Run::finish() {
  refuse_if_stopped();
  if (finished_) throw usage("the run is finished");
  if (!work_) throw usage("no frame was pushed");
  finished_ = true;
  std::exception_ptr failure;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      failed_ = true;
      if (!failure) failure = std::current_exception();
    }
  };
  attempt([&] { work_->evaluator->finish(); });
  attempt([&] {
    if (work_->watch) add_faults(work_->watch->take_faults(true));
  });
  attempt([&] { take_scores(); });
  release_work();
  if (failure) std::rethrow_exception(failure);
}

// Scores alone are left, and what computed them is free: memory, and threads if the context is closed.
void Run::release_work() {
  if (work_) {
    work_->evaluator.reset();
    work_->before.reset();
    work_->watch.reset();
    work_->repeats = {};
    work_->reference_repeats = {};
  }
  context_.reset();
}

// Copies the rows that are complete by now, so that reading them waits for no frame.
void Run::take_scores() {
  const Evaluator& evaluator = *work_->evaluator;
  const std::lock_guard lock(mutex_);
  is_over_ = finished_ || failed_;
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  while (static_cast<int64_t>(table_.frames.size()) < evaluator.scored()) take_row(evaluator);
  if (finished_) {
    Report all;
    evaluator.fill(all);
    table_.aggregates = std::move(all.aggregates);
  }
  BackendReport& backend = table_.run;
  backend = evaluator.backend_report();
  backend.stages.clear();  // reports have none
  backend.bytes_uploaded = backend.bytes_read = 0;
  is_complete_ = finished_ && !failed_;
}

// All of the next row or nothing.
void Run::take_row(const Evaluator& evaluator) {
  const size_t rows = table_.frames.size();
  try {
    ScoredRow scored = evaluator.row(static_cast<int64_t>(rows));
    table_.timestamps.push_back(scored.timestamp);
    for (size_t i = 0; i < table_.metrics.size(); ++i)
      table_.metrics[i].values.push_back(scored.metrics[i].second);
    for (size_t i = 0; i < words_.size(); ++i) words_[i].rows.push_back(std::move(scored.texts[i].second));
    table_.frames.push_back(scored.frame);
  } catch (...) {
    table_.timestamps.resize(rows);
    for (Metric& metric : table_.metrics) metric.values.resize(rows);
    for (Words& words : words_) words.rows.resize(rows);
    throw;
  }
}

std::pair<int64_t, int64_t> Run::progress() const {
  const std::lock_guard lock(mutex_);
  return {pushed_, static_cast<int64_t>(table_.frames.size())};
}

void Run::check_rows(int64_t first, int64_t count) const {
  const auto rows = static_cast<int64_t>(table_.frames.size());
  if (first >= 0 && count >= 0 && first <= rows && count <= rows - first) return;
  throw NotFound(words("rows {} to {} are not all there; {} are scored", first, first + count - 1, rows));
}

void Run::frames(int64_t first, int64_t count, int64_t* frames) const {
  const std::lock_guard lock(mutex_);
  check_rows(first, count);
  std::copy_n(table_.frames.begin() + first, count, frames);
}

CambiMetric Run::metric(size_t index) const {
  const std::lock_guard lock(mutex_);
  if (index >= table_.metrics.size()) throw NotFound(words("there is no metric {}", index));
  const Metric& metric = table_.metrics[index];
  const MetricInfo& info = metric_info(metric);
  CambiMetric facts = {};
  // Views of the catalogue's literals, which end with a zero.
  facts.name = metric.name.c_str();
  const auto text = [](std::string_view view) { return view.empty() ? "" : view.data(); };
  facts.title = text(info.title);
  facts.subject = text(info.subject);
  facts.unit = text(info.unit);
  facts.better = info.better == Better::kHigher  ? CAMBI_HIGHER_IS_BETTER
                 : info.better == Better::kLower ? CAMBI_LOWER_IS_BETTER
                                                 : CAMBI_NEITHER_IS_BETTER;
  facts.has_noteworthy = info.noteworthy.has_value();
  facts.noteworthy = info.noteworthy.value_or(0);
  facts.noteworthy_meaning = text(info.noteworthy_meaning);
  facts.is_inner = metric.is_inner;
  return facts;
}

const Metric& Run::column(const char* metric) const {
  const std::string name = text_of(metric, "metric");
  const std::optional<size_t> place = find_named(table_.metrics, name);
  if (!place) throw NotFound(words("the run has no metric \"{}\"", printable(name)));
  return table_.metrics[*place];
}

std::optional<size_t> Run::row_of(int64_t frame) const {
  const auto found = std::ranges::lower_bound(table_.frames, frame);
  if (found != table_.frames.end() && *found == frame)
    return static_cast<size_t>(found - table_.frames.begin());
  const bool is_counted = frame >= 0 && frame % std::max<int64_t>(1, options_.subsample) == 0;
  if (!is_counted || is_over_) throw NotFound(words("frame {} is not scored", frame));
  if (stopped_) throw Stopped();
  return std::nullopt;
}

std::optional<double> Run::score(const char* metric, int64_t frame) const {
  const std::lock_guard lock(mutex_);
  const Metric& scores = column(metric);
  const std::optional<size_t> row = row_of(frame);
  return row ? std::optional(scores.values[*row]) : std::nullopt;
}

void Run::scores(const char* metric, int64_t first, int64_t count, double* scores) const {
  const std::lock_guard lock(mutex_);
  const Metric& all = column(metric);
  check_rows(first, count);
  std::copy_n(all.values.begin() + first, count, scores);
}

double Run::statistic(const char* metric, const char* statistic, int64_t first, int64_t last) const {
  const Statistic which = parse_statistic(text_of(statistic, "statistic"), "statistic");
  const std::lock_guard lock(mutex_);
  const Metric& all = column(metric);
  const int64_t end = last < 0 ? static_cast<int64_t>(all.values.size()) : last + 1;
  check_rows(first, end - first);
  if (end == first) throw NotFound("no rows are scored");
  return statistic_of(
      {.name = all.name, .values = {all.values.begin() + first, all.values.begin() + end}, .info = all.info},
      which);
}

const char* Run::text(const char* name, int64_t frame) const {
  const std::lock_guard lock(mutex_);
  const std::string wanted = text_of(name, "name");
  for (const Words& words : words_) {
    if (words.name != wanted) continue;
    const std::optional<size_t> row = row_of(frame);
    return row ? words.rows[*row].c_str() : nullptr;
  }
  throw NotFound(words("the run has no text \"{}\"", printable(wanted)));
}

const std::vector<uint32_t>* Run::histogram(const char* channel, int64_t frame) const {
  const std::lock_guard lock(mutex_);
  if (!work_ || !work_->histograms) throw usage("histograms were not asked for, or no frame was pushed");
  const std::optional<size_t> row = row_of(frame);
  const auto* bins =
      work_->histograms->find(text_of(channel, "channel"), row ? static_cast<int64_t>(*row) : 0);
  return row ? bins : nullptr;
}

double Run::aggregate(const char* name) const {
  const std::lock_guard lock(mutex_);
  const std::string wanted = text_of(name, "name");
  for (const auto& [known, value] : table_.aggregates) {
    if (known == wanted) return value;
  }
  throw NotFound(words("the run has no figure \"{}\", or is not finished", printable(wanted)));
}

ThresholdFacts Run::threshold(const char* text) const {
  const std::string words = text_of(text, "threshold");
  const bool is_below = words.find('<') != std::string::npos;
  const std::vector thresholds = {
      parse_threshold(words, is_below ? ThresholdSide::kBelow : ThresholdSide::kAbove)};
  check_baseline_use(thresholds, false);
  const std::lock_guard lock(mutex_);
  if (table_.frames.empty()) throw NotFound("no rows are scored");
  return judge(thresholds, table_).front();
}

CambiPairFault Run::pair_fault(size_t index) const {
  const std::lock_guard lock(mutex_);
  if (index >= faults_.size()) throw NotFound(words("there is no fault {}", index));
  const PairFault& fault = table_.run.pair_faults[index];
  CambiPairFault facts = {};
  facts.kind = to_string(fault.kind).data();  // a literal
  facts.text = faults_[index].text.c_str();
  facts.is_certain = fault.is_certain;
  facts.frames = faults_[index].frames.data();
  facts.stretches = fault.frames.size();
  return facts;
}

std::pair<CambiLogLevel, const char*> Run::remark(size_t index) const {
  const std::lock_guard lock(mutex_);
  if (index >= remarks_.size()) throw NotFound(words("there is no remark {}", index));
  return {remarks_[index].level, remarks_[index].text.c_str()};
}

CambiBackend Run::backend() const {
  const std::lock_guard lock(mutex_);
  if (!work_ && !read_style_) throw usage("no frame was pushed");
  const BackendReport& backend = table_.run;
  CambiBackend facts = {};
  facts.backend = backend.backend.c_str();
  facts.simd = backend.simd.c_str();
  facts.device = backend.device.c_str();
  facts.driver = backend.driver.c_str();
  facts.repeated_frames = backend.repeated_frames;
  facts.certificate = backend.certificate.c_str();
  return facts;
}

Report Run::report() const {
  const std::lock_guard lock(mutex_);
  if (read_style_) return table_;
  if (!work_) throw usage("no frame was pushed");
  const Settled& settled = work_->settled;
  Report report = table_;
  report.version = version();
  report.fps = static_cast<double>(report.frames.size()) / std::max(seconds_, 1e-6);
  for (const Words& words : words_)
    report.texts.push_back({words.name, {words.rows.begin(), words.rows.end()}});
  RunFacts& run = report.run;
  std::vector<PairFault> faults = std::move(run.pair_faults);
  run = run_facts(settled.features, settled.formats, run);
  run.pair_faults = std::move(faults);
  const VideoFormats& formats = settled.formats;
  run.inputs = {input_facts(formats.distorted.name, formats.distorted, pushed_)};
  if (formats.reference)
    run.inputs.push_back(input_facts(formats.reference->name, *formats.reference, pushed_));
  const std::optional<double> rate =
      options_.frame_rate > 0 ? std::optional(options_.frame_rate) : std::nullopt;
  run.models = model_facts(settled.models, settled.features, settled.formats, rate);
  run.threads = threads_;
  run.wall_seconds = seconds_;
  run.complete = is_complete_;
  run.subsample = std::max<int64_t>(1, options_.subsample);
  for (const Remark& remark : remarks_)
    (remark.level == CAMBI_LOG_NOTE ? run.notes : run.warnings).push_back(remark.text);
  return report;
}

}  // namespace vq::c_api

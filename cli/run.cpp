#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "cli/interrupt.h"
#include "cli/memory_limit.h"
#include "cli/output_path.h"
#include "cli/pair_reader.h"
#include "cli/progress.h"
#include "cli/scorer.h"
#include "cli/summary.h"
#include "core/error.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string mebibytes(int64_t bytes) {
  return std::to_string(bytes / (1 << 20)) + " MiB";
}

bool is_standard_input(const std::string& path) {
  return path == "-" || path == "/dev/stdin";
}

class Run {
 public:
  Run(const Arguments& arguments, Messages& messages) : arguments_(arguments), messages_(messages) {
    start_ = seconds_now();
    threads_ = arguments.threads > 0 ? arguments.threads
                                     : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  int score() {
    check_outputs();
    open_inputs();
    pool_ = std::make_unique<WorkerPool>(threads_);
    if (pool_->size() < threads_) {
      messages_.warn("the system gave " + std::to_string(pool_->size()) + " of " + std::to_string(threads_) +
                     " threads");
    }
    check_memory();
    scorer_ = std::make_unique<Scorer>(arguments_.features, formats_, execution());
    start_progress();
    try {
      score_frames();
    } catch (const Error& error) {
      progress_->finish();
      end_early();
      throw;
    }
    progress_->finish();
    take_warnings();
    if (interrupt_signal() != 0) return end_interrupted();
    if (scorer_->scored() == 0) throw Error(ErrorKind::kInput, nothing_scored());
    check_lengths();
    write_reports();
    return 0;
  }

 private:
  // Everything about the outputs that can be known before the first frame.
  void check_outputs() const {
    const auto input_name = [](const std::string& path) {
      return path == "-" ? std::string("/dev/stdin") : path;
    };
    for (size_t i = 0; i < arguments_.outputs.size(); ++i) {
      const std::string& path = arguments_.outputs[i].path;
      for (const std::string* input :
           {&arguments_.distorted, arguments_.reference ? &*arguments_.reference : nullptr}) {
        if (input != nullptr && same_file(path, input_name(*input))) {
          throw Error(ErrorKind::kUsage,
                      "the output " + path + " is the same file as the input " + *input + ".");
        }
      }
      for (size_t j = 0; j < i; ++j) {
        if (same_file(path, arguments_.outputs[j].path)) {
          throw Error(ErrorKind::kUsage,
                      "the outputs " + arguments_.outputs[j].path + " and " + path + " are the same file.");
        }
      }
      check_writable(path);
    }
    if (arguments_.reference && is_standard_input(arguments_.distorted) &&
        is_standard_input(*arguments_.reference)) {
      throw Error(ErrorKind::kUsage, "both videos are standard input; only one can be.");
    }
  }

  std::unique_ptr<FrameQueue> open(const std::string& path, int64_t skip) {
    SourceOptions options;
    options.path = path;
    options.raw = arguments_.raw;
    options.threads = threads_;
    options.stream = arguments_.stream;
    options.allow_damage = arguments_.allow_damage;
    return std::make_unique<FrameQueue>(
        options, FrameQueueLimits{static_cast<size_t>(queue_capacity()), skip, frames_to_read(arguments_)});
  }
  int queue_capacity() const { return std::min(threads_, 4); }

  void open_inputs() {
    std::unique_ptr<FrameQueue> distorted = open(arguments_.distorted, arguments_.skip_distorted);
    formats_.distorted = describe(distorted->info());
    std::unique_ptr<FrameQueue> reference;
    if (arguments_.reference) {
      reference = open(*arguments_.reference, arguments_.skip_reference);
      formats_.reference = describe(reference->info());
      const VideoFormat &d = formats_.distorted, &r = *formats_.reference;
      if ((d.width != r.width || d.height != r.height) && !arguments_.quiet) {
        messages_.note(r.name + " is " + std::to_string(r.width) + "x" + std::to_string(r.height) + " and " +
                       d.name + " is " + std::to_string(d.width) + "x" + std::to_string(d.height) +
                       "; each is scored at its own size.");
      }
    }
    reader_ = std::make_unique<PairReader>(std::move(distorted), std::move(reference), arguments_,
                                           [] { return interrupt_signal() != 0; });
    for (const FeatureRequest& request : arguments_.features) {
      for (const std::string& line : request.info->advice(request.options, formats_)) messages_.warn(line);
    }
  }

  VideoFormat describe(const VideoInfo& info) {
    VideoFormat format = info.format;
    format.name = info.path;
    if (format.range == Range::kFull) {
      messages_.warn(info.path + " is full range; CAMBI's thresholds assume limited range.");
    }
    if (info.interlaced) messages_.warn(info.path + " is interlaced; frames are scored as they are.");
    if (format.transfer == Transfer::kPq && !uses_pq()) {
      messages_.warn(info.path + " is PQ, but visibility is that of BT.1886. Try --eotf pq.");
    }
    return format;
  }

  bool uses_pq() const {
    return std::all_of(arguments_.features.begin(), arguments_.features.end(),
                       [](const FeatureRequest& request) {
                         for (const std::string& name : request.info->metric_names(request.options)) {
                           if (name.find("_pq") != std::string::npos) return true;
                         }
                         return false;
                       });
  }

  Execution execution() const {
    return {.backend = arguments_.backend.value_or(Backend::kCpu), .pool = pool_.get(), .heatmaps = false};
  }

  void check_memory() const {
    const int64_t limit = arguments_.max_memory > 0 ? arguments_.max_memory : default_memory_limit();
    // Frames read ahead, in flight, and the one that is being read.
    const int64_t queued = queue_capacity() + 2 * threads_ + 1;
    int64_t estimate = decoding_bytes(reader_->distorted().info(), queued, threads_);
    if (reader_->reference()) estimate += decoding_bytes(reader_->reference()->info(), queued, threads_);
    for (const FeatureRequest& request : arguments_.features) {
      estimate += request.info->memory_bytes(request.options, formats_, execution());
    }
    if (estimate <= limit) return;
    throw Error(ErrorKind::kResource, "this run may need " + mebibytes(estimate) +
                                          " of memory; the limit is " + mebibytes(limit) +
                                          ". Try fewer --threads or a larger --max-memory.");
  }

  void start_progress() {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    ProgressSettings settings;
    settings.form = resolve_progress_form(arguments_.progress, terminal, arguments_.quiet);
    settings.total = reader_->expected_frames();
    settings.colour = wants_colour(terminal, std::getenv("NO_COLOR"), std::getenv("TERM"));
    progress_ = std::make_unique<Progress>(settings, ProgressPort{seconds_now, write_stderr, terminal_width});
  }

  void score_frames() {
    while (const std::optional<FramePair> pair = reader_->next()) {
      take_warnings();
      scorer_->push(*pair);
      show_progress();
    }
    scorer_->finish();
    show_progress();
  }

  void show_progress() {
    for (; shown_ < scorer_->scored(); ++shown_) progress_->frame(scorer_->score_at(shown_));
  }

  void take_warnings() {
    std::vector<std::string> lines = reader_->distorted().take_warnings();
    if (reader_->reference()) {
      for (std::string& line : reader_->reference()->take_warnings()) lines.push_back(std::move(line));
    }
    if (!lines.empty()) progress_->clear();
    for (const std::string& line : lines) messages_.warn(line);
  }

  std::string nothing_scored() const {
    return arguments_.distorted + (arguments_.start || arguments_.end
                                       ? ": no frame lies between --start and --end."
                                       : ": the video has no frames.");
  }

  void check_lengths() {
    if (reader_->shorter() == PairReader::Shorter::kNone) return;
    const bool distorted = reader_->shorter() == PairReader::Shorter::kDistorted;
    const FrameQueue& shorter = distorted ? reader_->distorted() : *reader_->reference();
    const FrameQueue& longer = distorted ? *reader_->reference() : reader_->distorted();
    const int64_t skip = distorted ? arguments_.skip_reference : arguments_.skip_distorted;
    std::string text = shorter.info().path + " ended after " + std::to_string(reader_->pairs_read());
    if (longer.info().frames) text += " of " + std::to_string(*longer.info().frames - skip);
    text += " frames of " + longer.info().path;
    if (arguments_.strict) {
      complete_ = false;
      write_partial();
      throw Error(ErrorKind::kIncomplete, text + ", and --strict is set.");
    }
    messages_.warn(text + "; scored " + std::to_string(scorer_->scored()) +
                   ". Use --strict to make this an error.");
  }

  Report report() const {
    Report report;
    report.version = CAMBI_VERSION;
    const double wall = seconds_now() - start_;
    report.width = formats_.distorted.width;
    report.height = formats_.distorted.height;
    scorer_->fill(report);
    report.fps = static_cast<double>(report.frames.size()) / std::max(wall, 1e-6);
    const BackendReport backend = scorer_->backend_report();
    RunFacts& run = report.run;
    run.arguments = arguments_.original;
    run.inputs.push_back(facts("distorted", reader_->distorted().info()));
    if (reader_->reference()) run.inputs.push_back(facts("reference", reader_->reference()->info()));
    for (const FeatureRequest& request : arguments_.features) run.features.push_back(feature_facts(request));
    run.backend = backend.backend;
    run.device = backend.device;
    run.driver = backend.driver;
    run.simd = backend.simd;
    run.threads = threads_;
    run.wall_seconds = wall;
    run.complete = complete_;
    run.repeated_frames = backend.repeated_frames;
    run.warnings = messages_.warnings();
    return report;
  }

  InputFacts facts(const std::string& role, const VideoInfo& info) const {
    InputFacts input;
    input.role = role;
    input.path = info.path;
    input.container = info.container;
    input.codec = info.codec;
    input.pixel_format = info.pixel_format;
    input.width = info.format.width;
    input.height = info.format.height;
    input.bit_depth = info.format.bit_depth;
    input.chroma = to_string(info.format.chroma);
    input.range = to_string(info.format.range);
    input.transfer = to_string(info.format.transfer);
    input.frame_rate = info.frame_rate();
    input.frames = reader_->pairs_read();
    return input;
  }

  static std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
      const FeatureRequest& request) {
    std::pair<std::string, std::vector<std::pair<std::string, std::string>>> facts;
    facts.first = request.info->name;
    for (const OptionSpec& spec : request.info->options) {
      facts.second.emplace_back(spec.name, request.options.text(spec.name));
    }
    return facts;
  }

  std::vector<OutputText> texts(const Report& report, bool partial) const {
    std::vector<OutputText> outputs;
    for (const OutputRequest& request : arguments_.outputs) {
      const std::optional<std::string> path = partial ? partial_path(request.path) : request.path;
      if (path)
        outputs.push_back(
            {*path, write_report(report, {request.format, arguments_.numbers, arguments_.extended})});
    }
    return outputs;
  }

  void write_reports() {
    const Report finished = report();
    const std::vector<OutputText> outputs = texts(finished, false);
    scorer_->commit_heatmaps();
    write_outputs(outputs);
    if (arguments_.quiet) return;
    const bool stdout_taken =
        std::any_of(arguments_.outputs.begin(), arguments_.outputs.end(),
                    [](const OutputRequest& request) { return is_standard_output(request.path); });
    const int fd = stdout_taken ? STDERR_FILENO : STDOUT_FILENO;
    const bool colour = wants_colour(isatty(fd) != 0, std::getenv("NO_COLOR"), std::getenv("TERM"));
    const std::string summary = summary_text(finished, {.colour = colour, .notes = {}});
    if (stdout_taken) {
      write_stderr(summary);
    } else {
      write_stdout(summary);
    }
  }

  void write_partial() {
    if (scorer_->scored() == 0) return;
    write_outputs(texts(report(), true));
  }

  // Keeps what was scored before an error. A frame still in flight may fail as well, and comes before the one
  // that could not be read: then its error is the one to tell.
  void end_early() {
    complete_ = false;
    take_warnings();
    scorer_->finish();
    write_partial();
  }

  int end_interrupted() {
    complete_ = false;
    write_partial();
    messages_.error("interrupted after " + std::to_string(scorer_->scored()) + " frames");
    return interrupt_exit_code(interrupt_signal());
  }

  const Arguments& arguments_;
  Messages& messages_;
  double start_ = 0;
  int threads_ = 1;
  bool complete_ = true;
  int64_t shown_ = 0;
  InputFormats formats_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<PairReader> reader_;
  std::unique_ptr<Scorer> scorer_;  // before the pool it works on goes
  std::unique_ptr<Progress> progress_;
};

}  // namespace

int run_scoring(const Arguments& arguments, Messages& messages) {
  return Run(arguments, messages).score();
}

}  // namespace vq::cli

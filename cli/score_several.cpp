#include "cli/score_several.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "cli/interrupt.h"
#include "cli/memory_limit.h"
#include "cli/run.h"
#include "cli/scoring_run.h"
#include "cli/shared_frames.h"

namespace vq::cli {
namespace {

constexpr size_t kSharedFrames = 4;

// One video with what must live as long as its run.
struct Part {
  Arguments arguments;
  std::unique_ptr<Messages> messages;
  std::unique_ptr<ScoringRun> run;
  std::exception_ptr error;
};

// Runs that share the terminal: each has its own warnings, each line is shown once.
class Several {
 public:
  explicit Several(Messages& messages) : messages_(messages) {}

  std::unique_ptr<Messages> own_messages() {
    return std::make_unique<Messages>([this](std::string_view line) { show(line); });
  }

  // Scores on as many threads as there are parts.
  void score(std::vector<Part>& parts, const Arguments& arguments, SharedFrames* shared) {
    std::optional<int64_t> total = 0;
    for (const Part& part : parts) {
      const std::optional<int64_t> frames = part.run->expected_frames();
      total = total && frames ? std::optional(*total + *frames) : std::nullopt;
    }
    progress_ = std::make_unique<Progress>(progress_settings(arguments, total),
                                           ProgressPort{seconds_now, write_stderr, terminal_width});
    run_all(parts, shared);
    progress_->finish();
    progress_.reset();
    for (const Part& part : parts) {
      if (part.error) std::rethrow_exception(part.error);
    }
  }

 private:
  void run_all(std::vector<Part>& parts, SharedFrames* shared) {
    if (parts.size() == 1) return score_one(parts.front());
    std::vector<std::jthread> threads;
    try {
      for (size_t i = 0; i < parts.size(); ++i) {
        threads.emplace_back([&, i] {
          score_one(parts[i]);
          if (shared != nullptr) shared->leave(i);
        });
      }
    } catch (const std::system_error&) {
      // The threads that did start wait for nobody, so that they end.
      for (size_t i = threads.size(); shared != nullptr && i < parts.size(); ++i) shared->leave(i);
      throw;
    }
  }

  void score_one(Part& part) {
    const auto scored = [&](double value) {
      const std::lock_guard lock(mutex_);
      progress_->frame(value);
    };
    const auto warn = [&](const std::string& line) {
      const std::lock_guard lock(mutex_);
      progress_->clear();
      part.messages->warn(line);
    };
    try {
      part.run->score({scored, warn});
    } catch (...) {
      part.error = std::current_exception();
    }
  }

  void show(std::string_view line) {
    constexpr std::string_view kWarning = "cambi: warning: ";
    if (!shown_.insert(std::string(line)).second) return;
    if (!line.starts_with(kWarning)) return write_stderr(line);
    line.remove_prefix(kWarning.size());
    messages_.warn(std::string(line.substr(0, line.find('\n'))));
  }

  Messages& messages_;
  std::mutex mutex_;
  std::set<std::string> shown_;
  std::unique_ptr<Progress> progress_;
};

// Opens the videos. A run refers to its part, so the parts stay where they are.
std::vector<Part> open_parts(Several& several, const Arguments& arguments,
                             const std::vector<std::string>& videos, SharedFrames* shared) {
  std::vector<Part> parts(videos.size());
  for (size_t i = 0; i < videos.size(); ++i) {
    parts[i].arguments = arguments;
    parts[i].arguments.distorted = videos[i];
    parts[i].arguments.heatmaps.page = false;  // one page for all has no pictures
    parts[i].messages = several.own_messages();
    parts[i].run = std::make_unique<ScoringRun>(parts[i].arguments, *parts[i].messages,
                                                shared != nullptr ? shared->reader(i) : nullptr);
  }
  return parts;
}

std::vector<Report> reports_of(const std::vector<Part>& parts) {
  std::vector<Report> reports;
  for (const Part& part : parts) reports.push_back(part.run->report());
  return reports;
}

// Each run's share of the threads and the memory.
Arguments shared_out(const Arguments& arguments, size_t runs) {
  Arguments own = arguments;
  const int threads =
      arguments.threads > 0 ? arguments.threads : static_cast<int>(std::thread::hardware_concurrency());
  own.threads = std::max(1, threads / static_cast<int>(runs));
  const int64_t memory = arguments.max_memory > 0 ? arguments.max_memory : default_memory_limit();
  own.max_memory = std::max<int64_t>(1, memory / static_cast<int64_t>(runs));
  return own;
}

}  // namespace

std::vector<Report> score_several(const Arguments& arguments, const std::vector<std::string>& videos,
                                  Messages& messages) {
  Several several(messages);
  if (arguments.reference && videos.size() > 1) {
    const Arguments own = shared_out(arguments, videos.size());
    SharedFrames shared(open_input(own, *own.reference, own.skip_reference), videos.size(), kSharedFrames);
    std::vector<Part> parts = open_parts(several, own, videos, &shared);
    several.score(parts, arguments, &shared);
    return reports_of(parts);
  }
  std::vector<Report> reports;
  for (const std::string& video : videos) {
    if (interrupt_signal() != 0) return reports;
    std::vector<Part> parts = open_parts(several, arguments, {video}, nullptr);
    several.score(parts, arguments, nullptr);
    reports.push_back(parts.front().run->report());
  }
  return reports;
}

}  // namespace vq::cli

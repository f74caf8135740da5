// What runs on several threads have to say, on one terminal.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "cli/system/messages.h"

namespace vq::cli {

class SharedMessages {
 public:
  // `clear` is called before each line that is shown, so that it does not meet a progress bar; `mutex` is
  // held then, which is for whatever else goes to the terminal. All outlive this.
  SharedMessages(Messages& messages, std::mutex& mutex, std::function<void()> clear)
      : messages_(messages), mutex_(mutex), clear_(std::move(clear)) {}

  // The messages of one run: it keeps its warnings, and each line that any run has is shown once, with the
  // prefix. May be used on a thread of its own. This outlives it.
  std::unique_ptr<Messages> of_run(std::string prefix = {});

 private:
  void show(std::string_view line, const std::string& prefix);

  Messages& messages_;
  std::mutex& mutex_;
  std::function<void()> clear_;
  std::set<std::string> shown_;
};

}  // namespace vq::cli

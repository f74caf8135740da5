#include "cli/run/shared_messages.h"

#include <utility>

namespace vq::cli {

std::unique_ptr<Messages> SharedMessages::of_run(std::string prefix) {
  return std::make_unique<Messages>(
      [this, prefix = std::move(prefix)](std::string_view line) { show(line, prefix); });
}

void SharedMessages::show(std::string_view line, const std::string& prefix) {
  constexpr std::string_view kWarning = "cambi: warning: ";
  const std::lock_guard lock(mutex_);
  if (!shown_.insert(prefix + std::string(line)).second) return;
  clear_();
  if (!line.starts_with(kWarning)) return write_stderr(line);
  line.remove_prefix(kWarning.size());
  messages_.warn(prefix + std::string(line.substr(0, line.find('\n'))));
}

}  // namespace vq::cli

#include "engine/report/trace_json.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace vq {
namespace {

std::string in_quotes(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000),
                static_cast<int>(ns % 1000));
  return text;
}

void add_thread(std::string& text, const TracedThread& thread, size_t number) {
  const std::string id = R"("pid":1,"tid":)" + std::to_string(number);
  const std::string name = thread.name.empty() ? "thread " + std::to_string(number) : thread.name;
  text += R"({"name":"thread_name","ph":"M",)" + id + R"(,"args":{"name":)" + in_quotes(name) + "}},\n";
  for (const TracedSpan& span : thread.spans) {
    text += R"({"name":)" + in_quotes(span.name) + R"(,"ph":"X",)" + id + R"(,"ts":)" +
            microseconds(span.begin_ns) + R"(,"dur":)" + microseconds(span.end_ns - span.begin_ns);
    if (span.frame >= 0) text += R"(,"args":{"frame":)" + std::to_string(span.frame) + "}";
    text += "},\n";
  }
}

}  // namespace

std::string trace_json(const Timeline& timeline) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const std::vector<TracedThread> threads = timeline.threads();
  for (size_t i = 0; i < threads.size(); ++i) add_thread(text, threads[i], i + 1);
  text += R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"cambi"}})";
  text += "\n],\n\"droppedSpans\":" + std::to_string(timeline.dropped()) + "}\n";
  return text;
}

}  // namespace vq

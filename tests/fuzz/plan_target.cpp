#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/cluster/merged_title.h"
#include "cli/cluster/plan.h"
#include "cli/cluster/shard_result.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/version.h"
#include "feature/feature.h"
#include "tests/fuzz/target.h"
#include "tests/support/temporary_folder.h"

namespace vq::fuzz {
namespace {

using cli::PlannedTitle;

// Readers of files alone take it by its path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(
        file_ >= 0 && ::write(file_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
        "memory can be a file");
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  const int file_;
};

// Of this version, which inputs call "?", and with the id of what precedes it.
std::string with_id(std::string text) {
  constexpr std::string_view kAnyVersion = "\"version\": \"?\"";
  const size_t at = text.find(kAnyVersion);
  if (at != std::string::npos)
    text.replace(at, kAnyVersion.size(), "\"version\": \"" + std::string(version()) + "\"");
  ContentHash hash;
  hash.add(text);
  return text + " \"id\": \"" + hash_text(hash.value()) + "\"}\n";
}

void check_title(const cli::PlanFile& plan, const PlannedTitle& title) {
  for (size_t i = 0; i < title.shards.size(); ++i) {
    const cli::ShardNeeds needs = needs_of(title, i);
    require(needs.threads >= 1 && needs.memory_bytes >= 0, "a shard needs something");
    const std::string result = shard_path(plan.head(), title, static_cast<int64_t>(i));
    require(result.starts_with(plan.head().results + "/"), "results lie in their folder");
  }
}

void check_plan(const std::string& path) {
  const cli::PlanFile plan(path);
  std::vector<PlannedTitle> titles;
  plan.each_title([&](const PlannedTitle& title) {
    check_title(plan, title);
    titles.push_back(title);
    return true;
  });
  for (const int64_t shard : {int64_t{0}, plan.head().shards - 1}) {
    if (shard < 0 || shard >= plan.head().shards) continue;
    const PlannedTitle found = plan.title_of_shard(shard);
    require(std::find(titles.begin(), titles.end(), found) != titles.end(), "a shard is of a title");
    require(static_cast<uint64_t>(shard - found.first_shard) < found.shards.size(), "a title has the shard");
  }
}

// Merges the only shard of a title that was scored with the features it names, as far as they are known.
void check_merge(const cli::ShardResult& shard, const cli::ShardId& id, std::string_view content) {
  cli::RunOptions arguments;
  for (const auto& [name, options] : shard.facts().report.run.features) {
    for (const FeatureInfo* info : features()) {
      if (info->name == name)
        arguments.features.push_back({.info = info, .options = OptionSet(info->options)});
    }
  }
  if (arguments.features.empty()) return;
  const VideoFormats& formats = shard.findings().formats;
  arguments.distorted = formats.distorted.name;
  if (formats.reference) arguments.reference = formats.reference->name;
  static const test::TemporaryFolder folder;
  cli::PlanHead head;
  head.results = folder.path();
  head.id = id.plan;
  PlannedTitle title;
  title.shards.emplace_back();
  const std::string path = shard_path(head, title, 0);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  try {
    const cli::MergedTitle merged = merge_title(head, title, arguments);
    for (const cli::ShardGap& gap : merged.gaps) check_message(gap.reason);
    for (const Metric& metric : merged.report.metrics)
      require(metric.values.size() == merged.report.frames.size(), "frames have scores");
  } catch (const Error& error) {
    // Its text may have names of videos, which Messages escapes.
    require(error.kind() != ErrorKind::kInternal, "what does not fit is an error of the user's");
  }
}

}  // namespace

void run_plan(std::span<const uint8_t> bytes) {
  const MemoryFile file(with_id({bytes.begin(), bytes.end()}));
  try {
    check_plan(file.path());
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a bad plan is an input error");
    check_message(error.what());
  }
}

void run_shard(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t end = std::min(text.find('\0'), text.size());
  const cli::ShardId id = {"0123456789abcdef", 0};
  const std::string content =
      cli::shard_file(id, text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  const MemoryFile file(content);
  require(cli::is_whole_result(file.path(), id), "the sum of a shard is that of its bytes");
  try {
    const cli::ShardResult shard(file.path(), id);
    std::vector<FrameResult> results;
    for (size_t i = 0; i < shard.frames(); ++i) {
      shard.frame(i);
      shard.fill(i, results);
    }
    for (size_t i = 0; i < shard.pairs(); ++i) shard.pair(i);
    check_merge(shard, id, content);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kIncomplete, "a bad result of a shard makes the merge incomplete");
    check_message(error.what());
  }
}

}  // namespace vq::fuzz

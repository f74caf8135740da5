#include "cli/cluster/input_check.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "cli/batch/origin.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/input_error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// Containers have their index within so many bytes of one of their ends, or its place.
constexpr int64_t kEndBytes = 1 << 18;

// The bytes of a file that its fingerprint covers.
struct Extent {
  bool is_whole = false;
  const char* name = "its first or last bytes";
};
constexpr Extent kEnds = {}, kWhole = {.is_whole = true, .name = "its bytes"};

std::string fingerprint_of(const std::string& path, int64_t bytes, const Extent& extent) {
  std::ifstream file(path, std::ios::binary);
  ContentHash hash;
  std::string buffer;
  const auto add = [&](int64_t at) {
    buffer.resize(static_cast<size_t>(std::min(bytes - at, kEndBytes)));
    file.seekg(at);
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (!file) throw input_error(path, "cannot be read", errno);
    hash.add(buffer);
  };
  if (extent.is_whole) {
    for (int64_t at = 0; at < bytes; at += kEndBytes) add(at);
  } else {
    add(0);
    add(std::max<int64_t>(0, bytes - kEndBytes));
  }
  return hash_text(hash.value());
}

PlannedFile look_at(const std::string& path, const Extent& extent) {
  const OriginFacts::File facts = file_facts(path);
  return {facts.path, facts.bytes, facts.modified, fingerprint_of(path, facts.bytes, extent)};
}

void check(const PlannedFile& planned, const Extent& extent) {
  const OriginFacts::File facts = file_facts(planned.path);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kInput, shown_path(planned.path) + " has changed since the plan was made (" +
                                       what +
                                       "): its shards would not go together. Try: cambi plan once more");
  };
  if (facts.bytes != planned.bytes)
    refuse("it has " + std::to_string(facts.bytes) + " bytes, not " + std::to_string(planned.bytes));
  if (facts.modified != planned.modified) refuse("it was written later, or earlier");
  if (fingerprint_of(planned.path, planned.bytes, extent) != planned.fingerprint)
    refuse(std::string(extent.name) + " differ");
}

}  // namespace

PlannedFile look_at_file(const std::string& path) {
  return look_at(path, kEnds);
}

PlannedFile look_at_model(const std::string& path) {
  return look_at(path, kWhole);
}

void check_unchanged(const PlannedFile& planned) {
  check(planned, kEnds);
}

void check_models_unchanged(const PlanHead& head) {
  for (const PlannedFile& model : head.models) check(model, kWhole);
}

}  // namespace vq::cli

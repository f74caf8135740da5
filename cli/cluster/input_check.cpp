#include "cli/cluster/input_check.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "core/content_hash.h"
#include "cli/run/origin.h"
#include "cli/text/message_text.h"
#include "core/error.h"

namespace vq::cli {
namespace {

// Containers have their index within so many bytes of one of their ends, or its place.
constexpr int64_t kEndBytes = 1 << 18;

std::string fingerprint_of(const std::string& path, int64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  ContentHash hash;
  std::string buffer(static_cast<size_t>(std::min(bytes, kEndBytes)), '\0');
  for (const int64_t at : {int64_t{0}, std::max<int64_t>(0, bytes - kEndBytes)}) {
    file.seekg(at);
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (!file) throw Error(ErrorKind::kInput, shown_path(path) + " cannot be read: " + errno_text(errno));
    hash.add(buffer);
  }
  return hash_text(hash.value());
}

}  // namespace

PlannedFile look_at_file(const std::string& path) {
  const OriginFacts::File facts = file_facts(path);
  return {facts.path, facts.bytes, facts.modified, fingerprint_of(path, facts.bytes)};
}

void check_unchanged(const PlannedFile& planned) {
  const OriginFacts::File facts = file_facts(planned.path);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kInput, shown_path(planned.path) + " has changed since the plan was made (" + what +
                                       "): its shards would not go together. Try: cambi plan once more");
  };
  if (facts.bytes != planned.bytes) refuse("it has " + std::to_string(facts.bytes) + " bytes, not " + std::to_string(planned.bytes));
  if (facts.modified != planned.modified) refuse("it was written later, or earlier");
  if (fingerprint_of(planned.path, planned.bytes) != planned.fingerprint) refuse("its first or last bytes differ");
}

}  // namespace vq::cli

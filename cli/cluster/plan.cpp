#include "cli/cluster/plan.h"

#include <charconv>

#include "core/error.h"
#include "core/frame.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/report/json_values.h"

namespace vq::cli {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "cambi plan 2";
constexpr std::string_view kShardKey = "{\"shard\": ";
constexpr std::string_view kTail = "],";
constexpr std::string_view kIdKey = " \"id\": \"";
// A shard has numbers of its own, then for each of the two videos those of its part, or a single null.
constexpr size_t kOwnNumbers = 3, kPartNumbers = 5;
// Titles in one folder of results.
constexpr int64_t kTitlesEach = 100;

// The machines that read the plan would look for another file.
static void require_utf8(const std::string& text) {
  if (is_utf8(text)) return;
  throw Error(
      ErrorKind::kInput,
      "{}: a name that is not UTF-8 cannot be in a plan. Rename it, or score it by itself: cambi VIDEO",
      shown_path(text));
}

static ordered_json file_json(const PlannedFile& file) {
  require_utf8(file.path);
  return {{"path", file.path},
          {"bytes", file.bytes},
          {"modified", file.modified},
          {"fingerprint", file.fingerprint}};
}

static PlannedFile file_of(const json& from) {
  return {{from.at("path"), whole_number(from.at("bytes")), from.at("modified")}, from.at("fingerprint")};
}

static ordered_json input_json(const PlannedInput& input) {
  ordered_json out = file_json(input.file);
  out["pictures"] = nullable(input.pictures);
  out["stream_bytes"] = input.measured ? ordered_json(input.measured->bytes) : ordered_json();
  out["stream_seconds"] = input.measured ? ordered_json(input.measured->seconds) : ordered_json();
  return out;
}

static PlannedInput input_of(const json& from) {
  PlannedInput input;
  input.file = file_of(from);
  if (!from.at("pictures").is_null()) input.pictures = whole_number(from.at("pictures"));
  if (!from.at("stream_bytes").is_null())
    input.measured = StreamLength{whole_number(from.at("stream_bytes")), from.at("stream_seconds")};
  return input;
}

// Numbers alone, since there are many of them.
static std::string part_text(const RunPart& shard) {
  std::vector<std::optional<int64_t>> numbers = {shard.first, shard.end, shard.lead};
  for (const std::optional<StreamPart>& part : {shard.distorted, shard.reference}) {
    if (part) numbers.insert(numbers.end(), {part->picture, part->time, part->seek, part->end});
    numbers.push_back(part ? part->end_time : std::nullopt);
  }
  const auto text = [](std::optional<int64_t> number) { return number ? std::to_string(*number) : "null"; };
  return words("[{}]", join(numbers, ", ", text));
}

// Reads the part that begins at `at`, and moves `at` behind it.
static std::optional<StreamPart> take_part(const json& numbers, size_t& at) {
  if (numbers.at(at).is_null()) {
    ++at;
    return std::nullopt;
  }
  const auto time = [&](size_t place) { return whole_number(numbers.at(place), INT64_MIN, INT64_MAX); };
  StreamPart part{.picture = whole_number(numbers.at(at)),
                  .time = time(at + 1),
                  .seek = time(at + 2),
                  .end = whole_number(numbers.at(at + 3))};
  if (!numbers.at(at + 4).is_null()) part.end_time = time(at + 4);
  at += kPartNumbers;
  return part;
}

static RunPart shard_of(const json& numbers) {
  RunPart shard;
  shard.first = whole_number(numbers.at(0));
  shard.end = whole_number(numbers.at(1), -1);
  shard.lead = whole_number(numbers.at(2));
  size_t at = kOwnNumbers;
  shard.distorted = take_part(numbers, at);
  shard.reference = take_part(numbers, at);
  if (at != numbers.size()) throw Error(ErrorKind::kInput, "a shard has {} numbers", numbers.size());
  return shard;
}

// A title on one line, its first shard first: by that it is found.
static std::string title_text(const PlannedTitle& title) {
  ordered_json facts = {{"shard", title.first_shard},
                        {"number", title.number},
                        {"name", title.name},
                        {"first", title.run_first},
                        {"frames", title.frames},
                        {"width", title.width},
                        {"height", title.height},
                        {"threads", title.threads},
                        {"memory_bytes", title.memory_bytes},
                        {"whole", nullable(title.whole)},
                        {"distorted", input_json(title.distorted)},
                        {"reference", title.reference ? input_json(*title.reference) : ordered_json()}};
  std::string text = words("{}{}", kShardKey, title.first_shard);
  for (auto entry = std::next(facts.begin()); entry != facts.end(); ++entry) {
    text += words(", {}: {}", json_quoted(entry.key()), json_text(entry.value()));
  }
  return text + words(R"(, "shards": [{}]})", join(title.shards, ", ", part_text));
}

static PlannedTitle title_of(const json& from) {
  PlannedTitle title;
  title.first_shard = whole_number(from.at("shard"));
  title.number = whole_number(from.at("number"));
  title.name = from.at("name");
  title.run_first = whole_number(from.at("first"));
  title.frames = whole_number(from.at("frames"), -1);
  title.width = static_cast<int>(whole_number(from.at("width"), 0, kMaxSide));
  title.height = static_cast<int>(whole_number(from.at("height"), 0, kMaxSide));
  title.threads = static_cast<int>(whole_number(from.at("threads"), 1, INT_MAX));
  title.memory_bytes = whole_number(from.at("memory_bytes"));
  if (!from.at("whole").is_null()) title.whole = from.at("whole");
  title.distorted = input_of(from.at("distorted"));
  if (!from.at("reference").is_null()) title.reference = input_of(from.at("reference"));
  for (const json& shard : from.at("shards")) title.shards.push_back(shard_of(shard));
  if (title.shards.empty()) throw Error(ErrorKind::kInput, "a title has no shard");
  return title;
}

static std::string head_text(const PlanHead& head) {
  require_utf8(head.results);
  for (const std::string& argument : head.arguments) require_utf8(argument);
  const ordered_json models = json_list(head.models, file_json);
  return words(R"({"format": {}, "version": {}, "results": {}, "arguments": {}, "models": {}, "titles": [)",
               json_quoted(kFormat), json_quoted(head.version), json_quoted(head.results),
               json_text(json(head.arguments)), json_text(models)) +
         "\n";
}

// Zeros before a number, so that names sort.
static std::string numbered(int64_t number, size_t digits) {
  std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

static std::string result_base(const PlanHead& head, const PlannedTitle& title, int64_t shard) {
  return words("{}/{}/{}/{}", head.results, numbered(title.number / kTitlesEach, 4),
               numbered(title.number, 6), numbered(shard, 6));
}

PlanWriter::PlanWriter(const std::string& path, PlanHead head) : file_(path), head_(std::move(head)) {
  head_.titles = head_.shards = 0;
  put(head_text(head_));
}

void PlanWriter::add(PlannedTitle title) {
  title.number = head_.titles;
  title.first_shard = head_.shards;
  put((title.number > 0 ? ",\n" : "") + title_text(title));
  ++head_.titles;
  head_.shards += static_cast<int64_t>(title.shards.size());
}

PlanHead PlanWriter::commit() {
  put(words("\n{} \"title_count\": {}, \"shard_count\": {},", kTail, head_.titles, head_.shards));
  head_.id = hash_text(hash_.value());
  file_.write(words("{}{}\"}\n", kIdKey, head_.id));
  file_.commit();
  return head_;
}

void PlanWriter::put(const std::string& text) {
  hash_.add(text);
  file_.write(text);
}

PlanFile::PlanFile(const std::string& path) : path_(path) {
  std::ifstream in = open();
  std::string line;
  if (!next_line(in, line) || !line.ends_with("\"titles\": [")) refuse("is no plan of cambi");
  read_head(line);
  ContentHash hash;
  hash.add(line + "\n");
  bool is_last = false;
  while (!is_last && next_line(in, line)) {
    is_last = line.starts_with(kTail);
    if (!is_last) hash.add(line + "\n");
  }
  std::string more;
  if (!is_last || in.eof() || next_line(in, more)) refuse("was cut or changed");
  read_tail(line, hash);
}

void PlanFile::refuse(const std::string& why) const {
  throw Error(ErrorKind::kInput, "{} {}. Try: cambi plan INPUT ... -o PLAN.json", shown_path(path_), why);
}

std::ifstream PlanFile::open() const {
  errno = 0;  // which C++ libraries need not set
  std::ifstream in(path_of(path_), std::ios::binary);
  if (!in) {
    const int error = errno;
    throw Error(input_error_kind(error),
                words("{} cannot be opened: {}", shown_path(path_), errno_text(error)));
  }
  in.exceptions(std::ios::badbit);  // else a lack of memory would look like the end
  return in;
}

bool PlanFile::next_line(std::ifstream& in, std::string& line) const {
  try {
    return static_cast<bool>(std::getline(in, line));
  } catch (const std::ios::failure&) {
    refuse("cannot be read");
  }
}

void PlanFile::read_head(const std::string& line) {
  try {
    const json head = json::parse(line + "]}");
    if (head.at("format") != kFormat) refuse("is a plan of another kind");
    head_.version = head.at("version");
    head_.results = head.at("results");
    head_.arguments = head.at("arguments").get<std::vector<std::string>>();
    for (const json& model : head.at("models")) head_.models.push_back(file_of(model));
  } catch (const json::exception&) {
    refuse("is no plan of cambi");
  }
  if (head_.version != version()) {
    refuse(words("was made by cambi {}, and this is {}: shards of two versions do not go together",
                 printable(head_.version), version()));
  }
}

void PlanFile::read_tail(const std::string& line, ContentHash hash) {
  const size_t id = line.find(kIdKey);
  if (id == std::string::npos) refuse("was cut or changed");
  hash.add(std::string_view(line).substr(0, id));
  try {
    const json tail = json::parse("{\"titles\": [" + line);
    head_.titles = whole_number(tail.at("title_count"));
    head_.shards = whole_number(tail.at("shard_count"));
    head_.id = tail.at("id");
  } catch (const json::exception&) {
    refuse("was cut or changed");
  }
  if (head_.id != hash_text(hash.value())) refuse("was cut or changed");
}

void PlanFile::each_line(const std::function<bool(std::string_view line)>& look) const {
  std::ifstream in = open();
  std::string line;
  next_line(in, line);
  while (next_line(in, line) && !line.starts_with(kTail)) {
    if (line.ends_with(',')) line.pop_back();
    if (!look(line)) return;
  }
}

PlannedTitle PlanFile::title(std::string_view line) const {
  const auto refuse_for = [&](const std::exception& error) {
    refuse(words("was changed: {}", printable(error.what(), 200)));
  };
  try {
    return title_of(json::parse(line));
  } catch (const json::exception& error) {
    refuse_for(error);
  } catch (const Error& error) {
    refuse_for(error);
  }
  return {};
}

void PlanFile::each_title(const std::function<bool(const PlannedTitle& title)>& look) const {
  each_line([&](std::string_view line) { return look(title(line)); });
}

// Lines are looked at no further than their first number, but for the one that is wanted.
PlannedTitle PlanFile::title_of_shard(int64_t shard) const {
  if (shard < 0 || shard >= head_.shards) {
    throw usage_error("{} has {}, from 0 on; there is no {}.", shown_path(path_),
                      counted(head_.shards, "shard"), shard);
  }
  std::string found;
  each_line([&](std::string_view line) {
    int64_t first = 0;
    if (!line.starts_with(kShardKey)) refuse("was changed");
    const auto end = std::from_chars(line.data() + kShardKey.size(), line.data() + line.size(), first);
    if (end.ec != std::errc()) refuse("was changed");
    if (first > shard) return false;
    found = line;
    return true;
  });
  const PlannedTitle of_shard = title(found);
  if (shard < of_shard.first_shard ||
      shard - of_shard.first_shard >= static_cast<int64_t>(of_shard.shards.size()))
    refuse("was changed");
  return of_shard;
}

std::string shard_path(const PlanHead& head, const PlannedTitle& title, int64_t shard) {
  return result_base(head, title, shard) + ".shard";
}

std::string failure_path(const PlanHead& head, const PlannedTitle& title, int64_t shard) {
  return result_base(head, title, shard) + ".failed";
}

double work_of(const PlannedTitle& title, size_t shard) {
  const RunPart& part = title.shards.at(shard);
  const int64_t end = part.end >= 0 ? part.end : title.frames >= 0 ? title.run_first + title.frames : -1;
  return end < 0 ? 0 : static_cast<double>(end - part.first) * title.width * title.height / 1e9;
}

}  // namespace vq::cli

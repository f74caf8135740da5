#include "engine/report/json_values.h"

#include <cstdio>

#include "core/error.h"

namespace vq {

using json = nlohmann::ordered_json;

namespace {

constexpr size_t kDeepest = 100;

// From the leaves up: a json without elements is destroyed without memory.
void empty(json& value) noexcept {
  if (auto* const list = value.get_ptr<json::array_t*>()) {
    for (json& element : *list) empty(element);
    list->clear();
  } else if (auto* const members = value.get_ptr<json::object_t*>()) {
    for (auto& [key, element] : *members) empty(element);
    members->clear();
  }
}

// Makes room for more members. A vector would copy their values, as their names are const.
void grow(json::object_t& members) {
  json::object_t grown;
  grown.reserve(2 * members.size() + 8);
  for (const auto& [key, value] : members) grown.emplace_back(key, nullptr);
  for (size_t i = 0; i < members.size(); ++i) grown.begin()[i].second.swap(members.begin()[i].second);
  members.swap(grown);
}

// The document owns all that was read at every moment.
class DocumentReader final : public nlohmann::json_sax<json> {
 public:
  DocumentReader(std::string_view list, const ElementSink& sink) : list_(list), sink_(sink) {}
  JsonDocument take() { return std::move(document_); }

  bool null() override { return add(nullptr), end(); }
  bool boolean(bool value) override { return add(value), end(); }
  bool number_integer(number_integer_t value) override { return add(value), end(); }
  bool number_unsigned(number_unsigned_t value) override { return add(value), end(); }
  bool number_float(number_float_t value, const string_t&) override { return add(value), end(); }
  bool string(string_t& value) override { return add(std::move(value)), end(); }
  bool binary(binary_t&) override { return true; }  // only other formats have it
  bool start_object(size_t) override { return open(json::value_t::object); }
  bool end_object() override { return open_.pop_back(), end(); }
  bool start_array(size_t) override { return open(json::value_t::array); }
  bool end_array() override { return open_.pop_back(), end(); }
  bool key(string_t& name) override { return key_ = std::move(name), true; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    if (const auto* const syntax = dynamic_cast<const json::parse_error*>(&error)) throw *syntax;
    throw dynamic_cast<const json::out_of_range&>(error);
  }

 private:
  bool open(json::value_t type) {
    if (open_.size() == kDeepest)
      throw Error(ErrorKind::kInput, "its lists are nested more than {} deep", kDeepest);
    if (sink_ && open_.size() == 1 && open_[0]->is_object() && key_ == list_ &&
        type == json::value_t::array) {
      is_passing_ = true;
      sink_(nullptr);
    }
    open_.push_back(&add(type));
    return true;
  }
  // A value has ended.
  bool end() {
    if (open_.size() < 2) is_passing_ = false;
    if (!is_passing_ || open_.size() > 2) return true;
    sink_(&open_[1]->back());
    empty(*open_[1]);
    return true;
  }
  json& add(json value) {
    if (open_.empty()) return *document_ = std::move(value);
    json& in = *open_.back();
    if (auto* const list = in.get_ptr<json::array_t*>()) return list->emplace_back(std::move(value));
    json::object_t& members = *in.get_ptr<json::object_t*>();
    if (members.size() == members.capacity()) grow(members);
    members.emplace_back(key_, std::move(value));
    return members.back().second;
  }

  const std::string_view list_;
  const ElementSink& sink_;
  bool is_passing_ = false;  // the elements of the list
  JsonDocument document_{new json};
  std::vector<json*> open_;  // lists and objects that have not ended, from the outermost on
  std::string key_;
};

}  // namespace

void FreeJson::operator()(json* document) const noexcept {
  empty(*document);
  delete document;
}

JsonDocument parse_json(std::string_view text, std::string_view list, const ElementSink& sink) {
  DocumentReader reader(list, sink);
  json::sax_parse(text, &reader);
  return reader.take();
}

const json* member(const json& object, std::string_view key) {
  const auto* const members = object.get_ptr<const json::object_t*>();
  if (members == nullptr) return nullptr;
  const auto found =
      std::find_if(members->rbegin(), members->rend(), [&](const auto& one) { return one.first == key; });
  return found == members->rend() ? nullptr : &found->second;
}

static const json& member_or(const json& object, std::string_view key, const json& empty) {
  const json* const found = member(object, key);
  return found != nullptr && found->type() == empty.type() ? *found : empty;
}

const json& list_in(const json& object, std::string_view key) {
  static const json kEmpty = json::array();
  return member_or(object, key, kEmpty);
}

const json& object_in(const json& object, std::string_view key) {
  static const json kEmpty = json::object();
  return member_or(object, key, kEmpty);
}

double real_number(const json& value) {
  const bool is_signed = value.is_number_integer() && !value.is_number_unsigned();
  return is_signed && value.get<int64_t>() == 0 ? -0.0 : value.get<double>();
}

template <typename T>
T number_or_default(const json& value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return real_number(value);
  } else if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return number <= static_cast<uint64_t>(Limits::max()) ? static_cast<T>(number) : T{};
  } else if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    return number >= Limits::min() && number <= Limits::max() ? static_cast<T>(number) : T{};
  } else {
    const auto number = value.get<double>();
    // The largest integer may not be a double; one more is a power of two and always is.
    const double end = -static_cast<double>(Limits::min());
    return number >= -end && number < end ? static_cast<T>(number) : T{};
  }
}

template int number_or_default(const json&);
template int64_t number_or_default(const json&);
template double number_or_default(const json&);

int64_t whole_number(const nlohmann::json& value, int64_t least, int64_t most) {
  if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    const bool is_too_large = number < 0 && value.is_number_unsigned();
    if (!is_too_large && number >= least && number <= most) return number;
  }
  throw json::out_of_range::create(401, words("no such number is allowed: {}", value.dump()), &value);
}

template <typename T>
T value_or_default(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (!value) return T{};
  if constexpr (std::is_same_v<T, std::string>) return value->is_string() ? value->get<T>() : T{};
  if constexpr (std::is_same_v<T, bool>) return value->is_boolean() ? value->get<T>() : T{};
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
    return value->is_number() ? number_or_default<T>(*value) : T{};
  if constexpr (std::is_same_v<T, std::optional<double>>) {
    if (value->is_number()) return real_number(*value);
  }
  if constexpr (std::is_same_v<T, std::optional<int64_t>>) {
    if (value->is_number()) return number_or_default<int64_t>(*value);
  }
  return T{};
}

template int value_or_default(const json&, std::string_view);
template int64_t value_or_default(const json&, std::string_view);
template double value_or_default(const json&, std::string_view);
template bool value_or_default(const json&, std::string_view);
template std::string value_or_default(const json&, std::string_view);
template std::optional<int64_t> value_or_default(const json&, std::string_view);
template std::optional<double> value_or_default(const json&, std::string_view);

std::vector<std::string> strings(const json& object, std::string_view key) {
  std::vector<std::string> out;
  for (const json& element : list_in(object, key)) {
    if (element.is_string()) out.push_back(element.get<std::string>());
  }
  return out;
}

json pace_parts_json(const PaceFacts& pace) {
  json parts = json::object();
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    // As many digits as clocks have.
    parts[std::string(pace::kParts[i])] = std::round(pace.seconds[i] * 1e6) / 1e6;
  }
  return parts;
}

json pace_json(const RunFacts& run) {
  if (!run.pace) return nullptr;
  json members = {{"parts", pace_parts_json(*run.pace)}, {"limit", nullptr}};
  if (const std::optional<std::string_view> limit = limit_of(*run.pace)) members["limit"] = *limit;
  return members;
}

json pair_faults_json(const std::vector<PairFault>& faults) {
  json list = json::array();
  for (const PairFault& fault : faults) {
    json& members = list.emplace_back(json{
        {"kind", to_string(fault.kind)}, {"text", fault.diagnostic.text}, {"certain", fault.is_certain}});
    for (const FrameSpan& span : fault.frames) members["frames"].push_back({span.first, span.end - 1});
  }
  return list;
}

static std::string in_quotes(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

static std::string microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000),
                static_cast<int>(ns % 1000));
  return text;
}

static void add_thread(std::string& text, const TracedThread& thread, size_t number) {
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

std::string trace_json(const Timeline& timeline) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const std::vector<TracedThread> threads = timeline.threads();
  for (size_t i = 0; i < threads.size(); ++i) add_thread(text, threads[i], i + 1);
  text += R"({"name":"process_name","ph":"M","pid":1,"args":{"name":"cambi"}})";
  text += "\n],\n\"droppedSpans\":" + std::to_string(timeline.dropped()) + "}\n";
  return text;
}

}  // namespace vq

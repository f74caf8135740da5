#include "engine/report/name_order.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace vq {
namespace {

using nlohmann::json;

// Where names are whose order matters: {"frames": [{"metrics": {"NAME" (as for "texts"), {"run":
// {"gpu_milliseconds": {"NAME",
// {"run": {"features": [{"options": {"NAME" and {"aggregate_metrics": {"NAME".
constexpr size_t kMetricKeyDepth = 4;
constexpr size_t kAggregateKeyDepth = 2;
constexpr size_t kStageKeyDepth = 3;
constexpr size_t kRunKeyDepth = 2;
constexpr size_t kFeatureDepth = 4;
constexpr size_t kOptionKeyDepth = 5;

// Notes in which order names first appear, which the parsed form does not keep. (A callback of json::parse()
// could do so as well, but makes parsing quadratic in the length of a list.)
class NameOrderReader : public nlohmann::json_sax<json> {
 public:
  NameOrder take() { return std::move(order_); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    if (depth_ == 1) top_key_ = name;
    if (depth_ == kRunKeyDepth) member_ = name;
    if (is_of_features() && depth_ == kRunKeyDepth)
      order_.options.clear();  // of a member that stands twice the last counts
    NamePlaces* const places = places_here();
    if (places != nullptr) places->emplace(name, places->size());
    return true;
  }
  // json::parse() has met the error before.
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool enter() {
    ++depth_;
    if (is_of_features() && depth_ == kFeatureDepth) order_.options.emplace_back();
    return true;
  }
  bool leave() { return --depth_, true; }
  bool is_of_features() const { return top_key_ == "run" && member_ == "features"; }
  NamePlaces* places_here() {
    if (top_key_ == "frames" && depth_ == kMetricKeyDepth) return &order_.metrics;
    if (top_key_ == "run" && depth_ == kStageKeyDepth) return &order_.stages;
    if (is_of_features() && depth_ == kOptionKeyDepth && !order_.options.empty())
      return &order_.options.back();
    if (top_key_ == "aggregate_metrics" && depth_ == kAggregateKeyDepth) return &order_.aggregates;
    return nullptr;
  }

  NameOrder order_;
  size_t depth_ = 0;
  std::string top_key_, member_;  // of the document, and of that object
};

}  // namespace

NameOrder read_name_order(std::string_view text) {
  NameOrderReader reader;
  json::sax_parse(text, &reader);
  return reader.take();
}

}  // namespace vq

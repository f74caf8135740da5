#include "tests/program/golden_features.h"

#include <cstdio>

namespace vq::test {
namespace {

using nlohmann::json;

bool is_whole_clips(const json& golden) {
  for (const char* key : {"distorted_filter", "reference_filter", "bits", "tool", "model"}) {
    if (golden.contains(key)) return false;
  }
  const auto is_clip = [&](const char* key) { return golden.contains(key) && golden.at(key).is_string(); };
  return is_clip("clip") || (is_clip("reference") && is_clip("distorted"));
}

std::string feature_text(const json& golden, const std::string& feature) {
  std::string text = golden.value("feature", feature);
  char before = '=';
  for (const auto& [key, value] : golden.at("options").items()) {
    text += before + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    before = ':';
  }
  return text;
}

}  // namespace

void GoldenFeatures::compare(const json& golden, const std::string& feature) {
  if (!is_whole_clips(golden)) {
    ++left_out_;
    return;
  }
  const std::string clip = golden.value("clip", "");
  const GateVideo distorted = open_(golden.value("distorted", clip));
  GateVideo reference = open_(golden.value("reference", clip));
  const auto skipped = golden.value("skip_reference", std::ptrdiff_t{0});
  reference.frames.erase(reference.frames.begin(), reference.frames.begin() + skipped);
  const GateRun run = {
      .features = {feature_text(golden, feature)}, .distorted = &distorted, .reference = &reference};
  const GateOutcome expected = outcome_of(run, {.backend = Backend::kScalar});
  const std::string faults = faults_of(run, expected);
  const bool is_refused = expected.rows.empty() && !expected.error.empty();
  ++(faults.empty() ? is_refused ? left_out_ : cases_ : failed_);
  frames_ += expected.rows.size();
  std::printf("%s %s (%zu frames)\n%s", faults.empty() ? is_refused ? "left out" : "same" : "FAIL",
              to_string(run).c_str(), expected.rows.size(),
              (is_refused ? "  " + expected.error + "\n" : faults).c_str());
  std::fflush(stdout);
}

std::string GoldenFeatures::faults_of(const GateRun& run, const GateOutcome& expected) const {
  const auto differs = [&](const GateWay& way) {
    const GateOutcome actual = outcome_of(run, way);
    return actual == expected
               ? ""
               : " " + std::string(to_string(way.backend)) + ":\n" + difference(expected, actual);
  };
  std::string faults = differs({.backend = Backend::kCpu});
  for (const Backend backend : backends_) {
    if (is_left_to_host(run, backend)) continue;
    const Place own = device_->can_share_memory() ? Place::kDevice : Place::kEither;
    for (const Place place : {Place::kHost, Place::kStore, own}) {
      if (place != Place::kHost && expected.rows.empty()) continue;
      faults += differs({.backend = backend, .device = device_, .place = place});
    }
  }
  for (const std::string& message : device_->take_messages()) faults += "  " + message + "\n";
  return faults;
}

bool GoldenFeatures::finish() const {
  std::printf("%zu cases the same, %zu with differences, %zu left out; %zu frames\n", cases_, failed_,
              left_out_, frames_);
  return cases_ > 0 && failed_ == 0;
}

}  // namespace vq::test

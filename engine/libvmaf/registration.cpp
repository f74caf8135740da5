#include "engine/libvmaf/registration.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "engine/libvmaf/score_names.h"
#include "engine/models/model_features.h"
#include "feature/registry.h"

namespace vq::libvmaf {
namespace {

// Of this program alone.
constexpr std::string_view kOwnFeatures[] = {"bounds", "fingerprint", "histogram"};
// These know some depths, and no others.
constexpr std::string_view kOfFewDepths[] = {"ciede", "psnr"};
constexpr int kDepths[] = {8, 10, 12, 16};

template <typename List, typename Value>
bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

}  // namespace

const FeatureInfo* find_extractor(const std::string& name) {
  if (contains(kOwnFeatures, name)) return nullptr;
  const auto is_it = [&](const FeatureInfo* info) { return info->name == name; };
  const auto found = std::find_if(features().begin(), features().end(), is_it);
  return found == features().end() ? nullptr : *found;
}

Registration::Registration(FeatureRequest request)
    : request_(std::move(request)), key_(model::instance_of(request_)) {}

void Registration::prepare(const VideoFormats& formats) {
  formats_ = formats;
  is_prepared_ = true;
  try {
    resolve(request_, formats_);
    check_request(request_, formats_);
    const int bits = formats_.distorted.bit_depth;
    if (contains(kOfFewDepths, request_.info->name) && !contains(kDepths, bits))
      throw Error(ErrorKind::kMismatch, "it takes no pictures of " + std::to_string(bits) + " bits");
    if (request_.heatmaps) {
      const std::string& folder = request_.options.get_text(request_.info->heatmap_option);
      heatmaps_ =
          std::make_unique<HeatmapWriter>(folder, request_.info->name, heatmaps_of(request_, formats_));
    }
  } catch (const Error& error) {
    refusal_ = std::string(request_.info->name) + ": " + error.what();
    return;
  }
  for (const Metric& metric : metrics_of(request_)) {
    const bool is_late = metric.info != nullptr && metric.info->is_late;
    scores_.emplace_back(stored_name(metric.name), is_late ? ScoreOrder::kLate : ScoreOrder::kFound);
  }
  if (request_.info->make_sequence != nullptr) sequence_ = request_.info->make_sequence(request_.options);
}

bool Registration::looks_at_every_frame() const {
  return request_.info->neighbours != nullptr || request_.info->aggregates != nullptr;
}

bool Registration::needs_previous() const {
  return sequence_ != nullptr && frame_needs({&request_, 1}).before.references > 0;
}

void Registration::take(unsigned index, const FrameResult& result, ScoreReceiver& receiver) {
  if (receiver.has(scores_.front().first, index)) return;
  if (heatmaps_ != nullptr) heatmaps_->write(result.heatmaps);
  totals_.resize(std::max(totals_.size(), result.tallies.size()));
  for (size_t i = 0; i < result.tallies.size(); ++i) totals_[i] += result.tallies[i];
  if (sequence_ == nullptr) {
    for (size_t i = 0; i < scores_.size(); ++i)
      receiver.receive(scores_[i].first, scores_[i].second, index, result.values[i]);
    return;
  }
  const std::vector<std::optional<double>> known = sequence_->at_once(result, index);
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) receiver.receive(scores_[i].first, scores_[i].second, index, *known[i]);
  }
  if (index < next_) return;
  ahead_.try_emplace(index, FrameResult{.values = result.values});
  for (auto first = ahead_.begin(); first != ahead_.end() && first->first == next_; first = ahead_.begin()) {
    complete(sequence_->next(first->second), receiver);
    ahead_.erase(first);
    ++next_;
  }
}

void Registration::complete(const std::vector<FrameValues>& frames, ScoreReceiver& receiver) {
  for (const FrameValues& values : frames) {
    for (size_t i = 0; i < scores_.size(); ++i)
      receiver.receive(scores_[i].first, scores_[i].second, complete_, values[i]);
    ++complete_;
  }
}

void Registration::finish(ScoreReceiver& receiver) {
  if (sequence_ != nullptr && next_ > 0) complete(sequence_->finish(), receiver);
}

std::vector<std::pair<std::string, double>> Registration::aggregates() const {
  if (request_.info->aggregates == nullptr || totals_.empty()) return {};
  return request_.info->aggregates(request_.options, formats_, totals_);
}

}  // namespace vq::libvmaf

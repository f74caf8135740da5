// Functions that ask for scores: of a frame, and pooled.
#include <array>

#include "engine/libvmaf/context.h"
#include "engine/libvmaf/guarded.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/pool.h"
#include "engine/models/predictor.h"

namespace vq::libvmaf {
namespace {

// Frames from one to another, both included.
struct Interval {
  unsigned low = 0, high = 0;
};

bool is_pooling(int method, const Interval& interval) {
  return method != VMAF_POOL_METHOD_UNKNOWN && interval.low <= interval.high;
}

// Calls take(index) for all frames that count, up to the first of which it is false.
template <typename Take>
bool for_each_frame(const Context& context, const Interval& interval, Take take) {
  for (uint64_t index = interval.low; index <= interval.high; ++index) {
    const auto frame = static_cast<unsigned>(index);
    if (context.counts(frame) && !take(frame)) return false;
  }
  return true;
}

// Nothing where a score is missing, or for a method that there is not. `get` gives the score of a frame, or
// nothing.
template <typename Get>
std::optional<double> pool(Context& context, const Interval& interval, int method, Get get) {
  Pool pooled;
  const bool is_complete = for_each_frame(context, interval, [&](unsigned index) {
    const std::optional<double> found = get(index);
    if (found) pooled.add(*found, index == interval.low);
    return found.has_value();
  });
  return is_complete ? pooled.pooled(method) : std::nullopt;
}

// Gives the caller what was found.
template <typename Value>
int give(const std::optional<Value>& found, Value& place) {
  if (!found) return -EINVAL;
  place = *found;
  return 0;
}

// What the models of a collection say together.
constexpr size_t kStatistics = 4;
constexpr const char* kEndings[kStatistics] = {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"};
using Statistics = std::array<double, kStatistics>;

VmafModelCollectionScore as_score(const Statistics& values) {
  VmafModelCollectionScore score = {};
  score.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
  score.bootstrap.bagging_score = values[0];
  score.bootstrap.stddev = values[1];
  score.bootstrap.ci.p95.lo = values[2];
  score.bootstrap.ci.p95.hi = values[3];
  return score;
}

// What is stored of a frame.
std::optional<Statistics> stored(const Context& context, const VmafModelCollection& collection,
                                 unsigned index) {
  Statistics statistics;
  for (size_t i = 0; i < kStatistics; ++i) {
    const std::optional<double> value = context.scores().find(collection.name + kEndings[i], index);
    if (!value) return std::nullopt;
    statistics[i] = *value;
  }
  return statistics;
}

std::optional<Statistics> statistics_of(Context& context, const VmafModelCollection& collection,
                                        unsigned index) {
  if (const auto known = stored(context, collection, index)) return known;
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const ModelState>> states;
  std::vector<const model::Model*> models;
  std::vector<std::vector<double>> values;
  for (const auto& member : collection.members) {
    states.push_back(member->state());
    std::optional<std::vector<double>> inputs = context.inputs(*states.back(), index);
    if (!inputs) return std::nullopt;
    names.push_back(states.back()->name);
    models.push_back(&states.back()->models->front());
    values.push_back(std::move(*inputs));
  }
  for (const char* ending : kEndings) names.push_back(collection.name + ending);
  const std::vector<double> scores = model::predict_collection(models, values);
  Statistics statistics;
  for (size_t i = 0; i < names.size(); ++i) {
    const double kept = context.put_prediction(names[i], index, scores[i]);
    if (i >= models.size()) statistics[i - models.size()] = kept;
  }
  return statistics;
}

std::optional<VmafModelCollectionScore> pool(Context& context, const VmafModelCollection& collection,
                                             const Interval& interval, int method) {
  std::array<Pool, kStatistics> pools;
  const bool is_complete = for_each_frame(context, interval, [&](unsigned index) {
    const std::optional<Statistics> found = statistics_of(context, collection, index);
    for (size_t i = 0; found && i < kStatistics; ++i) pools[i].add((*found)[i], index == interval.low);
    return found.has_value();
  });
  Statistics pooled;
  for (size_t i = 0; i < kStatistics; ++i) {
    const std::optional<double> one = pools[i].pooled(method);
    if (!is_complete || !one) return std::nullopt;
    pooled[i] = *one;
  }
  return as_score(pooled);
}

}  // namespace
}  // namespace vq::libvmaf

namespace lib = vq::libvmaf;

int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index) {
  if (vmaf == nullptr || model == nullptr || score == nullptr) return -EINVAL;
  return lib::guarded([&] { return lib::give(vmaf->context.score(*model->loaded.state(), index), *score); });
}

int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index) {
  if (vmaf == nullptr || model_collection == nullptr || score == nullptr) return -EINVAL;
  return lib::guarded([&] {
    const auto found = lib::statistics_of(vmaf->context, *model_collection, index);
    return lib::give(found ? std::optional(lib::as_score(*found)) : std::nullopt, *score);
  });
}

int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score, unsigned index) {
  if (vmaf == nullptr || feature_name == nullptr || score == nullptr) return -EINVAL;
  return lib::guarded(
      [&] { return lib::give(vmaf->context.score(std::string(feature_name), index), *score); });
}

int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, VmafPoolingMethod pool_method, double* score,
                      unsigned index_low, unsigned index_high) {
  const lib::Interval interval = {index_low, index_high};
  const int method = lib::number_of(pool_method);
  if (vmaf == nullptr || model == nullptr || score == nullptr) return -EINVAL;
  if (!lib::is_pooling(method, interval)) return -EINVAL;
  return lib::guarded([&] {
    const auto state = model->loaded.state();
    return lib::give(lib::pool(vmaf->context, interval, method,
                               [&](unsigned index) { return vmaf->context.score(*state, index); }),
                     *score);
  });
}

int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       VmafPoolingMethod pool_method, VmafModelCollectionScore* score,
                                       unsigned index_low, unsigned index_high) {
  const lib::Interval interval = {index_low, index_high};
  const int method = lib::number_of(pool_method);
  if (vmaf == nullptr || model_collection == nullptr || score == nullptr) return -EINVAL;
  if (!lib::is_pooling(method, interval)) return -EINVAL;
  return lib::guarded(
      [&] { return lib::give(lib::pool(vmaf->context, *model_collection, interval, method), *score); });
}

int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name, VmafPoolingMethod pool_method,
                              double* score, unsigned index_low, unsigned index_high) {
  const lib::Interval interval = {index_low, index_high};
  const int method = lib::number_of(pool_method);
  if (vmaf == nullptr || feature_name == nullptr || score == nullptr) return -EINVAL;
  if (!lib::is_pooling(method, interval)) return -EINVAL;
  return lib::guarded([&] {
    const std::string name = feature_name;
    return lib::give(lib::pool(vmaf->context, interval, method,
                               [&](unsigned index) { return vmaf->context.score(name, index); }),
                     *score);
  });
}

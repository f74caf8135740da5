// Functions of contexts, but for scores.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/error.h"
#include "core/version.h"
#include "engine/libvmaf/context.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/log.h"
#include "engine/libvmaf/model.h"
#include "engine/libvmaf/score_store.h"
#include "engine/models/model.h"

namespace vq::libvmaf {
namespace {

// Does nothing.
constexpr const char* kNothing = "null";
// libvmaf's older features, which builds of it have by request alone.
constexpr const char* kFloatFeatures[] = {"float_adm",    "float_ansnr", "float_moment",
                                          "float_motion", "float_psnr",  "float_vif"};

int use_feature(Context& context, const std::string& name, VmafFeatureDictionary* options) {
  if (name != kNothing) {
    const FeatureInfo* const feature = find_extractor(name);
    if (feature == nullptr) {
      const bool is_float =
          std::find(std::begin(kFloatFeatures), std::end(kFloatFeatures), name) != std::end(kFloatFeatures);
      log(LogLevel::kError,
          "there is no extractor " + name +
              (is_float ? ": of the float features this library has those of SSIM alone" : ""));
      return -EINVAL;
    }
    using Entries = std::map<std::string, std::string>;
    context.use(request_of(*feature, options == nullptr ? Entries() : options->entries));
  }
  delete options;
  return 0;
}

void use_model(Context& context, const std::shared_ptr<const ModelState>& model) {
  for (const FeatureRequest& request : usable(*model).features) context.use(request);
  context.mount(model);
}

// Callers never give a state back, so each CUDA context has one for good.
VmafCudaState& state_of(const CudaContext& cuda);

}  // namespace
}  // namespace vq::libvmaf

// State that callers import into contexts.
struct VmafCudaState {
  vq::libvmaf::CudaContext cuda;
};

namespace vq::libvmaf {
namespace {

VmafCudaState& state_of(const CudaContext& cuda) {
  device_with(cuda.uuid);
  static auto* const states = new std::map<void*, VmafCudaState>();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  VmafCudaState& state = (*states)[cuda.context];
  state.cuda = cuda;
  return state;
}

}  // namespace
}  // namespace vq::libvmaf

namespace lib = vq::libvmaf;

const char* vmaf_version() {
  static const std::string kVersion = std::string("3.2.0+cambi") + vq::version();
  return kVersion.c_str();
}

int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg) {
  if (vmaf == nullptr) return -EINVAL;
  return lib::guarded([&] {
    lib::set_log_level(static_cast<lib::LogLevel>(lib::number_of(cfg.log_level)));
    *vmaf = new VmafContext(cfg);
    return 0;
  });
}

int vmaf_close(VmafContext* vmaf) {
  if (vmaf == nullptr) return -EINVAL;
  delete vmaf;
  return 0;
}

int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model) {
  if (vmaf == nullptr || model == nullptr) return -EINVAL;
  return lib::guarded([&] {
    lib::use_model(vmaf->context, model->loaded.state());
    return 0;
  });
}

int vmaf_use_features_from_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection) {
  if (vmaf == nullptr || model_collection == nullptr) return -EINVAL;
  return lib::guarded([&] {
    for (const auto& member : model_collection->members) lib::use_model(vmaf->context, member->state());
    return 0;
  });
}

int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict) {
  if (vmaf == nullptr || feature_name == nullptr) return -EINVAL;
  return lib::guarded([&] { return lib::use_feature(vmaf->context, feature_name, opts_dict); });
}

int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value, unsigned index) {
  if (vmaf == nullptr || feature_name == nullptr) return -EINVAL;
  return lib::guarded([&] { return vmaf->context.import(feature_name, index, value) ? 0 : -EINVAL; });
}

int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg) {
  if (vmaf == nullptr || cfg.pic_cnt == 0) return -EINVAL;
  const lib::PictureShape shape = {.format = lib::number_of(cfg.pic_params.pix_fmt),
                                   .bits = cfg.pic_params.bpc,
                                   .width = cfg.pic_params.w,
                                   .height = cfg.pic_params.h};
  if (!lib::is_valid(shape)) return -EINVAL;
  vmaf->context.preallocate(shape, lib::Context::PoolPlace::kHost);
  return 0;
}

int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  if (vmaf == nullptr || pic == nullptr) return -EINVAL;
  return lib::guarded([&] {
    *pic = vmaf->context.fetch();
    return 0;
  });
}

int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index) {
  if (vmaf == nullptr || (ref == nullptr) != (dist == nullptr)) return -EINVAL;
  return lib::guarded(
      [&] { return ref == nullptr ? vmaf->context.flush() : vmaf->context.read(*ref, *dist, index); });
}

int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg) {
  if (vmaf == nullptr || cfg.feature_name == nullptr || cfg.callback == nullptr) return -EINVAL;
  return lib::guarded([&] {
    vmaf->context.add_handler(cfg);
    return 0;
  });
}

int vmaf_cuda_state_init(VmafCudaState** cu_state, VmafCudaConfiguration cfg) {
  if (cu_state == nullptr) return -EINVAL;
  *cu_state = nullptr;
  return lib::guarded([&] {
    try {
      *cu_state = &lib::state_of(lib::find_cuda_context(cfg.cu_ctx));
      return 0;
    } catch (const vq::Error& error) {
      lib::log(lib::LogLevel::kError, error.what());
      return -ENOSYS;
    }
  });
}

int vmaf_cuda_import_state(VmafContext* vmaf, VmafCudaState* cu_state) {
  if (vmaf == nullptr || cu_state == nullptr) return -EINVAL;
  return lib::guarded([&] {
    vmaf->context.use_cuda(cu_state->cuda);
    return 0;
  });
}

int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg) {
  if (vmaf == nullptr || !vmaf->context.has_cuda()) return -EINVAL;
  const int method = lib::number_of(cfg.pic_prealloc_method);
  if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) return 0;
  const lib::PictureShape shape = {.format = lib::number_of(cfg.pic_params.pix_fmt),
                                   .bits = cfg.pic_params.bpc,
                                   .width = cfg.pic_params.w,
                                   .height = cfg.pic_params.h};
  if (method > VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED || !lib::is_valid(shape)) return -EINVAL;
  const bool is_on_device = method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE;
  return lib::guarded([&] {
    if (is_on_device) lib::format_of(shape, "announced");
    vmaf->context.preallocate(shape,
                              is_on_device ? lib::Context::PoolPlace::kCuda : lib::Context::PoolPlace::kHost);
    return 0;
  });
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  return vmaf_fetch_preallocated_picture(vmaf, pic);
}

// Functions that ask for scores: of a frame, and pooled.

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

// Nothing if a score is missing, or for a method that there is not. `get` gives the score of a frame, or
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

// Statistics over the models of a collection.
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

// The stored statistics of a frame.
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

// Functions of contexts.
#include <cstdio>

#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/libvmaf/context.h"
#include "engine/models/model.h"

namespace vq::libvmaf {

static std::atomic<LogLevel> process_level = LogLevel::kInfo;

void set_log_level(LogLevel level) { process_level = level; }

void log(LogLevel level, std::string_view text) noexcept {
  constexpr const char* kNames[] = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
  if (level > process_level) return;
  // In one call, so that lines of several threads do not mix.
  std::fprintf(stderr, "libvmaf %s %.*s\n", kNames[static_cast<size_t>(level)], static_cast<int>(text.size()),
               text.data());
}

// Does nothing.
constexpr const char* kNothing = "null";
// libvmaf's older features, which builds of it have by request alone.
constexpr const char* kFloatFeatures[] = {"float_adm",    "float_ansnr", "float_moment",
                                          "float_motion", "float_psnr",  "float_vif"};

static int use_feature(Context& context, const std::string& name, VmafFeatureDictionary* options) {
  if (name != kNothing) {
    const FeatureInfo* const feature = find_extractor(name);
    if (feature == nullptr) {
      const bool is_float = contains(kFloatFeatures, name);
      log(LogLevel::kError,
          words("there is no extractor {}{}", name,
                is_float ? ": of the float features this library has those of SSIM alone" : ""));
      return -EINVAL;
    }
    using Entries = std::map<std::string, std::string>;
    context.use(request_of(*feature, options == nullptr ? Entries() : options->entries));
  }
  delete options;
  return 0;
}

static void use_model(Context& context, const std::shared_ptr<const ModelState>& model) {
  for (const FeatureRequest& request : usable(*model).features) context.use(request);
  context.mount(model);
}

// The pictures that are to be fetched.
template <typename Configuration>
static PictureShape announced_shape(const Configuration& cfg) {
  return {.format = number_of(cfg.pic_params.pix_fmt),
          .bits = cfg.pic_params.bpc,
          .width = cfg.pic_params.w,
          .height = cfg.pic_params.h};
}

}  // namespace vq::libvmaf

// State that callers import into contexts.
struct VmafCudaState {
  vq::libvmaf::CudaContext cuda;
};

namespace vq::libvmaf {

// Callers never give a state back, so each CUDA context has one for good.
static VmafCudaState& state_of(const CudaContext& cuda) {
  device_with(cuda.uuid);
  static auto* const states = new std::map<void*, VmafCudaState>();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  VmafCudaState& state = (*states)[cuda.context];
  state.cuda = cuda;
  return state;
}

}  // namespace vq::libvmaf

namespace lib = vq::libvmaf;

const char* vmaf_version() {
  static const std::string kVersion = std::string("3.2.0+cambi") + vq::version();
  return kVersion.c_str();
}

int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg) {
  return lib::guarded(vmaf != nullptr, [&] {
    lib::set_log_level(static_cast<lib::LogLevel>(lib::number_of(cfg.log_level)));
    *vmaf = new VmafContext(cfg);
  });
}

int vmaf_close(VmafContext* vmaf) {
  if (vmaf == nullptr) return -EINVAL;
  delete vmaf;
  return 0;
}

int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model) {
  return lib::guarded(vmaf != nullptr && model != nullptr,
                      [&] { lib::use_model(vmaf->context, model->loaded.state()); });
}

int vmaf_use_features_from_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection) {
  return lib::guarded(vmaf != nullptr && model_collection != nullptr, [&] {
    for (const auto& member : model_collection->members) lib::use_model(vmaf->context, member->state());
  });
}

int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict) {
  return lib::guarded(vmaf != nullptr && feature_name != nullptr,
                      [&] { return lib::use_feature(vmaf->context, feature_name, opts_dict); });
}

int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value, unsigned index) {
  return lib::guarded(vmaf != nullptr && feature_name != nullptr,
                      [&] { return vmaf->context.import(feature_name, index, value) ? 0 : -EINVAL; });
}

int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg) {
  if (vmaf == nullptr || cfg.pic_cnt == 0) return -EINVAL;
  const lib::PictureShape shape = lib::announced_shape(cfg);
  if (!lib::is_valid(shape)) return -EINVAL;
  vmaf->context.preallocate(shape, false);
  return 0;
}

int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  return lib::guarded(vmaf != nullptr && pic != nullptr, [&] { *pic = vmaf->context.fetch(); });
}

int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index) {
  return lib::guarded(vmaf != nullptr && (ref == nullptr) == (dist == nullptr), [&] {
    return ref == nullptr ? vmaf->context.flush() : vmaf->context.read(*ref, *dist, index);
  });
}

int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg) {
  return lib::guarded(vmaf != nullptr && cfg.feature_name != nullptr && cfg.callback != nullptr,
                      [&] { vmaf->context.add_handler(cfg); });
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
  return lib::guarded(vmaf != nullptr && cu_state != nullptr, [&] {
    vmaf->context.use_cuda(cu_state->cuda);
    return 0;
  });
}

int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg) {
  if (vmaf == nullptr || !vmaf->context.has_cuda()) return -EINVAL;
  const int method = lib::number_of(cfg.pic_prealloc_method);
  if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) return 0;
  const lib::PictureShape shape = lib::announced_shape(cfg);
  if (method > VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED || !lib::is_valid(shape)) return -EINVAL;
  const bool is_on_device = method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE;
  return lib::guarded([&] {
    if (is_on_device) lib::format_of(shape, "announced");
    vmaf->context.preallocate(shape, is_on_device);
  });
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  return vmaf_fetch_preallocated_picture(vmaf, pic);
}

// Functions that ask for scores: of a frame, and pooled.

namespace vq::libvmaf {
namespace {

// Gives the caller what find(context) finds.
template <typename Value, typename Find>
int give(VmafContext* vmaf, const void* scored, Value* place, Find find) {
  return guarded(vmaf != nullptr && scored != nullptr && place != nullptr, [&] {
    const std::optional<Value> found = find(vmaf->context);
    if (!found) return -EINVAL;
    *place = *found;
    return 0;
  });
}

// The frames that a caller pools, and how.
struct Pooling {
  Pooling(VmafPoolingMethod asked, unsigned low, unsigned high)
      : method(number_of(asked)), interval{low, high} {}

  // The pooled value. Returns nothing if pool() does, if the method is unknown, or if the interval ends
  // before it begins.
  template <typename Get>
  std::optional<double> of(const Context& context, Get get, const Averaging& mean = {}) const {
    if (method == VMAF_POOL_METHOD_UNKNOWN || interval.low > interval.high) return std::nullopt;
    const std::optional<Pool> pooled = pool(context, interval, get, mean);
    return pooled ? pooled->pooled(method) : std::nullopt;
  }

  int method;
  Interval interval;
};

// Statistics over the models of a collection.
using Statistics = std::array<double, kCollectionScores>;

std::string statistic_name(const VmafModelCollection& collection, size_t number) {
  return words("{}{}", collection.name, kCollectionEndings[number]);
}

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
  for (size_t i = 0; i < kCollectionScores; ++i) {
    const std::optional<double> value = context.scores().find(statistic_name(collection, i), index);
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
  for (size_t i = 0; i < kCollectionScores; ++i) names.push_back(statistic_name(collection, i));
  const std::vector<double> scores = model::predict_collection(models, values);
  Statistics statistics;
  for (size_t i = 0; i < names.size(); ++i) {
    const double kept = context.put_prediction(names[i], index, scores[i]);
    if (i >= models.size()) statistics[i - models.size()] = kept;
  }
  return statistics;
}

std::optional<VmafModelCollectionScore> pooled(Context& context, const VmafModelCollection& collection,
                                               const Pooling& pooling) {
  Statistics pooled;
  for (size_t i = 0; i < kCollectionScores; ++i) {
    const auto get = [&](unsigned index) {
      const std::optional<Statistics> found = statistics_of(context, collection, index);
      return found ? std::optional((*found)[i]) : std::nullopt;
    };
    const std::optional<double> one = pooling.of(context, get);
    if (!one) return std::nullopt;
    pooled[i] = *one;
  }
  return as_score(pooled);
}

}  // namespace
}  // namespace vq::libvmaf

int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index) {
  return lib::give(vmaf, model, score,
                   [&](lib::Context& context) { return context.score(*model->loaded.state(), index); });
}

int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index) {
  return lib::give(vmaf, model_collection, score, [&](lib::Context& context) {
    const auto found = lib::statistics_of(context, *model_collection, index);
    return found ? std::optional(lib::as_score(*found)) : std::nullopt;
  });
}

int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score, unsigned index) {
  return lib::give(vmaf, feature_name, score,
                   [&](lib::Context& context) { return context.score(std::string(feature_name), index); });
}

int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, VmafPoolingMethod pool_method, double* score,
                      unsigned index_low, unsigned index_high) {
  return lib::give(vmaf, model, score, [&](lib::Context& context) {
    const auto state = model->loaded.state();
    return lib::Pooling(pool_method, index_low, index_high).of(context, [&](unsigned index) {
      return context.score(*state, index);
    });
  });
}

int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       VmafPoolingMethod pool_method, VmafModelCollectionScore* score,
                                       unsigned index_low, unsigned index_high) {
  return lib::give(vmaf, model_collection, score, [&](lib::Context& context) {
    return lib::pooled(context, *model_collection, {pool_method, index_low, index_high});
  });
}

int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name, VmafPoolingMethod pool_method,
                              double* score, unsigned index_low, unsigned index_high) {
  return lib::give(vmaf, feature_name, score, [&](lib::Context& context) {
    const std::string name = feature_name;
    const auto get = [&](unsigned index) { return context.score(name, index); };
    return lib::Pooling(pool_method, index_low, index_high)
        .of(context, get, vq::known_metric(lib::reported_name(name)).mean);
  });
}

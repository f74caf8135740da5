// Functions of contexts, but for scores.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/error.h"
#include "core/version.h"
#include "engine/libvmaf/context.h"
#include "engine/libvmaf/dictionary.h"
#include "engine/libvmaf/guarded.h"
#include "engine/libvmaf/interface.h"

namespace vq::libvmaf {
namespace {

// Does nothing.
constexpr const char* kNothing = "null";
// Of libvmaf's older features, which builds of it have by request alone.
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

// What callers import into contexts.
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

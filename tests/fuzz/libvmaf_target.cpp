// Calls of the library that takes libvmaf's place, in any order: nulls, pictures of any kind, models and
// collections of files that are damaged, dictionaries that are taken or not, a second thread that asks.
#include <cstdlib>
#include <thread>

#include "engine/libvmaf/interface.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
namespace {

constexpr const char* kExtractors[] = {
    "cambi",        "psnr",          "motion",         "ciede",       "float_ssim", "vif",
    "adm",          "float_ms_ssim", "psnr_hvs",       "xpsnr",       "null",       "bounds",
    "speed_chroma", "ssimulacra2",   "speed_temporal", "butteraugli", "float_adm",  "cvvdp"};
constexpr const char* kVersions[] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_b_v0.6.3", "vmaf_v1.0.16_3d0h",
                                     "vmaf_4k_v0.6.1"};
constexpr const char* kScores[] = {"psnr_y",     "vmaf",
                                   "b",          "VMAF_integer_feature_motion2_score",
                                   "float_ssim", "VMAF_integer_feature_adm2_score",
                                   "ciede2000",  "Cambi_feature_cambi_score"};
constexpr const char* kKeys[] = {"enable_chroma",     "debug",    "window_size", "vif_enhn_gain_limit",
                                 "enable_apsnr",      "full_ref", "enc_width",   "topk",
                                 "motion_force_zero", "fps",      "enc_bitdepth"};
constexpr const char* kValues[] = {"true", "false", "1.0", "15", "100", "", "1e300", "nan", "0x10", "-7"};
constexpr int kMostReads = 12;  // of a context, so that an input takes no longer than some milliseconds

void check(int code) {
  require(code == 0 || code == -EINVAL || code == -ENOMEM, "a call returns 0, -EINVAL or -ENOMEM");
}

bool is_cleared(const VmafPicture& picture) {
  const VmafPicture nothing = {};
  return std::memcmp(&picture, &nothing, sizeof nothing) == 0;
}

struct OpenContext {
  VmafContext* context = nullptr;
  int reads = 0;
};

struct State {
  std::array<OpenContext, 2> contexts;
  std::array<VmafModel*, 2> models = {};
  std::array<VmafModelCollection*, 2> collections = {};
  VmafFeatureDictionary* dictionary = nullptr;
};

template <typename T, size_t n>
T& any(ByteTaker& taker, std::array<T, n>& all) {
  return all[static_cast<size_t>(taker.integer(0, static_cast<int>(n) - 1))];
}

void open(ByteTaker& taker, OpenContext& place) {
  if (place.context != nullptr) check(vmaf_close(place.context));
  place = {};
  VmafConfiguration configuration = {};
  configuration.log_level = VMAF_LOG_LEVEL_NONE;
  configuration.n_threads = taker.integer(0, 2) == 0 ? static_cast<unsigned>(taker.integer(0, 3)) : 0;
  configuration.n_subsample = static_cast<unsigned>(taker.integer(0, 3));
  configuration.cpumask = taker.integer(0, 3) == 0 ? taker.word(8) : 0;
  configuration.gpumask = taker.integer(0, 1) == 0 ? taker.word(8) : 0;
  require(vmaf_init(&place.context, configuration) == 0, "a context opens");
}

// The text of a model's file, maybe damaged.
std::string take_model(ByteTaker& taker) {
  std::string text =
      R"({"param_dict":{"C":4,"norm_type":"clip_0to1","score_clip":[0,100],"nu":0.9,"gamma":0.05},)"
      R"("model_dict":{"model":"svm_type nu_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv 2\n)"
      R"(rho -1.2\nSV\n4 1:0.5 2:0.25 \n-3.5 1:0.75 2:0.1 \n",)"
      R"("slopes":[0.012,2.8,1.06],"intercepts":[-0.3,-1.8,-0.07],"model_type":"LIBSVMNUSVR",)"
      R"("feature_names":["VMAF_integer_feature_adm2_score","VMAF_integer_feature_motion2_score"],)"
      R"("norm_type":"linear_rescale","score_clip":[0,100],)"
      R"("score_transform":{"p0":1.7,"p1":0.05,"p2":0.01,"out_gte_in":"true"},)"
      R"("feature_dict":{"VMAF_feature":["adm2","motion2"]},)"
      R"("feature_opts_dicts":[{},{"motion_force_zero":true}]}})";
  for (int changes = taker.integer(0, 4); changes > 0; --changes) {
    const size_t place = taker.word(2) % text.size();
    const size_t length = static_cast<size_t>(taker.integer(0, 40));
    text.replace(place, length, taker.integer(0, 1) == 0 ? "" : taker.text());
    if (text.empty()) text = "{";
  }
  return text;
}

void load(ByteTaker& taker, State& state) {
  std::string own, name;
  VmafModelConfig configuration = {one_of(taker, kScores, name), static_cast<uint64_t>(taker.integer(0, 7))};
  VmafModelConfig* const given = taker.integer(0, 7) == 0 ? nullptr : &configuration;
  VmafModel*& model = any(taker, state.models);
  VmafModelCollection*& collection = any(taker, state.collections);
  vmaf_model_destroy(std::exchange(model, nullptr));
  switch (taker.integer(0, 3)) {
    case 0:
      return check(vmaf_model_load(&model, given, one_of(taker, kVersions, own)));
    case 1:
      vmaf_model_collection_destroy(std::exchange(collection, nullptr));
      return check(vmaf_model_collection_load(&model, &collection, given, one_of(taker, kVersions, own)));
    case 2:
      return check(vmaf_model_load_from_path(&model, given, MemoryFile(take_model(taker)).path().c_str()));
    default:
      vmaf_model_collection_destroy(std::exchange(collection, nullptr));
      return check(vmaf_model_collection_load_from_path(&model, &collection, given,
                                                        MemoryFile(take_model(taker)).path().c_str()));
  }
}

void set_entry(ByteTaker& taker, State& state) {
  std::string key, value;
  const char* const at = one_of(taker, kKeys, key);
  check(vmaf_feature_dictionary_set(&state.dictionary, at, one_of(taker, kValues, value)));
}

// Calls that take the dictionary unless they fail.
void give_dictionary(ByteTaker& taker, State& state, VmafContext* context) {
  std::string own;
  const int what = taker.integer(0, 4);
  if (what == 0) {
    check(vmaf_feature_dictionary_free(&state.dictionary));
    require(state.dictionary == nullptr, "what was freed is null");
    return;
  }
  const char* const extractor = one_of(taker, kExtractors, own);
  VmafModel* const model = any(taker, state.models);
  int code = 0;
  if (what == 1) {
    code = vmaf_model_feature_overload(model, extractor, state.dictionary);
  } else if (what == 2) {
    code = vmaf_model_collection_feature_overload(model, &any(taker, state.collections), extractor,
                                                  state.dictionary);
  } else {
    code = vmaf_use_feature(context, extractor, state.dictionary);
  }
  check(code);
  if (code == 0) state.dictionary = nullptr;
}

// Sizes are small, or refused.
std::optional<VmafPicture> take_picture(ByteTaker& taker, const OpenContext& open) {
  const bool is_odd = taker.integer(0, 5) == 0;
  const auto format = static_cast<VmafPixelFormat>(is_odd ? taker.integer(0, 5) : VMAF_PIX_FMT_YUV420P);
  const auto bits = static_cast<unsigned>(is_odd ? taker.integer(7, 17) : 8);
  const auto width = static_cast<unsigned>(is_odd ? taker.integer(0, 300) : 232);
  const auto height = static_cast<unsigned>(is_odd ? taker.integer(0, 260) : 216);
  VmafPicture picture = {};
  const int code = taker.integer(0, 5) == 0 ? vmaf_fetch_preallocated_picture(open.context, &picture)
                                            : vmaf_picture_alloc(&picture, format, bits, width, height);
  check(code);
  if (code != 0) return std::nullopt;
  const int step = taker.integer(1, 40), top = taker.integer(0, 20) == 0 ? 255 : 0;
  for (size_t plane = 0; plane < 3 && picture.data[plane] != nullptr; ++plane) {
    auto* const samples = static_cast<uint8_t*>(picture.data[plane]);
    const auto bytes = static_cast<size_t>(picture.stride[plane]) * picture.h[plane];
    // Into the padding too, as some clients write. Above 8 bits the upper byte is 0, or too large for most.
    for (size_t i = 0; i < bytes; ++i) {
      const bool is_upper = picture.bpc > 8 && i % 2 == 1;
      samples[i] = static_cast<uint8_t>(is_upper ? top : i / static_cast<size_t>(step));
    }
  }
  return picture;
}

void give_back(VmafPicture& picture) {
  require(vmaf_picture_unref(&picture) == 0, "a picture that was not taken is the caller's");
  require(is_cleared(picture), "a picture that was given back is cleared");
  require(vmaf_picture_unref(&picture) == -EINVAL, "nothing is given back twice");
}

void read(ByteTaker& taker, OpenContext& open) {
  if (open.reads++ >= kMostReads) return;
  const auto index = static_cast<unsigned>(taker.integer(0, 3) == 0 ? taker.integer(0, 20) : open.reads - 1);
  std::optional<VmafPicture> reference = take_picture(taker, open), distorted = take_picture(taker, open);
  const int lacks = taker.integer(0, 30);
  VmafPicture nothing = {};
  VmafPicture* const first = lacks == 0 ? nullptr : reference ? &*reference : &nothing;
  VmafPicture* const second = lacks == 1 ? nullptr : distorted ? &*distorted : &nothing;
  const int code = vmaf_read_pictures(open.context, first, second, index);
  check(code);
  if (code == 0) {
    require(is_cleared(*first) && is_cleared(*second), "pictures that were read are cleared");
    require(vmaf_picture_unref(first) == -EINVAL, "pictures that were read are the library's");
    return;
  }
  if (reference) give_back(*reference);
  if (distorted) give_back(*distorted);
}

// What any thread may ask at any time.
void ask(ByteTaker& taker, const State& state, VmafContext* context) {
  std::string own;
  const auto low = static_cast<unsigned>(taker.integer(0, kMostReads)),
             high = static_cast<unsigned>(taker.integer(0, kMostReads));
  const auto method = static_cast<VmafPoolingMethod>(taker.integer(0, 6));
  VmafModel* const model = state.models[low % state.models.size()];
  VmafModelCollection* const collection = state.collections[high % state.collections.size()];
  const char* const name = one_of(taker, kScores, own);
  VmafModelCollectionScore scores = {};
  double value = 0;
  double* const place = taker.integer(0, 30) == 0 ? nullptr : &value;
  switch (taker.integer(0, 6)) {
    case 0:
      return check(vmaf_score_at_index(context, model, place, low));
    case 1:
      return check(vmaf_score_at_index_model_collection(context, collection, &scores, low));
    case 2:
      return check(vmaf_score_pooled(context, model, method, place, low, high));
    case 3:
      return check(vmaf_score_pooled_model_collection(context, collection, method, &scores, low, high));
    case 4:
      return check(vmaf_feature_score_pooled(context, name, method, place, low, high));
    case 5:
      return check(vmaf_write_output(context, taker.integer(0, 9) == 0 ? nullptr : "/dev/null",
                                     static_cast<VmafOutputFormat>(taker.integer(0, 5))));
    default:
      return check(vmaf_feature_score_at_index(context, name, place, low));
  }
}

void import(ByteTaker& taker, VmafContext* context) {
  std::string own;
  const char* const name = one_of(taker, kScores, own);
  const double value = taker.real();
  check(vmaf_import_feature_score(context, name, value, static_cast<unsigned>(taker.integer(0, 20))));
}

void preallocate(ByteTaker& taker, VmafContext* context) {
  VmafPictureConfiguration pool = {};
  pool.pic_params.w = static_cast<unsigned>(taker.integer(0, 3) == 0 ? taker.integer(0, 300) : 232);
  pool.pic_params.h = static_cast<unsigned>(taker.integer(0, 3) == 0 ? taker.integer(0, 260) : 216);
  pool.pic_params.bpc = static_cast<unsigned>(taker.integer(0, 3) == 0 ? taker.integer(7, 17) : 8);
  pool.pic_params.pix_fmt = static_cast<VmafPixelFormat>(taker.integer(0, 5));
  pool.pic_cnt = static_cast<unsigned>(taker.integer(0, 4));
  check(vmaf_preallocate_pictures(context, pool));
}

void count_score(void* data, VmafMetadata* metadata) {
  require(metadata != nullptr && metadata->feature_name != nullptr,
          "a metadata handler is given the name of its score");
  ++*static_cast<uint64_t*>(data);
}

void listen(ByteTaker& taker, VmafContext* context) {
  static char names[2][8] = {"psnr_y", "vmaf"};
  static uint64_t counts[2] = {};
  const auto which = static_cast<size_t>(taker.integer(0, 2));
  char* const name = which < 2 ? names[which] : nullptr;
  check(vmaf_register_metadata_handler(context, {name, count_score, &counts[which % 2]}));
}

void use_model(ByteTaker& taker, const State& state, VmafContext* context) {
  if (taker.integer(0, 2) != 0) {
    check(vmaf_use_features_from_model(context, state.models[taker.byte() % state.models.size()]));
  } else {
    VmafModelCollection* const collection = state.collections[taker.byte() % state.collections.size()];
    check(vmaf_use_features_from_model_collection(context, collection));
  }
}

// A second thread asks while this one reads.
void read_beside(ByteTaker& taker, const State& state, OpenContext& open) {
  const std::span<const uint8_t> rest = taker.rest();
  std::thread reader([&state, rest, context = open.context] {
    ByteTaker own(rest.first(std::min<size_t>(rest.size(), 48)));
    while (!own.empty()) ask(own, state, context);
  });
  read(taker, open);
  reader.join();
}

void change(ByteTaker& taker, State& state, OpenContext& open_one) {
  switch (taker.integer(0, 15)) {
    case 0:
      return open(taker, open_one);
    case 1:
      return load(taker, state);
    case 2:
      return set_entry(taker, state);
    case 3:
    case 4:
      return give_dictionary(taker, state, open_one.context);
    case 5:
      return use_model(taker, state, open_one.context);
    case 6:
      return import(taker, open_one.context);
    case 7:
      return preallocate(taker, open_one.context);
    case 8:
      return listen(taker, open_one.context);
    case 9:
      if (taker.integer(0, 2) == 0) check(vmaf_read_pictures(open_one.context, nullptr, nullptr, 0));
      return;
    case 10:
      return ask(taker, state, open_one.context);
    case 11:
      return read_beside(taker, state, open_one);
    default:
      return read(taker, open_one);
  }
}

}  // namespace

void run_libvmaf(std::span<const uint8_t> bytes) {
  for (const char* variable : {"CAMBI_BACKEND", "CAMBI_DEVICE", "CAMBI_THREADS", "CAMBI_QUEUE_MB"})
    unsetenv(variable);
  ByteTaker taker(bytes);
  State state;
  for (OpenContext& each : state.contexts) open(taker, each);
  while (!taker.empty()) {
    OpenContext nothing;
    change(taker, state, taker.integer(0, 40) == 0 ? nothing : any(taker, state.contexts));
    if (nothing.context != nullptr) check(vmaf_close(nothing.context));
  }
  // In either order: no context follows a model that is gone.
  const bool closes_first = taker.integer(0, 1) == 0;
  const auto close_all = [&] {
    for (const OpenContext& each : state.contexts) require(vmaf_close(each.context) == 0, "a context closes");
  };
  if (closes_first) close_all();
  for (VmafModel* model : state.models) vmaf_model_destroy(model);
  for (VmafModelCollection* collection : state.collections) vmaf_model_collection_destroy(collection);
  vmaf_feature_dictionary_free(&state.dictionary);
  if (!closes_first) close_all();
}

}  // namespace vq::fuzz

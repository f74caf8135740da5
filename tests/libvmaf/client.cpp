#include "tests/libvmaf/client.h"

#include <regex>

#include "tests/support/temporary_folder.h"

namespace client {
namespace {

uint32_t noise(uint32_t x, uint32_t y, uint32_t z) {
  uint32_t state = x * 73856093U ^ y * 19349663U ^ z * 83492791U;
  for (int i = 0; i < 2; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
  }
  return state;
}

// Two ramps and some grain, which move with time.
unsigned pattern(unsigned plane, unsigned x, unsigned y, unsigned time) {
  const unsigned across = (x + 2 * time) % 160, down = (y + plane * 24) % 120;
  return 20 + across + down / 2 + noise(x / 2 + time, y / 2, plane) % 16;
}

}  // namespace

Context open(unsigned threads, unsigned subsample) {
  VmafConfiguration configuration = {};
  configuration.n_threads = threads;
  configuration.n_subsample = subsample;
  VmafContext* context = nullptr;
  EXPECT_EQ(vmaf_init(&context, configuration), 0);
  return Context(context);
}

Model load(const char* version, const char* name, uint64_t flags) {
  VmafModelConfig configuration = {name, flags};
  VmafModel* model = nullptr;
  EXPECT_EQ(vmaf_model_load(&model, &configuration, version), 0) << version;
  return Model(model);
}

Context open_with(const Model& model, unsigned threads, unsigned subsample) {
  Context context = open(threads, subsample);
  EXPECT_EQ(vmaf_use_features_from_model(context.get(), model.get()), 0);
  return context;
}

int use(const Context& context, const char* extractor,
        const std::vector<std::pair<const char*, const char*>>& options) {
  VmafFeatureDictionary* dictionary = nullptr;
  for (const auto& [key, value] : options) EXPECT_EQ(vmaf_feature_dictionary_set(&dictionary, key, value), 0);
  const int used = vmaf_use_feature(context.get(), extractor, dictionary);
  if (used != 0) vmaf_feature_dictionary_free(&dictionary);
  return used;
}

VmafPicture alloc(const Shape& shape) {
  VmafPicture picture;
  EXPECT_EQ(vmaf_picture_alloc(&picture, shape.format, shape.bits, shape.width, shape.height), 0);
  return picture;
}

void draw(VmafPicture& picture, unsigned time, unsigned strength) {
  for (unsigned plane = 0; plane < 3 && picture.data[plane] != nullptr; ++plane) {
    for (unsigned y = 0; y < picture.h[plane]; ++y) {
      auto* const row = static_cast<unsigned char*>(picture.data[plane]) + picture.stride[plane] * y;
      for (unsigned x = 0; x < picture.w[plane]; ++x) {
        const unsigned coarse = pattern(plane, x, y, time) / (1 + strength) * (1 + strength);
        const unsigned below = strength == 0 ? noise(x, y, time) % (1U << (picture.bpc - 8)) : 0;
        const unsigned value = (coarse << (picture.bpc - 8)) + below;
        if (picture.bpc == 8) {
          row[x] = static_cast<unsigned char>(value);
        } else {
          reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(value);
        }
      }
    }
  }
}

int read_at(const Context& context, const Shape& shape, unsigned index, unsigned time) {
  VmafPicture reference = alloc(shape), distorted = alloc(shape);
  draw(reference, time, 0);
  draw(distorted, time, 13);
  const int result = vmaf_read_pictures(context.get(), &reference, &distorted, index);
  EXPECT_EQ(reference.ref != nullptr, result != 0);
  EXPECT_EQ(distorted.ref != nullptr, result != 0);
  if (result != 0) {
    EXPECT_EQ(vmaf_picture_unref(&reference), 0);
    EXPECT_EQ(vmaf_picture_unref(&distorted), 0);
  }
  return result;
}

int flush(const Context& context) { return vmaf_read_pictures(context.get(), nullptr, nullptr, 0); }

void feed(const Context& context, const Shape& shape, unsigned frames) {
  for (unsigned index = 0; index < frames; ++index) ASSERT_EQ(read(context, shape, index), 0) << index;
  ASSERT_EQ(flush(context), 0);
}

std::optional<double> score(const Context& context, const char* name, unsigned index) {
  double value = 0;
  if (vmaf_feature_score_at_index(context.get(), name, &value, index) != 0) return std::nullopt;
  return value;
}

std::optional<double> score(const Context& context, const Model& model, unsigned index) {
  double value = 0;
  if (vmaf_score_at_index(context.get(), model.get(), &value, index) != 0) return std::nullopt;
  return value;
}

std::optional<double> pooled(const Context& context, const Model& model, VmafPoolingMethod method,
                             unsigned low, unsigned high) {
  double value = 0;
  if (vmaf_score_pooled(context.get(), model.get(), method, &value, low, high) != 0) return std::nullopt;
  return value;
}

std::string report(const Context& context, VmafOutputFormat format) {
  const vq::test::TemporaryFolder folder;
  const std::string path = folder.path() + "/report";
  EXPECT_EQ(vmaf_write_output(context.get(), path.c_str(), format), 0);
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  file.close();
  text = std::regex_replace(text, std::regex("version(=|\": )\"3\\.2\\.0[^\"]*\""), "version$1\"3.2.0\"");
  return std::regex_replace(text, std::regex("fps(=\"|\": )[0-9.]+"), "fps$1x");
}

}  // namespace client

// What the tests of the library share: pictures, and owners of what its functions make. They use nothing but
// the library's interface, as any program does.
#pragma once

#include <libvmaf/libvmaf.h>
#include <libvmaf/version.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace client {

// Its declaration is in no header.
struct Metadata {
  char* feature_name;
  unsigned picture_index;
  double score;
};
struct MetadataConfiguration {
  char* feature_name;
  void (*callback)(void* data, Metadata* metadata);
  void* data;
};
extern "C" int vmaf_register_metadata_handler(VmafContext* vmaf, MetadataConfiguration cfg);

struct CloseContext {
  void operator()(VmafContext* context) const { vmaf_close(context); }
};
struct DestroyModel {
  void operator()(VmafModel* model) const { vmaf_model_destroy(model); }
};
struct DestroyCollection {
  void operator()(VmafModelCollection* models) const { vmaf_model_collection_destroy(models); }
};
using Context = std::unique_ptr<VmafContext, CloseContext>;
using Model = std::unique_ptr<VmafModel, DestroyModel>;
using Collection = std::unique_ptr<VmafModelCollection, DestroyCollection>;

// Says nothing.
Context open(unsigned threads = 0, unsigned subsample = 1);
Model load(const char* version, const char* name = "vmaf", uint64_t flags = 0);
// A context that uses the model.
Context open_with(const Model& model, unsigned threads = 0, unsigned subsample = 1);
// Returns what vmaf_use_feature() does. The dictionary is freed where that does not take it.
int use(const Context& context, const char* extractor,
        const std::vector<std::pair<const char*, const char*>>& options = {});

struct Shape {
  VmafPixelFormat format = VMAF_PIX_FMT_YUV420P;
  unsigned bits = 8, width = 384, height = 288;
};
VmafPicture alloc(const Shape& shape);
// A moving pattern; a distorted one is coarser by `strength`. The same on every machine.
void draw(VmafPicture& picture, unsigned time, unsigned strength);
// Reads a pair, which shows the time `time`. Gives refused pictures back.
int read_at(const Context& context, const Shape& shape, unsigned index, unsigned time);
inline int read(const Context& context, const Shape& shape, unsigned index) {
  return read_at(context, shape, index, index);
}
int flush(const Context& context);
// Reads so many pairs and flushes. Fails the test where that fails.
void feed(const Context& context, const Shape& shape, unsigned frames);

std::optional<double> score(const Context& context, const char* name, unsigned index);
std::optional<double> score(const Context& context, const Model& model, unsigned index);
std::optional<double> pooled(const Context& context, const Model& model, VmafPoolingMethod method,
                             unsigned low, unsigned high);
// What vmaf_write_output() writes, without the version and the speed.
std::string report(const Context& context, VmafOutputFormat format);

}  // namespace client

// Everything that the library shows: what include/libvmaf declares, and functions that programs call without
// a header. Whatever includes a public header includes it here.
#pragma once

#pragma GCC visibility push(default)

#include "libvmaf/feature.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/version.h"

extern "C" {

// A score that was stored.
struct VmafMetadata {
  char* feature_name;
  unsigned picture_index;
  double score;
};

// Whom to tell of the scores of a name, which is kept as a pointer.
struct VmafMetadataConfiguration {
  char* feature_name;
  void (*callback)(void* data, VmafMetadata* metadata);
  void* data;
};

// The callback must not call the library. Returns 0 or -EINVAL.
int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg);

// For programs that were built for a libvmaf with CUDA, of which this library has nothing: the first returns
// -ENOSYS, the others -EINVAL.
struct VmafCudaState;
struct VmafCudaConfiguration {
  void* cu_ctx;
};
struct VmafCudaPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params;
  int pic_prealloc_method;
};
int vmaf_cuda_state_init(VmafCudaState** cu_state, VmafCudaConfiguration cfg);
int vmaf_cuda_import_state(VmafContext* vmaf, VmafCudaState* cu_state);
int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg);
int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

}  // extern "C"

#pragma GCC visibility pop

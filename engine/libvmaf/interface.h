// The whole interface of the library: what include/libvmaf declares, and functions that programs call without
// a header. Sources include this instead of the public headers.
#pragma once

#pragma GCC visibility push(default)

#include "libvmaf/feature.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/version.h"

extern "C" {

// A score that has been stored.
struct VmafMetadata {
  char* feature_name;
  unsigned picture_index;
  double score;
};

// The callback for scores of one name. It keeps the pointer to the name, not a copy.
struct VmafMetadataConfiguration {
  char* feature_name;
  void (*callback)(void* data, VmafMetadata* metadata);
  void* data;
};

// The callback must not call the library. Returns 0 or -EINVAL.
int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg);

}  // extern "C"

#pragma GCC visibility pop

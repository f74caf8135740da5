// Everything that the library shows: what include/libvmaf declares, and functions that programs call without
// a header. Whatever includes a public header includes it here.
#pragma once

#pragma GCC visibility push(default)

#include "libvmaf/feature.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_cuda.h"
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

// The callback for the scores of a name, which is kept as a pointer.
struct VmafMetadataConfiguration {
  char* feature_name;
  void (*callback)(void* data, VmafMetadata* metadata);
  void* data;
};

// The callback must not call the library. Returns 0 or -EINVAL.
int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg);

}  // extern "C"

#pragma GCC visibility pop

/* Pictures in the memory of CUDA's devices. In a build without CUDA's headers, and where CUDA or Vulkan has
 * no device, vmaf_cuda_state_init() returns -ENOSYS. */
#ifndef CAMBI_LIBVMAF_LIBVMAF_CUDA_H
#define CAMBI_LIBVMAF_LIBVMAF_CUDA_H

#include "libvmaf/libvmaf.h"
#include "libvmaf/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafCudaState VmafCudaState;

/* `cu_ctx`: a CUcontext, which outlives all contexts that import the state; null: the primary context of
 * CUDA's first device. */
typedef struct VmafCudaConfiguration {
  void* cu_ctx;
} VmafCudaConfiguration;

/* The state belongs to the library, which has one for each CUcontext. Returns 0, -EINVAL, -ENOMEM, or -ENOSYS
 * with a null state where there is no device. From any thread. */
int vmaf_cuda_state_init(VmafCudaState** cu_state, VmafCudaConfiguration cfg);

/* From then on the context scores on that device, unless CAMBI_BACKEND names another way. Before the first
 * picture. Returns 0, -EINVAL or -ENOMEM. */
int vmaf_cuda_import_state(VmafContext* vmaf, VmafCudaState* cu_state);

enum VmafCudaPicturePreallocationMethod {
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED
};

typedef struct VmafCudaPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params;
  enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/* Says what pictures are to be fetched. Both methods of the host give pictures as vmaf_picture_alloc() makes
 * them; the method "none" does nothing. Returns 0 or -EINVAL. */
int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg);

/* A picture of zeros. On the device `data` are CUdeviceptrs that are valid in the state's context, and all
 * that was begun there is over before vmaf_read_pictures() looks at them. Returns 0, -EINVAL or -ENOMEM. */
int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

#ifdef __cplusplus
}
#endif

#endif

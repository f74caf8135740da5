/* Pictures that are handed to vmaf_read_pictures(). */
#ifndef CAMBI_LIBVMAF_PICTURE_H
#define CAMBI_LIBVMAF_PICTURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
  VMAF_PIX_FMT_UNKNOWN,
  VMAF_PIX_FMT_YUV420P,
  VMAF_PIX_FMT_YUV422P,
  VMAF_PIX_FMT_YUV444P,
  VMAF_PIX_FMT_YUV400P,
};

typedef struct VmafRef VmafRef;

/* Y, Cb and Cr, each with its size in samples and its stride in bytes. Samples of 8 bits are bytes, deeper
 * ones lie in the low bits of native 16-bit words. Chroma of odd sizes is rounded down; there is none in
 * 4:0:0. The struct may be copied and moved; `ref` is null where it holds no picture. */
typedef struct {
  enum VmafPixelFormat pix_fmt;
  unsigned bpc;
  unsigned w[3], h[3];
  ptrdiff_t stride[3];
  void* data[3];
  VmafRef* ref;
  void* priv;
} VmafPicture;

/* Makes a picture of zeros with 8 to 16 bits a sample. Returns 0, -EINVAL or -ENOMEM. */
int vmaf_picture_alloc(VmafPicture* pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h);

/* Gives the picture back and clears the struct. Returns 0, or -EINVAL where it holds none. From any thread.
 */
int vmaf_picture_unref(VmafPicture* pic);

#ifdef __cplusplus
}
#endif

#endif

/* The version of libvmaf's interface that this library has. */
#ifndef CAMBI_LIBVMAF_VERSION_H
#define CAMBI_LIBVMAF_VERSION_H

#define VMAF_API_VERSION_MAJOR 3
#define VMAF_API_VERSION_MINOR 2
#define VMAF_API_VERSION_PATCH 0

#endif

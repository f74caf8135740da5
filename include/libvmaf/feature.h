/* Options of feature extractors, as pairs of texts. */
#ifndef CAMBI_LIBVMAF_FEATURE_H
#define CAMBI_LIBVMAF_FEATURE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/* Sets a key, in a new dictionary where *dict is null. A value that is a number as a whole is stored as a
 * 32-bit float with six significant digits. Returns 0, -EINVAL or -ENOMEM. */
int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* value);

/* Frees a dictionary that no function has taken, and makes *dict null. Returns 0 or -EINVAL. */
int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict);

#ifdef __cplusplus
}
#endif

#endif

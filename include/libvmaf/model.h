/* Models, which make scores of what feature extractors find. */
#ifndef CAMBI_LIBVMAF_MODEL_H
#define CAMBI_LIBVMAF_MODEL_H

#include <stdint.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafModel VmafModel;
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
  VMAF_MODEL_FLAGS_DEFAULT = 0,
  VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),
  VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1),
  VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2),
};

/* The name of the model's scores, "vmaf" if it is null, and flags of VmafModelFlags. */
typedef struct {
  const char* name;
  uint64_t flags;
} VmafModelConfig;

enum VmafModelCollectionScoreType {
  VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
  VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP,
};

/* What the models of a collection say together: their mean, their standard deviation, and the ends of the
 * interval that has 95 % of them. */
typedef struct {
  enum VmafModelCollectionScoreType type;
  struct {
    double bagging_score;
    double stddev;
    struct {
      struct {
        double lo, hi;
      } p95;
    } ci;
  } bootstrap;
} VmafModelCollectionScore;

/* All functions below return 0, -EINVAL or -ENOMEM, and leave *model and *model_collection as they are where
 * they fail. `cfg` may be null. */

/* Loads a model that is part of the library, such as "vmaf_v0.6.1", or one of a file. A collection is no
 * model. */
int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version);
int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path);

/* Sets options of those features of the model that an extractor provides. Takes the dictionary unless it
 * fails. */
int vmaf_model_feature_overload(VmafModel* model, const char* feature_name, VmafFeatureDictionary* opts_dict);

/* Null is allowed. A context that uses the model may outlive it. */
void vmaf_model_destroy(VmafModel* model);

/* The same for a collection: a model of its own, and others that say how certain its scores are. */
int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection,
                               VmafModelConfig* cfg, const char* version);
int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path);
int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name, VmafFeatureDictionary* opts_dict);
void vmaf_model_collection_destroy(VmafModelCollection* model_collection);

#ifdef __cplusplus
}
#endif

#endif

/* Scores of videos against their references: the interface of libvmaf 3.2. See docs/libvmaf.md. */
#ifndef CAMBI_LIBVMAF_LIBVMAF_H
#define CAMBI_LIBVMAF_LIBVMAF_H

#include <stdint.h>

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafLogLevel {
  VMAF_LOG_LEVEL_NONE = 0,
  VMAF_LOG_LEVEL_ERROR,
  VMAF_LOG_LEVEL_WARNING,
  VMAF_LOG_LEVEL_INFO,
  VMAF_LOG_LEVEL_DEBUG,
};

enum VmafOutputFormat {
  VMAF_OUTPUT_FORMAT_NONE = 0,
  VMAF_OUTPUT_FORMAT_XML,
  VMAF_OUTPUT_FORMAT_JSON,
  VMAF_OUTPUT_FORMAT_CSV,
  VMAF_OUTPUT_FORMAT_SUB,
};

enum VmafPoolingMethod {
  VMAF_POOL_METHOD_UNKNOWN = 0,
  VMAF_POOL_METHOD_MIN,
  VMAF_POOL_METHOD_MAX,
  VMAF_POOL_METHOD_MEAN,
  VMAF_POOL_METHOD_HARMONIC_MEAN,
  VMAF_POOL_METHOD_NB,
};

/* What goes to the standard error, in the whole process; how many threads work, 0 for the caller's alone;
 * every how manieth frame is scored, 0 and 1 for all; instruction sets not to use; whether, unless it is 0,
 * no GPU is used. */
typedef struct VmafConfiguration {
  enum VmafLogLevel log_level;
  unsigned n_threads;
  unsigned n_subsample;
  uint64_t cpumask;
  uint64_t gpumask;
} VmafConfiguration;

/* A pool of so many pictures. */
typedef struct VmafPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params;
  unsigned pic_cnt;
} VmafPictureConfiguration;

typedef struct VmafContext VmafContext;

/* All functions below return 0, -EINVAL or -ENOMEM unless something else is said, and leave what they would
 * fill as it is where they fail. Pictures of a context are read by one thread at a time; other threads may
 * ask for scores. */

int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg);

/* Waits for work under way. Models and pictures in the caller's hands stay valid. */
int vmaf_close(VmafContext* vmaf);

/* Registers the extractors that a model needs, or one by its name; scores begin with the next pictures. The
 * dictionary is taken unless the call fails. */
int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model);
int vmaf_use_features_from_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection);
int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict);

/* Stores a score from elsewhere. An index that has one of this name keeps it: -EINVAL. */
int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value, unsigned index);

/* Makes a pool, and takes pictures from it, which vmaf_picture_unref() and vmaf_read_pictures() give back.
 * Their samples are what was there before. A pool that is empty grows. */
int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg);
int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

/* Scores a pair and takes both pictures, which are the caller's still where it fails. Both null: the last
 * pair was read, and what needed that is known when the call returns. */
int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index);

/* Scores of a frame, as soon as what they need was read: of a model, of a collection, or by their name. */
int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index);
int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index);
int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score, unsigned index);

/* The same of the frames from index_low to index_high that are scored. */
int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, enum VmafPoolingMethod pool_method, double* score,
                      unsigned index_low, unsigned index_high);
int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore* score,
                                       unsigned index_low, unsigned index_high);
int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name, enum VmafPoolingMethod pool_method,
                              double* score, unsigned index_low, unsigned index_high);

/* Writes all scores that there are into a file. */
int vmaf_write_output(VmafContext* vmaf, const char* output_path, enum VmafOutputFormat fmt);

/* "3.2.0", and behind a plus which library this is. */
const char* vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 *
 * What a stack can prove about its sample's bucket.
 */
#ifndef FF_REPORT_PROOF_H
#define FF_REPORT_PROOF_H

#include "profile/profile.h"

/* What a stack says about itself. */
struct ff_proof_shape {
    uint8_t depth; /* user frames, 255 at most */
    bool native;   /* has a frame that is not Python's */
    uint32_t root; /* the outermost user frame */
};

struct ff_proof {
    const struct ff_profile *profile;
    struct ff_proof_shape *shapes; /* by stack */
    bool plain; /* set by the caller: a program without Python and GPU calls may be shallow */
};

/* False when memory is out; to be released in any case. */
bool ff_proof_init(struct ff_proof *proof, const struct ff_profile *profile);
void ff_proof_release(struct ff_proof *proof);

/* Whether the sample's bucket may be believed: a named call in the stack decides it, or the stack
 * reaches a root and is not suspiciously shallow. */
bool ff_proof_can_tell(const struct ff_proof *proof, const struct ff_sample *sample);

/* Whether the stack has fewer frames than such a program's stacks have. */
bool ff_proof_is_shallow(const struct ff_proof *proof, const struct ff_sample *sample);

/* Whether the bucket is one that the default rules make and that names a cause. */
bool ff_bucket_is_known(struct ff_text bucket);

/* Whether a named call or its caller decides the bucket, so that a cut stack is enough. */
bool ff_bucket_is_call(struct ff_text bucket);

/* Whether the bucket shows a GPU call; whether it shows a program whose stacks are deep. */
bool ff_bucket_is_gpu(struct ff_text bucket);
bool ff_bucket_is_deep(struct ff_text bucket);

/* Whether BUCKET is one of the words in LIST, with blanks between. */
bool ff_bucket_in(struct ff_text bucket, const char *list);

#endif

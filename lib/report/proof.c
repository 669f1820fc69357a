/* SPDX-License-Identifier: MIT
 *
 * Stacks and buckets to belief. The hard thing: a named call at the inner end decides whatever is
 * missing outside, a leaf decides nothing in a stack that was cut.
 */
#include "report/proof.h"
#include "report/health.h"
#include "report/measure.h"

/* Buckets that a call or a caller by name decides, so that a cut stack is enough. */
static const char decided_by_call[] =
    "gil_wait gil_handoff py_lock_wait cuda_sync_block cuda_sync_spin cuda_launch_spin "
    "cuda_launch cuda_graph_launch cuda_module_load cuda_alloc cuda_memcpy nccl_proxy pagefault "
    "irq";

/* Known, and part of no measure of stacks. */
static const char known_besides[] =
    "py_lock_wait io_wait idle cuda_memcpy nccl_proxy nccl_host irq ipc";

static const char *const gpu_buckets[] = {"cuda_", "nccl_", "gpu_lib_host"};
static const char *const deep_buckets[] = {
    "cuda_", "nccl_", "gpu_lib_", "gil_",    "py_",     "torch", "autograd", "dynamo",
    "c_ext", "omp_",  "xla_",     "tf_host", "triton_", "cupy_", "async_",   "jit_"};

bool ff_bucket_in(struct ff_text bucket, const char *list)
{
    struct ff_text rest = ff_text(list);
    while (bucket.size && rest.size) {
        if (ff_text_equal(ff_text_cut(&rest, ' '), bucket))
            return true;
    }
    return false;
}

static bool starts_with_one(struct ff_text bucket, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ff_text_starts(bucket, ff_text(prefixes[i])))
            return true;
    }
    return false;
}

#define STARTS_WITH_ONE(bucket, prefixes)                                                          \
    starts_with_one(bucket, prefixes, sizeof prefixes / sizeof *prefixes)

/* Callers have smaller ids than what they call. */
static void shape_stacks(const struct ff_profile *profile, struct ff_proof_shape *shapes)
{
    for (uint32_t id = 1; id < profile->stacks.count; id++) {
        const struct ff_stack *stack = &profile->stacks.at[id];
        uint8_t kind = profile->frames.at[stack->frame].kind;
        struct ff_proof_shape shape = shapes[stack->parent];
        if (kind != FF_FRAME_KERNEL && kind != FF_FRAME_MARKER) {
            shape.depth += shape.depth < 255;
            if (!shape.root)
                shape.root = stack->frame;
        }
        shape.native |= kind != FF_FRAME_PYTHON && kind != FF_FRAME_MARKER;
        shapes[id] = shape;
    }
}

bool ff_proof_init(struct ff_proof *proof, const struct ff_profile *profile)
{
    *proof = (struct ff_proof){.profile = profile};
    proof->shapes = ff_alloc(profile->stacks.count, sizeof *proof->shapes);
    if (proof->shapes)
        shape_stacks(profile, proof->shapes);
    return proof->shapes;
}

void ff_proof_release(struct ff_proof *proof)
{
    ff_free(proof->shapes);
    *proof = (struct ff_proof){0};
}

bool ff_bucket_is_known(struct ff_text bucket)
{
    for (unsigned i = 0; i < FF_MEASURE_COUNT; i++) {
        if (ff_bucket_in(bucket, ff_measures[i].buckets))
            return true;
    }
    return ff_bucket_in(bucket, known_besides);
}

bool ff_bucket_is_call(struct ff_text bucket)
{
    return ff_bucket_in(bucket, decided_by_call);
}

bool ff_bucket_is_gpu(struct ff_text bucket)
{
    return STARTS_WITH_ONE(bucket, gpu_buckets);
}

bool ff_bucket_is_deep(struct ff_text bucket)
{
    return STARTS_WITH_ONE(bucket, deep_buckets);
}

static bool reaches_root(const struct ff_proof *proof, const struct ff_sample *sample)
{
    const struct ff_profile *profile = proof->profile;
    if (sample->state == FF_STATE_COMPLETE || sample->state == FF_STATE_STITCHED ||
        sample->state == FF_STATE_GUESSED)
        return true;
    if (sample->state != FF_STATE_RECORDED)
        return false;
    /* py-spy drops what it cannot merge; of text nothing but its depth is known. */
    return profile->sources.at[ff_sample_source(profile, sample)].tool != FF_TOOL_PERF ||
           ff_health_root(profile, proof->shapes[sample->stack].root) != FF_HEALTH_ROOT_NOT;
}

bool ff_proof_is_shallow(const struct ff_proof *proof, const struct ff_sample *sample)
{
    return !proof->plain && proof->shapes[sample->stack].depth < FF_HEALTH_SHALLOW;
}

bool ff_proof_can_tell(const struct ff_proof *proof, const struct ff_sample *sample)
{
    struct ff_text bucket = ff_profile_text(proof->profile, sample->bucket);
    if (!ff_bucket_is_known(bucket))
        return false;
    if (ff_bucket_is_call(bucket))
        return true;
    return reaches_root(proof, sample) && !ff_proof_is_shallow(proof, sample);
}

/* SPDX-License-Identifier: MIT
 *
 * Short paths for long ones: expected by the rule that py-spy's own short form is the end of the path.
 */
#include "check.h"

#include "merge/spelling.h"

static uint32_t python(struct ff_profile *profile, const char *name, const char *file,
                       uint32_t line)
{
    return ff_frame_add(profile,
                        (struct ff_frame){.kind = FF_FRAME_PYTHON,
                                          .symbol = ff_profile_intern(profile, ff_text(name)),
                                          .file = ff_profile_intern(profile, ff_text(file)),
                                          .line = line});
}

static void add(struct ff_profile *profile, uint32_t event, uint32_t frame)
{
    ff_sample_add(profile, (struct ff_sample){.event = event,
                                              .stack = ff_stack_push(profile, 0, frame),
                                              .count = FF_COUNT_ONE});
}

static struct ff_text file_of(const struct ff_profile *profile, uint32_t sample)
{
    uint32_t frame = profile->stacks.at[profile->samples.at[sample].stack].frame;
    return ff_profile_text(profile, profile->frames.at[frame].file);
}

int main(void)
{
    struct ff_profile *profile = ff_profile_new();
    uint32_t source = ff_source_add(profile, (struct ff_source){.tool = FF_TOOL_PY_SPY});
    uint32_t event = ff_event_add(profile, (struct ff_event){.source = source});
    add(profile, event, python(profile, "forward", "/opt/lib/site/torch/nn/linear.py", 134));
    add(profile, event, python(profile, "forward", "linear.py", 7));
    add(profile, event, python(profile, "forward", "torch/nn/linear.py", 134)); /* the longest */
    add(profile, event, python(profile, "forward", "/srv/bilinear.py", 3)); /* no part of a name */
    add(profile, event, python(profile, "other", "/opt/lib/site/torch/nn/linear.py", 9));
    ff_merge_spelling(profile);
    CHECK_NUMBER(profile->samples.count - 1, 4); /* the first and the third are one */
    CHECK_TEXT(file_of(profile, 1), "torch/nn/linear.py");
    CHECK_NUMBER(profile->samples.at[1].count, 2 * FF_COUNT_ONE);
    CHECK_TEXT(file_of(profile, 2), "linear.py");
    CHECK_TEXT(file_of(profile, 3), "/srv/bilinear.py");
    CHECK_TEXT(file_of(profile, 4), "/opt/lib/site/torch/nn/linear.py");
    ff_merge_spelling(profile);
    CHECK_NUMBER(profile->samples.count - 1, 4);
    ff_profile_free(profile);
    return check_result();
}

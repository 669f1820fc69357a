/* SPDX-License-Identifier: MIT
 *
 * Profile rows to the names that tree nodes carry. The hard thing: whatever a recorder put into a
 * name, the label must survive a line of folded text.
 */
#include "fold/label.h"

#include "base/memory.h"
#include "profile/tags.h"

bool ff_labels_init(struct ff_labels *labels, struct ff_tree *tree, struct ff_profile *profile,
                    const struct ff_fold_options *options)
{
    *labels = (struct ff_labels){.tree = tree, .profile = profile, .options = options};
    labels->by_frame = ff_alloc(profile->frames.count, sizeof *labels->by_frame);
    ff_output_memory(&labels->scratch);
    return labels->by_frame;
}

void ff_labels_release(struct ff_labels *labels)
{
    ff_free(labels->by_frame);
    if (labels->profile)
        ff_output_close(&labels->scratch, &labels->profile->error);
}

static uint32_t finish(struct ff_labels *labels)
{
    struct ff_output *scratch = &labels->scratch;
    if (!scratch->used)
        ff_output_string(scratch, "[unknown]");
    for (uint32_t i = 0; i < scratch->used; i++) {
        unsigned char byte = (unsigned char)scratch->buffer[i];
        if (byte == ';')
            scratch->buffer[i] = ':';
        else if (byte < 0x20 || byte == 0x7f)
            scratch->buffer[i] = '?';
    }
    uint32_t id = ff_intern(&labels->tree->names, (struct ff_text){scratch->buffer, scratch->used});
    scratch->used = 0;
    return id;
}

static void append(struct ff_labels *labels, uint32_t text)
{
    ff_output_text(&labels->scratch, ff_profile_text(labels->profile, text));
}

uint32_t ff_label_text(struct ff_labels *labels, struct ff_text text)
{
    ff_output_text(&labels->scratch, text);
    return finish(labels);
}

/* " (file.c:12)"; Python's names have it already. */
static void append_line(struct ff_labels *labels, const struct ff_frame *row)
{
    struct ff_output *scratch = &labels->scratch;
    if (!labels->options->lines || !row->file ||
        (row->kind != FF_FRAME_NATIVE && row->kind != FF_FRAME_INLINED))
        return;
    ff_output_string(scratch, " (");
    ff_output_text(scratch, ff_text_base_name(ff_profile_text(labels->profile, row->file)));
    if (row->line) {
        ff_output_byte(scratch, ':');
        ff_output_decimal(scratch, row->line);
    }
    ff_output_byte(scratch, ')');
}

uint32_t ff_label_frame(struct ff_labels *labels, uint32_t frame)
{
    if (labels->by_frame[frame])
        return labels->by_frame[frame];
    uint32_t name = ff_frame_name(labels->profile, frame);
    const struct ff_frame *row = &labels->profile->frames.at[frame];
    /* A name made from the module alone already says which one it is. */
    if (labels->options->modules && row->module && row->symbol && row->kind != FF_FRAME_PYTHON) {
        ff_output_text(&labels->scratch, ff_module_name(labels->profile, row->module));
        ff_output_byte(&labels->scratch, '!');
    }
    append(labels, name);
    append_line(labels, row);
    if (labels->options->kernel_marks && row->kind == FF_FRAME_KERNEL)
        ff_output_string(&labels->scratch, "_[k]");
    return labels->by_frame[frame] = finish(labels);
}

uint32_t ff_label_root(struct ff_labels *labels, enum ff_root root, const struct ff_sample *sample)
{
    struct ff_output *scratch = &labels->scratch;
    const struct ff_profile *profile = labels->profile;
    const struct ff_thread *thread = &profile->threads.at[sample->thread];
    const struct ff_event *event = &profile->events.at[sample->event];
    switch (root) {
    case FF_ROOT_SOURCE:
        append(labels, profile->sources.at[event->source].name);
        break;
    case FF_ROOT_PROCESS:
        ff_output_string(scratch, "pid ");
        ff_output_decimal(scratch, profile->processes.at[thread->process].pid);
        break;
    case FF_ROOT_THREAD:
        append(labels, ff_thread_label(profile, sample->thread));
        ff_output_string(scratch, scratch->used ? " (" : "(");
        ff_output_decimal(scratch, thread->tid);
        ff_output_byte(scratch, ')');
        break;
    case FF_ROOT_ROLE:
        append(labels, thread->role ? thread->role : ff_thread_label(profile, sample->thread));
        break;
    case FF_ROOT_BUCKET:
        append(labels, sample->bucket);
        if (!sample->bucket)
            ff_output_string(scratch, "[no bucket]");
        break;
    case FF_ROOT_STATE:
        ff_output_string(scratch, ff_state_word(sample->state));
        break;
    case FF_ROOT_EVENT:
        append(labels, event->name);
        break;
    default:
        append(labels, thread->comm ? thread->comm : thread->name);
        break;
    }
    return finish(labels);
}

uint32_t ff_label_tag(struct ff_labels *labels, struct ff_text key, const struct ff_sample *sample)
{
    struct ff_text tags = ff_profile_text(labels->profile, sample->tags);
    if (key.size)
        tags = ff_tags_find(tags, key);
    if (tags.size)
        return ff_label_text(labels, tags);
    ff_output_format(&labels->scratch, "[no %.*s]", FF_TEXT_ARGS(key.size ? key : FF_TEXT("tag")));
    return finish(labels);
}

uint32_t ff_label_state(struct ff_labels *labels, enum ff_state state)
{
    struct ff_output *scratch = &labels->scratch;
    /* A stitched stack has its root; which of its frames are inferred, the frames say. */
    if (state == FF_STATE_RECORDED || state == FF_STATE_COMPLETE || state == FF_STATE_STITCHED)
        return 0;
    ff_output_byte(scratch, '[');
    ff_output_string(scratch, ff_state_word(state));
    ff_output_byte(scratch, ']');
    for (uint32_t i = 0; i < scratch->used; i++) {
        if (scratch->buffer[i] == '-')
            scratch->buffer[i] = ' ';
    }
    return finish(labels);
}

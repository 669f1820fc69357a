/* SPDX-License-Identifier: MIT
 *
 * Long paths to short ones, function by function: py-spy cuts a path where packages end, which only
 * the recording machine could tell, so the short form must have been seen.
 */
#include "merge/spelling.h"
#include "profile/replace.h"

static bool is_long(const struct ff_profile *profile, const struct ff_frame *frame)
{
    return frame->kind == FF_FRAME_PYTHON && frame->file &&
           ff_profile_text(profile, frame->file).at[0] == '/';
}

/* Whether PATH ends in the relative path TAIL. */
static bool ends_in(struct ff_text path, struct ff_text tail)
{
    return tail.size && tail.at[0] != '/' && path.size > tail.size && ff_text_ends(path, tail) &&
           path.at[path.size - tail.size - 1] == '/';
}

/* The longest short path for a frame among those of its function; its own where there is none. */
static uint32_t short_file(const struct ff_profile *profile, const struct ff_map *map,
                           const struct ff_frame *frame)
{
    struct ff_text path = ff_profile_text(profile, frame->file), best = FF_TEXT("");
    uint32_t file = frame->file;
    struct ff_probe probe;
    for (uint32_t i = ff_map_first(map, ff_hash_mix(0, frame->symbol), &probe); i;
         i = ff_map_next(map, &probe)) {
        const struct ff_frame *other = &profile->frames.at[i];
        struct ff_text tail = ff_profile_text(profile, other->file);
        if (other->symbol != frame->symbol || !ends_in(path, tail) || tail.size <= best.size)
            continue;
        best = tail;
        file = other->file;
    }
    return file;
}

void ff_merge_spelling(struct ff_profile *profile)
{
    struct ff_map map = {0};
    uint32_t count = profile->frames.count;
    uint32_t *replacement = ff_frame_replacement(profile);
    bool any = false;
    for (uint32_t i = 1; i < count; i++) {
        const struct ff_frame *frame = &profile->frames.at[i];
        if (frame->kind == FF_FRAME_PYTHON && frame->file && !is_long(profile, frame))
            ff_map_add(&map, ff_hash_mix(0, frame->symbol), i);
    }
    for (uint32_t i = 1; replacement && map.used && i < count; i++) {
        struct ff_frame row = profile->frames.at[i];
        if (!is_long(profile, &row))
            continue;
        row.file = short_file(profile, &map, &row);
        replacement[i] = ff_frame_add(profile, row);
        any |= replacement[i] != i;
    }
    if (any && replacement)
        ff_frame_replace(profile, replacement, count);
    profile->out_of_memory |= map.failed;
    ff_map_release(&map);
    ff_free(replacement);
}

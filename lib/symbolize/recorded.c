/* SPDX-License-Identifier: MIT
 *
 * Recorded native names to canonical ones. Such frames have no place, so that their names tell them
 * apart and are hashed: a frame of another name is another row, and stacks are written anew.
 */
#include "symbolize/recorded.h"

#include "image/name.h"
#include "profile/replace.h"

/* The canonical name, as long as it takes one look at each distinct name. */
static uint32_t canonical(struct ff_profile *profile, struct ff_name *name, uint32_t symbol)
{
    struct ff_text printed = ff_name_text(name, ff_profile_text(profile, symbol));
    return printed.size ? ff_profile_intern(profile, printed) : symbol;
}

void ff_recorded_names(struct ff_profile *profile)
{
    struct ff_name name = {0};
    uint32_t frames = profile->frames.count;
    uint32_t *replacement = ff_frame_replacement(profile);
    bool any = false;
    for (uint32_t i = 1; replacement && i < frames; i++) {
        struct ff_frame frame = profile->frames.at[i];
        if (frame.kind != FF_FRAME_NATIVE || frame.named != FF_NAMED_RECORDED || !frame.symbol)
            continue;
        uint32_t symbol = canonical(profile, &name, frame.symbol);
        if (symbol == frame.symbol)
            continue;
        frame.symbol = symbol;
        replacement[i] = ff_frame_add(profile, frame);
        any = true;
    }
    if (any)
        ff_frame_replace(profile, replacement, frames);
    profile->out_of_memory |= name.failed;
    ff_name_release(&name);
    ff_free(replacement);
}

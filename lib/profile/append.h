/* SPDX-License-Identifier: MIT
 *
 * A part of a recording, read into a profile of its own, to the end of the profile of the whole.
 */
#ifndef FF_PROFILE_APPEND_H
#define FF_PROFILE_APPEND_H

#include "profile/profile.h"

/* Which row of the whole each row of the part became: by table, by the part's id. */
struct ff_append {
    uint32_t *texts, *modules, *events, *processes, *threads, *frames, *stacks;
    bool failed; /* memory ran out: nothing may be looked up */
};

/* Adds what a reader put into FROM to TO, as of its source SOURCE: rows with the same content are one. FROM
 * has one source; of side files, mappings and lines of the stream it has none. Threads that both have
 * keep the name that TO has. MAPS lives until ff_append_release. */
void ff_append(struct ff_profile *to, uint32_t source, const struct ff_profile *from,
               struct ff_append *maps);
void ff_append_release(struct ff_append *maps);

/* A sample of the part as one of the whole, with its moments; not yet added. */
struct ff_sample ff_append_sample(struct ff_profile *to, const struct ff_profile *from,
                                  const struct ff_append *maps, const struct ff_sample *sample);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What a file does not say of itself, and who else says it: the user (--as, a manifest), the
 * recorder's log.
 */
#ifndef FF_READ_ABOUT_H
#define FF_READ_ABOUT_H

#include "profile/profile.h"

/* What is told of one input. Fields whose `has_` is false are not told. */
struct ff_about {
    enum ff_tool tool; /* FF_TOOL_UNKNOWN: not told */
    enum ff_population population;
    uint64_t rate;        /* samples a second */
    uint64_t duration_ns; /* of the recording */
    uint64_t errors;      /* samples that failed */
    bool has_population, has_rate, has_duration, has_errors;
};

/* Parses "py-spy,population=gil,rate=49,seconds=30,errors=0": the tool (py-spy, folded), then any of
 * the others. Populations are those of kinds.h, and "gil" and "idle" as py-spy's options call them.
 * FF_USAGE names the word that does not fit. */
enum ff_status ff_about_parse(struct ff_text text, struct ff_about *about, struct ff_error *error);

/* Enters what is told of SOURCE, where it is not known. OVER: also over what is known. */
void ff_about_apply(struct ff_profile *profile, uint32_t source, const struct ff_about *about,
                    bool over);

/* Applies the facts of manifests, then those of logs, to the sources that they name. Two manifests (or
 * two logs) that tell different values of one name tell nothing; that is counted. To be called when
 * all inputs are read; can be repeated. */
void ff_about_settle(struct ff_profile *profile);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Folded text as other tools write it, byte for byte, for scripts that rely on theirs. What they
 * decide differently is listed in docs/formats.md.
 */
#ifndef FF_FOLD_COMPAT_H
#define FF_FOLD_COMPAT_H

#include "base/output.h"
#include "profile/profile.h"

/* stackcollapse-perf.pl of FlameGraph, or inferno-collapse-perf, with their options. */
struct ff_compat_options {
    bool inferno;
    bool pid, tid;    /* the root is comm-PID, comm-PID/TID */
    bool kernel, jit; /* marks _[k], _[j] */
    bool addresses;   /* frames without a name show their address */
    uint32_t source;  /* rows of the profile */
    uint32_t event;   /* 0: the first one of the source */
};

/* Fills the options from "perl,tid,all": the tool, then pid, tid, kernel, jit, all, addrs. FF_USAGE
 * names the word that is none. */
enum ff_status ff_compat_parse(struct ff_compat_options *options, struct ff_text words,
                               struct ff_error *error);

/* Writes the weights of one event, sorted by bytes. Messages go to profile->error. */
enum ff_status ff_compat_write(struct ff_profile *profile, const struct ff_compat_options *options,
                               struct ff_output *output);

#endif

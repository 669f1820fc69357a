/* SPDX-License-Identifier: MIT
 *
 * Any input that is read, into a profile.
 */
#ifndef FF_READ_READ_H
#define FF_READ_READ_H

#include "base/input.h"
#include "profile/select.h"

/* Recognises PATH ("-" is stdin) by its first bytes and adds it to the profile, as a source of its
 * own (a stream brings its sources with it). FF_BAD_INPUT keeps what could be read; FF_UNSUPPORTED
 * names what the file is and what to do with it. Readers apply the selection's window and CPUs; the
 * rest of it is ff_select's. PROGRESS may be NULL. */
enum ff_status ff_read(struct ff_profile *profile, const char *path,
                       const struct ff_selection *selection, const struct ff_progress *progress);

#endif

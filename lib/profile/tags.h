/* SPDX-License-Identifier: MIT
 *
 * The tags of a sample: one text of words "KEY" or "KEY:VALUE", a blank between them, in byte order
 * of their keys, each key once: "gil:waiting in_autograd phase:backward". KEY is of a-z, 0-9 and _,
 * VALUE holds no blank.
 */
#ifndef FF_PROFILE_TAGS_H
#define FF_PROFILE_TAGS_H

#include "base/text.h"

/* The word with KEY, whole ("phase:backward"); empty if there is none. Borrowed from TAGS. */
struct ff_text ff_tags_find(struct ff_text tags, struct ff_text key);

/* Whether a word is like GLOB: "phase:*", "spin". */
bool ff_tags_match(struct ff_text tags, struct ff_text glob);

#endif

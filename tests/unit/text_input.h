/* SPDX-License-Identifier: MIT
 *
 * An input whose bytes are given by the test, and files below the shared folder.
 */
#ifndef FF_TESTS_TEXT_INPUT_H
#define FF_TESTS_TEXT_INPUT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/memory.h"

/* The bytes are copied to a block of just their size, so that a sanitizer sees any step beyond. */
static inline void text_input(struct ff_input *input, const char *name, struct ff_text text)
{
    *input = (struct ff_input){.name = name,
                               .size = text.size,
                               .descriptor = -1,
                               .seekable = true,
                               .ended = true,
                               .filled = text.size,
                               .capacity = text.size,
                               .buffer = ff_alloc(text.size, 1)};
    memcpy(input->buffer, text.at, text.size);
}

static inline const char *shared_path(char *path, size_t size, const char *below)
{
    const char *root = getenv("FF_SHARED");
    snprintf(path, size, "%s/%s", root ? root : "../shared", below);
    return path;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * A folder of one's own, so that the same test may run in two builds at a time.
 */
#ifndef FF_TESTS_SCRATCH_H
#define FF_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct scratch {
    char before[1024], folder[64];
};

/* Makes a folder, copies the file SOURCE into it and makes it the working directory. */
static inline bool scratch_enter(struct scratch *scratch, const char *source)
{
    char command[512];
    *scratch = (struct scratch){.folder = "/tmp/flamefold-test-XXXXXX"};
    if (!getcwd(scratch->before, sizeof scratch->before) || !mkdtemp(scratch->folder))
        return false;
    snprintf(command, sizeof command, "cp '%s' '%s'", source, scratch->folder);
    return system(command) == 0 && chdir(scratch->folder) == 0;
}

/* Goes back and removes the folder. */
static inline void scratch_leave(const struct scratch *scratch)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch->folder);
    if (chdir(scratch->before) != 0 || system(command) != 0)
        fprintf(stderr, "%s: cannot be removed\n", scratch->folder);
}

#endif

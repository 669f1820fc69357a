/* SPDX-License-Identifier: MIT
 *
 * An uncompressed tar archive (POSIX ustar) of plain files: members are read in place, and written
 * without anything that changes from day to day. Format: POSIX.1-2017, pax, "ustar Interchange
 * Format".
 */
#ifndef FF_IMAGE_TAR_H
#define FF_IMAGE_TAR_H

#include "base/output.h"

struct ff_tar_member {
    struct ff_text name; /* as in the archive, without a leading "./" */
    struct ff_text bytes;
};

/* Whether bytes (512 are enough) begin like an archive. */
bool ff_tar_recognise(struct ff_text bytes);

/* Takes the next plain file off *rest (views into the same bytes); other kinds of members are
 * skipped. FF_END behind the last; FF_BAD_INPUT (no message) at a damaged header or a cut member.
 */
enum ff_status ff_tar_next(struct ff_text *rest, struct ff_tar_member *member);

/* Appends a file (mode 644, owner and time 0). The name must not be longer than 100 bytes: false
 * when it is, and nothing is written. */
bool ff_tar_write(struct ff_output *output, struct ff_tar_member member);

/* Appends the end of the archive. */
void ff_tar_end(struct ff_output *output);

#endif

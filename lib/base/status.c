/* SPDX-License-Identifier: MIT
 *
 * Statuses and the one message of a handle. The hard thing: messages hold text from hostile files,
 * so control bytes never reach a terminal.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *ff_status_text(enum ff_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        FF_STATUS_TABLE(X)
#undef X
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

enum ff_status ff_error_set(struct ff_error *error, enum ff_status status, const char *format, ...)
{
    if (error->status != FF_OK)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    for (char *c = error->message; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    }
    return status;
}

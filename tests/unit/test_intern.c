/* SPDX-License-Identifier: MIT
 *
 * Interned text: one id for one text, ids stay valid over growth.
 */
#include "check.h"

#include "base/intern.h"

int main(void)
{
    struct ff_intern intern = {0};
    CHECK_NUMBER(ff_intern(&intern, FF_TEXT("")), 0);
    uint32_t a = ff_intern(&intern, FF_TEXT("a"));
    CHECK(a != 0);
    char text[16];
    for (int i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "n%d", i);
        ff_intern(&intern, ff_text(text));
    }
    CHECK_NUMBER(ff_intern(&intern, FF_TEXT("a")), a);
    CHECK_TEXT(ff_intern_text(&intern, a), "a");
    uint32_t id = ff_intern_find(&intern, FF_TEXT("n99999"));
    CHECK_TEXT(ff_intern_text(&intern, id), "n99999");
    CHECK_NUMBER(intern.count, 100002);
    CHECK_NUMBER(ff_intern_find(&intern, FF_TEXT("n100000")), 0);
    CHECK_TEXT(ff_intern_text(&intern, 123456789), "");
    /* NUL is a byte like any other. */
    CHECK(ff_intern(&intern, FF_TEXT("a\0b")) != ff_intern(&intern, FF_TEXT("a\0c")));
    ff_intern_release(&intern);
    return check_result();
}

/* SPDX-License-Identifier: MIT
 *
 * Wilson intervals against values from the closed formula, worked out by hand: 0 of n ends at
 * z^2 / (n + z^2), n of n is its mirror, and known ones from the facts.
 */
#include "check.h"

#include "report/interval.h"

static void check(uint64_t hits, uint64_t n, uint32_t low, uint32_t high)
{
    struct ff_interval interval = ff_interval_wilson(hits, n);
    CHECK_NUMBER(interval.low, low);
    CHECK_NUMBER(interval.high, high);
}

int main(void)
{
    check(178, 1469, 105, 139);
    check(0, 10, 0, 278); /* 3.8415 / 13.8415 = 0.27753 */
    check(10, 10, 722, 1000);
    check(5, 10, 237, 763); /* 0.5 -+ 1.96 sqrt(0.025 + 0.0096036) / 1.38415 */
    check(1, 1, 207, 1000); /* 1 / 4.8415 = 0.20655 */
    check(0, 0, 0, 1000);
    check(7, 3, 439, 1000); /* more hits than n count as n: 3 / 6.841459 = 0.438503 */
    check(500000000, 1000000000, 500, 500);
    check(UINT64_MAX, UINT64_MAX, 1000, 1000);
    for (uint64_t hits = 0; hits <= 200; hits++) {
        struct ff_interval a = ff_interval_wilson(hits, 200),
                           b = ff_interval_wilson(200 - hits, 200);
        CHECK_NUMBER(a.low + b.high, 1000);
        CHECK(a.low <= hits * 5 && hits * 5 <= a.high);
    }
    return check_result();
}

/* SPDX-License-Identifier: MIT
 *
 * The order of records: rounds as the recorder writes them, built here, so that the right order is
 * known. Each record bears a serial number; what is delivered is compared as a list of them.
 */
#include "check.h"
#include "perf_maker.h"

#include "read/perf_order.h"

struct delivered {
    uint64_t serials[4096];
    uint32_t count;
};

static void take(void *context, struct ff_text record)
{
    struct delivered *delivered = context;
    memcpy(&delivered->serials[delivered->count++], record.at + 8, 8);
}

static void add(struct ff_perf_order *order, uint64_t time_ns, uint64_t serial)
{
    struct maker record = {0};
    maker_begin(&record, 9, 0);
    maker_u64(&record, serial);
    for (uint64_t i = 0; i < serial % 5; i++) /* sizes differ */
        maker_u64(&record, ~serial);
    maker_end(&record);
    ff_perf_order_add(order, time_ns, maker_text(&record));
    maker_free(&record);
}

static bool is(const struct delivered *delivered, const uint64_t *serials, uint32_t count)
{
    return delivered->count == count &&
           memcmp(delivered->serials, serials, count * sizeof *serials) == 0;
}

/* The rule: at a mark, everything up to the newest time of the round before it. */
static void test_rounds(void)
{
    static struct delivered delivered;
    struct ff_perf_order order = {0};
    add(&order, 10, 1); /* CPU 0 */
    add(&order, 30, 3);
    add(&order, 20, 2); /* CPU 1 */
    ff_perf_order_round(&order, false, take, &delivered);
    CHECK_NUMBER(delivered.count, 0); /* the first mark has no round before it */
    add(&order, 50, 5);
    add(&order, 25, 25); /* older than the newest of the last round: the rule allows it */
    add(&order, 40, 4);
    ff_perf_order_round(&order, false, take, &delivered);
    CHECK(is(&delivered, (uint64_t[]){1, 2, 25, 3}, 4)); /* up to 30 */
    ff_perf_order_round(&order, false, take, &delivered);
    CHECK(is(&delivered, (uint64_t[]){1, 2, 25, 3, 4, 5}, 6)); /* up to 50 */
    add(&order, 70, 7);
    add(&order, 60, 6);
    ff_perf_order_round(&order, true, take, &delivered);
    CHECK(is(&delivered, (uint64_t[]){1, 2, 25, 3, 4, 5, 6, 7}, 8));
    CHECK_NUMBER(order.late, 0);
    CHECK(!order.failed);
    ff_perf_order_release(&order);
}

static void test_equal_times_keep_file_order(void)
{
    static struct delivered delivered;
    struct ff_perf_order order = {0};
    uint64_t expected[40];
    for (uint64_t i = 0; i < 20; i++) {
        add(&order, 7, i);
        expected[20 + i] = i;
    }
    for (uint64_t i = 20; i < 40; i++) { /* older ones, behind them in the file */
        add(&order, 3, i);
        expected[i - 20] = i;
    }
    ff_perf_order_round(&order, true, take, &delivered);
    CHECK(is(&delivered, expected, 40));
    ff_perf_order_release(&order);
}

static void test_late(void)
{
    static struct delivered delivered;
    struct ff_perf_order order = {0};
    add(&order, 100, 1);
    ff_perf_order_round(&order, false, take, &delivered);
    ff_perf_order_round(&order, false, take, &delivered);
    CHECK_NUMBER(delivered.count, 1);
    add(&order, 50, 2);  /* its place is gone: delivered next, and counted */
    add(&order, 100, 3); /* not late: as old as the last delivered */
    add(&order, 120, 4);
    ff_perf_order_round(&order, true, take, &delivered);
    CHECK(is(&delivered, (uint64_t[]){1, 2, 3, 4}, 4));
    CHECK_NUMBER(order.late, 1);
    ff_perf_order_release(&order);
}

/* Four CPUs, each with ascending times, written in turn; the records of a round on one CPU may be
 * newer than those of the next CPU in it. The order of all times is the plain sequence. */
static void test_many_rounds(void)
{
    static struct delivered delivered;
    struct ff_perf_order order = {0};
    uint64_t rounds = 64, per_round = 32, wrong = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint64_t cpu = 0; cpu < 4; cpu++) {
            for (uint64_t i = cpu; i < per_round; i += 4)
                add(&order, 1 + round * per_round + i, round * per_round + i);
        }
        ff_perf_order_round(&order, false, take, &delivered);
        CHECK_NUMBER(delivered.count, round * per_round);
    }
    ff_perf_order_round(&order, true, take, &delivered);
    CHECK_NUMBER(delivered.count, rounds * per_round);
    for (uint64_t i = 0; i < delivered.count; i++)
        wrong += delivered.serials[i] != i;
    CHECK_NUMBER(wrong, 0);
    CHECK_NUMBER(order.late, 0);
    ff_perf_order_release(&order);
}

static void test_empty(void)
{
    static struct delivered delivered;
    struct ff_perf_order order = {0};
    ff_perf_order_round(&order, false, take, &delivered);
    ff_perf_order_round(&order, true, take, &delivered);
    CHECK_NUMBER(delivered.count, 0);
    ff_perf_order_release(&order);
}

int main(void)
{
    test_rounds();
    test_equal_times_keep_file_order();
    test_late();
    test_many_rounds();
    test_empty();
    return check_result();
}

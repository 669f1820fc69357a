/* SPDX-License-Identifier: MIT
 *
 * Unwind health as text. The hard thing is to say no more than the numbers do: every share has its
 * n, and where they do not allow a word the line says "undecided".
 */
#include "report/doctor.h"
#include "report/advice.h"
#include "report/cell.h"
#include "report/doctor_files.h"
#include "report/doctor_sites.h"
#include "report/health.h"
#include "report/interval.h"
#include "report/span.h"
#include "report/summary.h"

#define ROWS  12   /* of a list; the rest is counted in a line */
#define GIANT 8192 /* bytes; a frame so large is named */

struct page {
    const struct ff_health *health;
    struct ff_output *output;
};

static void put(const struct page *page, const char *text)
{
    ff_output_string(page->output, text);
}

static void put_number(const struct page *page, uint64_t value)
{
    ff_output_format(page->output, "%10llu", (unsigned long long)value);
}

static void put_share(const struct page *page, uint64_t part, uint64_t whole)
{
    uint32_t permille = ff_summary_permille(part, whole);
    ff_output_format(page->output, "%9llu  %3u.%u %%", (unsigned long long)part, permille / 10,
                     permille % 10);
}

static void put_head(const struct page *page)
{
    const struct ff_profile *profile = page->health->profile;
    const struct ff_source *source = &profile->sources.at[page->health->source];
    ff_cell_put(page->output, ff_profile_text(profile, source->name), 40, false);
    ff_output_format(page->output, ": %s, %llu stacks", ff_tool_word((enum ff_tool)source->tool),
                     (unsigned long long)ff_summary_samples(page->health->total));
    ff_span_put(page->output, source);
}

/* What a selection of samples does not reach. */
static void put_selection(const struct page *page)
{
    if (ff_ledger_count(page->health->profile, page->health->source, FF_LEDGER_NOT_SELECTED))
        put(page, "  selected stacks only; libraries, functions, dump sizes, stitching, losses are "
                  "of all "
                  "that was read\n");
}

/* Why there were no rules: of all that was read, as the ledger is. */
static void put_lacks(const struct page *page)
{
    const struct ff_profile *profile = page->health->profile;
    for (uint32_t i = 1; i < profile->ledger.count; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[i];
        struct ff_text name = ff_profile_text(profile, row->name);
        if (row->source == page->health->source && row->count &&
            (ff_text_starts(name, FF_TEXT("stacks that end ")) ||
             ff_text_starts(name, FF_TEXT("stacks cut short "))))
            ff_output_format(page->output, "%10llu           %.*s\n",
                             (unsigned long long)row->count, (int)name.size, name.at);
    }
}

static void put_states(const struct page *page)
{
    static const char *const meanings[FF_STATE_COUNT] = {
        [FF_STATE_RECORDED] = "recorded: as the recorder wrote them",
        [FF_STATE_COMPLETE] = "complete: unwound to the root of the thread",
        [FF_STATE_STITCHED] = "stitched: cut, then completed from other stacks of the thread",
        [FF_STATE_GUESSED] = "guessed: a root was reached, but a caller was guessed on the way",
        [FF_STATE_TRUNCATED] = "truncated: the dump ends before the root",
        [FF_STATE_NO_RULE] = "no unwind data: code without usable unwind rules",
        [FF_STATE_NO_MODULE] = "no module: an address in no mapping",
        [FF_STATE_NOT_UNWOUND] = "not unwound: there is a dump, and it was not used",
        [FF_STATE_NO_FRAMES] = "no frames: samples without any address"};
    const struct ff_health *health = page->health;
    put(page, "\n  How far the stacks reach\n");
    for (unsigned state = 0; state < FF_STATE_COUNT; state++) {
        if (!health->states[state])
            continue;
        put_share(page, ff_summary_samples(health->states[state]),
                  ff_summary_samples(health->total));
        ff_output_format(page->output, "  %s\n", meanings[state]);
    }
    put_lacks(page);
    if (health->guessed) {
        put_share(page, ff_summary_samples(health->guessed), ff_summary_samples(health->total));
        put(page, "  of any of these: hold a guessed frame\n");
    }
}

static void put_rest(const struct page *page, uint32_t count, uint64_t samples)
{
    if (count > ROWS)
        ff_output_format(page->output, "%10llu  in %u more\n", (unsigned long long)samples,
                         count - ROWS);
}

static void put_row(const struct page *page, const struct ff_health_row *row)
{
    const uint64_t *states = row->states;
    uint64_t other = row->count - states[FF_STATE_COMPLETE] - states[FF_STATE_STITCHED] -
                     states[FF_STATE_TRUNCATED] - states[FF_STATE_NO_RULE] -
                     states[FF_STATE_RECORDED];
    put_number(page, ff_summary_samples(row->count));
    put_number(page, ff_summary_samples(states[FF_STATE_COMPLETE]));
    put_number(page, ff_summary_samples(states[FF_STATE_STITCHED]));
    put_number(page, ff_summary_samples(states[FF_STATE_TRUNCATED]));
    put_number(page, ff_summary_samples(states[FF_STATE_NO_RULE]));
    put_number(page, ff_summary_samples(states[FF_STATE_RECORDED]));
    ff_output_format(page->output, "%7llu", (unsigned long long)ff_summary_samples(other));
    ff_output_format(page->output, "%9u  ", row->tid);
    ff_cell_put(page->output, row->name, 15, false);
    put(page, "\n");
}

static void put_threads(const struct page *page)
{
    const struct ff_health *health = page->health;
    uint64_t rest = 0;
    put(page,
        "\n  Threads, hottest first\n"
        "    stacks  complete  stitched truncated   no data  recorded  other      tid  thread\n");
    for (uint32_t i = 0; i < health->thread_count; i++) {
        if (i < ROWS)
            put_row(page, &health->threads[i]);
        else
            rest += health->threads[i].count;
    }
    put_rest(page, health->thread_count, ff_summary_samples(rest));
}

static void put_libraries(const struct page *page)
{
    const struct ff_health *health = page->health;
    uint64_t rest = 0;
    if (!health->library_count)
        return;
    put(page, "\n  Libraries in whose frames stacks ended (before stitching)\n"
              "    stacks truncated   no data no module  library\n");
    for (uint32_t i = 0; i < health->library_count; i++) {
        const struct ff_health_row *row = &health->libraries[i];
        if (i >= ROWS) {
            rest += row->count;
            continue;
        }
        put_number(page, ff_summary_samples(row->count));
        put_number(page, ff_summary_samples(row->states[FF_STATE_TRUNCATED]));
        put_number(page, ff_summary_samples(row->states[FF_STATE_NO_RULE]));
        put_number(page, ff_summary_samples(row->states[FF_STATE_NO_MODULE]));
        put(page, "  ");
        ff_cell_put(page->output, row->name, 56, false);
        put(page, "\n");
    }
    put_rest(page, health->library_count, ff_summary_samples(rest));
}

/* A frame began inside the dump, and the dump ended before the nearest missing word. So the frame
 * spans at least what lies between that word and the frame's own. */
static void put_giant(const struct page *page, const struct ff_health_cut *cut)
{
    uint64_t nearest = page->health->least_missing;
    uint64_t span = cut->most > nearest ? cut->most - nearest : 0;
    if (span >= GIANT)
        ff_output_format(page->output, "%9llu KiB  ", (unsigned long long)(span / 1024));
    else
        put(page, "               ");
}

static void put_cuts(const struct page *page)
{
    const struct ff_health *health = page->health;
    uint64_t rest = 0;
    if (!health->cut_count)
        return;
    put(page, "\n  Functions whose caller was not in the dump (before stitching)\n"
              "    stacks  missing word, bytes above SP  giant frame  function\n"
              "              nearest         farthest     at least\n");
    for (uint32_t i = 0; i < health->cut_count; i++) {
        const struct ff_health_cut *cut = &health->cuts[i];
        if (i >= ROWS) {
            rest += cut->count;
            continue;
        }
        put_number(page, cut->count);
        ff_output_format(page->output, "%11llu %16llu", (unsigned long long)cut->least,
                         (unsigned long long)cut->most);
        put_giant(page, cut);
        ff_cell_put(page->output, cut->function, 44, false);
        put(page, "\n");
    }
    put_rest(page, health->cut_count, rest);
}

static void put_sizes(const struct page *page)
{
    const struct ff_health *health = page->health;
    uint64_t whole = health->complete + health->cut;
    if (!whole)
        return;
    uint64_t open = 0;
    put(page, "\n  How large a dump would have held them (before stitching)\n"
              "      dump            held       perhaps   surely not\n");
    for (uint32_t i = 0; i < FF_HEALTH_SIZES; i++) {
        const struct ff_health_size *size = &health->sizes[i];
        uint32_t permille = ff_summary_permille(size->held, whole);
        open |= size->open;
        ff_output_format(page->output, "  %4u KiB%9llu %3u.%u %%%14llu%13llu\n", ff_health_sizes[i],
                         (unsigned long long)size->held, permille / 10, permille % 10,
                         (unsigned long long)size->open, (unsigned long long)size->too_short);
    }
    if (open)
        put(page, "  (perhaps: the first missing word would be there; how far it goes on is not "
                  "known)\n");
}

static void put_interval(const struct page *page, uint64_t hits, uint64_t n)
{
    struct ff_interval interval = ff_interval_wilson(hits, n);
    ff_output_format(page->output, " (%u.%u - %u.%u %%, n = %llu)", interval.low / 10,
                     interval.low % 10, interval.high / 10, interval.high % 10,
                     (unsigned long long)n);
}

static void put_chain_share(const struct page *page, uint64_t hits, const char *what)
{
    put_share(page, hits, page->health->chains);
    ff_output_format(page->output, "  %s\n", what);
}

static void put_chains(const struct page *page)
{
    static const char *const verdicts[] = {
        "", "undecided: whether frame pointers are missing",
        "frame pointers are missing: fewer than half of the chains can reach a root",
        "chains are whole: more than nine of ten reach a root"};
    const struct ff_health *health = page->health;
    if (!health->chains)
        return;
    put(page, "\n  Recorded call chains (share, 95 % interval)\n");
    put_chain_share(page, health->rooted, "end in a function that starts a thread or program");
    put_chain_share(page, health->maybe_rooted, "end in code without a symbol: may be such a one");
    put_chain_share(page, health->no_module, "hold an address in no module");
    put_chain_share(page, health->shallow, "have fewer than 6 user frames");
    if (health->kernel_only)
        ff_output_format(page->output, "%9llu           more have kernel frames only\n",
                         (unsigned long long)health->kernel_only);
    ff_output_format(page->output, "  %s", verdicts[health->verdict]);
    put_interval(page,
                 health->rooted + (health->verdict == FF_CHAINS_WHOLE ? 0 : health->maybe_rooted),
                 health->chains);
    put(page, "\n");
}

static void put_stitching(const struct page *page)
{
    const struct ff_profile *profile = page->health->profile;
    uint32_t source = page->health->source;
    uint64_t tested = ff_ledger_count(profile, source, FF_LEDGER_STITCH_TESTED);
    uint64_t exact = ff_ledger_count(profile, source, FF_LEDGER_STITCH_EXACT);
    uint64_t agreed = ff_ledger_count(profile, source, FF_LEDGER_STITCH_AGREED);
    uint64_t single = ff_ledger_count(profile, source, FF_LEDGER_STITCH_SINGLE);
    uint64_t lent = ff_ledger_count(profile, source, FF_LEDGER_STITCH_LENT);
    uint64_t gap = ff_ledger_count(profile, source, FF_LEDGER_STITCH_GAP);
    uint64_t shallow = ff_ledger_count(profile, source, FF_LEDGER_STITCH_SHALLOW);
    uint64_t none = ff_ledger_count(profile, source, FF_LEDGER_STITCH_NONE);
    if (!(tested + agreed + single + lent + gap + shallow + none))
        return;
    put(page, "\n  Stitching of cut stacks\n");
    put_number(page, agreed);
    put(page, "  two or more donors agree\n");
    put_number(page, single);
    put(page, "  one donor\n");
    put_number(page, lent);
    put(page, "  donors of another recording alone: nothing here can test them\n");
    put_number(page, gap);
    put(page, "  donors disagree: their common outer part, and a gap\n");
    put_number(page, shallow);
    put(page, "  donors far shallower: stay truncated\n");
    put_number(page, none);
    put(page, "  no donor: stay truncated\n");
    if (!tested) {
        put(page, "  self-test: undecided: no complete stack has a second one to test it with\n");
        return;
    }
    ff_output_format(
        page->output,
        "  self-test: %llu of %llu stacks that fit the dump, cut (some at several places) and\n"
        "  stitched, got exactly the callers that they had",
        (unsigned long long)exact, (unsigned long long)tested);
    put_interval(page, exact, tested);
    put(page, "\n");
}

static enum ff_status put_health(struct ff_profile *profile, uint32_t source, uint32_t event,
                                 struct ff_output *output)
{
    struct ff_health health;
    struct page page = {&health, output};
    enum ff_status status = ff_health_init(&health, profile, source, event);
    if (status == FF_OK) {
        struct ff_advice advice = ff_advice_of(&health);
        put(&page, "\n");
        put_head(&page);
        put_selection(&page);
        put_states(&page);
        put_threads(&page);
        put_libraries(&page);
        put_cuts(&page);
        put_sizes(&page);
        put_stitching(&page);
        put_chains(&page);
        ff_doctor_sites(&health, output);
        ff_doctor_files(&health, output);
        put(&page, "\n  Advice\n");
        ff_advice_put(&advice, &health, output);
    }
    ff_health_release(&health);
    return status;
}

enum ff_status ff_doctor_text(struct ff_profile *profile, uint32_t source, uint32_t event,
                              struct ff_output *output)
{
    enum ff_status status = FF_OK;
    ff_output_string(output, "flamefold unwind health\n");
    if (profile->sources.count < 2)
        ff_output_string(output, "\n  nothing was read\n");
    for (uint32_t id = 1; status == FF_OK && id < profile->sources.count; id++) {
        if (!source || id == source)
            status = put_health(profile, id, event, output);
    }
    return status;
}

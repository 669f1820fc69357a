/* SPDX-License-Identifier: MIT
 *
 * Losses, and modules whose files are missing, differ or are stale. The hard thing is that the
 * ledger counts modules of all sources together, while the lists are of one: its lines say so.
 */
#include "report/doctor_files.h"
#include "report/cell.h"
#include "report/summary.h"

#define NAMES 3 /* in a line; the rest is counted */

struct finding {
    enum ff_ledger_id id;
    const char *what, *help;
};

/* Of the source. */
static const struct finding losses[] = {
    {FF_LEDGER_LOST_SAMPLES, "samples lost by the kernel",
     "the ring was full: a larger -m, a lower -F, or smaller dumps"},
    {FF_LEDGER_LOST, "records lost by the kernel", "the ring was full: a larger -m, or a lower -F"},
    {FF_LEDGER_THROTTLED, "intervals throttled by the kernel",
     "a lower -F, or raise kernel.perf_event_max_sample_rate"},
    {FF_LEDGER_KILLED, "header never completed",
     "let perf end by itself: send it SIGINT, not SIGKILL"},
    {FF_LEDGER_BYTES_MISSING, "bytes that the header promises are missing", "copy the file again"},
    {FF_LEDGER_BYTES_CUT, "bytes of an incomplete record", "the file is cut: copy it again"},
    {FF_LEDGER_ORDER, "records older than their round allows",
     "clocks of CPUs differ: times are not exact"},
    {FF_LEDGER_NO_TIMES, "file without times", "nothing can be matched by time"},
};

/* Of all sources together. */
static const struct finding files[] = {
    {FF_LEDGER_BUILD_ID_DIFFERS, "modules whose file has another build-id",
     "give the files of the machine that recorded: -s"},
    {FF_LEDGER_OTHER_BOOT, "kernel modules: kallsyms of another boot",
     "take /proc/kallsyms as root, before a reboot"},
};

static void put_finding(struct ff_output *output, const struct finding *finding, uint64_t count)
{
    ff_output_format(output, "%9llu  %s\n", (unsigned long long)count, finding->what);
    ff_output_format(output, "           -> %s\n", finding->help);
}

static void put_losses(const struct ff_health *health, struct ff_output *output)
{
    uint64_t lost = ff_ledger_count(health->profile, health->source, FF_LEDGER_LOST_SAMPLES);
    bool any = false;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        uint64_t count = ff_ledger_count(health->profile, health->source, losses[i].id);
        if (!count)
            continue;
        if (!any)
            ff_output_string(output, "\n  Lost or damaged\n");
        any = true;
        put_finding(output, &losses[i], count);
    }
    if (!any)
        ff_output_string(output,
                         "\n  Nothing was lost or throttled, as far as the recorder says\n");
    if (lost) {
        uint32_t share = ff_summary_permille(lost, lost + ff_summary_samples(health->total));
        ff_output_format(output, "  lost samples are %u.%u %% of all\n", share / 10, share % 10);
    }
}

enum trouble { NO_BUILD_ID, NO_NAMES, NO_MAP, MAP_GAPS };

static bool has_trouble(const struct ff_health *health, const struct ff_health_module *module,
                        enum trouble trouble)
{
    const struct ff_module *row = &health->profile->modules.at[module->id];
    bool file = row->kind == FF_MODULE_ELF || row->kind == FF_MODULE_VDSO;
    switch (trouble) {
    case NO_BUILD_ID:
        return file && !row->build_id;
    case NO_NAMES:
        return row->kind != FF_MODULE_PERF_MAP && row->kind != FF_MODULE_ANONYMOUS &&
               !module->named;
    case NO_MAP:
        return row->kind == FF_MODULE_PERF_MAP && !module->named;
    case MAP_GAPS:
        return row->kind == FF_MODULE_PERF_MAP && module->named && module->named < module->frames;
    }
    return false;
}

/* How many modules have it. */
static uint32_t troubled(const struct ff_health *health, enum trouble trouble)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < health->module_count; i++)
        count += has_trouble(health, &health->modules[i], trouble);
    return count;
}

static void put_trouble(const struct ff_health *health, enum trouble trouble, const char *what,
                        const char *help, struct ff_output *output)
{
    uint32_t count = troubled(health, trouble), shown = 0;
    if (!count)
        return;
    ff_output_format(output, "%9u  %s\n          ", count, what);
    for (uint32_t i = 0; i < health->module_count && shown < NAMES; i++) {
        if (!has_trouble(health, &health->modules[i], trouble))
            continue;
        ff_output_string(output, shown++ ? ", " : " ");
        ff_cell_put(output, health->modules[i].name, 22, false);
    }
    if (count > shown)
        ff_output_format(output, " and %u more", count - shown);
    ff_output_format(output, "\n           -> %s\n", help);
}

static void put_files(const struct ff_health *health, struct ff_output *output)
{
    bool packed = ff_ledger_count(health->profile, health->source, FF_LEDGER_COMPRESSED) > 0;
    const char *unproven =
        packed ? "not verified where a file was found (perf record -z writes no build-ids)"
               : "not verified where a file was found";
    put_trouble(health, NO_BUILD_ID, "files without a recorded build-id", unproven, output);
    if (!ff_health_has_names(health)) {
        ff_output_string(
            output, "           no frame has a name: no file was found, or nobody looked for one "
                    "(-s)\n");
        return;
    }
    put_trouble(health, NO_NAMES, "modules without any name: file not found, refused or stripped",
                "give the files of the machine that recorded: -s", output);
    put_trouble(health, NO_MAP, "processes with generated code and no name for it: no perf map",
                "keep /tmp/perf-PID.map beside the recording: -s", output);
    put_trouble(health, MAP_GAPS,
                "perf maps that lack some of the code that ran: stale or too early",
                "copy the map when the program has ended", output);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        uint64_t count = ff_ledger_count(health->profile, 0, files[i].id);
        if (count && health->profile->sources.count > 2)
            ff_output_string(output, "           of all inputs together:\n");
        if (count)
            put_finding(output, &files[i], count);
    }
}

void ff_doctor_files(const struct ff_health *health, struct ff_output *output)
{
    put_losses(health, output);
    if (!health->module_count)
        return;
    ff_output_string(output, "\n  Files and names\n");
    if (ff_health_has_names(health) && !troubled(health, NO_BUILD_ID) &&
        !troubled(health, NO_NAMES) && !troubled(health, NO_MAP) && !troubled(health, MAP_GAPS))
        ff_output_string(output, "           every module has a build-id and names\n");
    put_files(health, output);
}

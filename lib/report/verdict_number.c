/* SPDX-License-Identifier: MIT
 *
 * Measures as words: the number with its interval and n, and the command that gets a missing one. The
 * hard thing is that a command must be ready to paste: the pid is put in where only one can be meant.
 */
#include "report/prose.h"
#include "report/verdict.h"

#include <stdio.h>

static void put_share(const struct ff_measure *measure, struct ff_prose *prose)
{
    char value[12], low[12], high[12];
    ff_prose_percent(value, measure->value);
    if (!measure->n) {
        ff_prose_add(prose, "%s %%", value);
        return;
    }
    ff_prose_add(prose, "%s %% (%s-%s %%)", value, ff_prose_percent(low, measure->low),
                 ff_prose_percent(high, measure->high));
}

static void put_gpu(const struct ff_evidence *evidence, struct ff_prose *prose)
{
    const struct ff_gpu *gpu = &evidence->gpus[0];
    char value[12], low[12], high[12];
    if (!evidence->gpu_count) {
        ff_prose_add(prose, "no GPU call is on any stack");
        return;
    }
    ff_prose_name(prose, ff_profile_text(evidence->profile, gpu->subject));
    if (evidence->gpu_count > 1)
        ff_prose_add(prose, ", the busiest of %u,", evidence->gpu_count);
    ff_prose_add(prose, " is at %s %% (median of %u values, %s-%s %%",
                 ff_prose_percent(value, gpu->median), gpu->usable, ff_prose_percent(low, gpu->low),
                 ff_prose_percent(high, gpu->high));
    if (gpu->dropped)
        ff_prose_add(prose, "; %u %s of 0 beside busy ones left out", gpu->dropped,
                     gpu->dropped == 1 ? "row" : "rows");
    ff_prose_add(prose, ")");
}

void ff_verdict_number(const struct ff_evidence *evidence, enum ff_measure_id id,
                       struct ff_prose *prose)
{
    const struct ff_measure *measure = &evidence->measures[id];
    const char *phrase = ff_measures[id].phrase;
    if (ff_measures[id].kind == FF_FROM_GPU) {
        put_gpu(evidence, prose);
        return;
    }
    if (ff_measures[id].kind == FF_FROM_THREADS) {
        phrase += sizeof "threads were" - 1;
        ff_prose_add(prose, "%u %s%s", measure->value,
                     measure->value == 1 ? "thread was" : "threads were", phrase);
        return;
    }
    put_share(measure, prose);
    if (evidence->dump && ff_measures[id].kind == FF_FROM_STACKS)
        phrase += sizeof "of samples" - 1;
    if (evidence->dump && ff_measures[id].kind == FF_FROM_STACKS)
        ff_prose_add(prose, " of the dump's hot threads%s", phrase);
    else
        ff_prose_add(prose, " %s", phrase);
    if (measure->n)
        ff_prose_add(prose, ": %llu of %llu", (unsigned long long)measure->count,
                     (unsigned long long)measure->n);
}

/* The stacks' process, else the only one of the inputs; 0: there are several. */
static uint32_t main_pid(const struct ff_evidence *evidence)
{
    const struct ff_profile *profile = evidence->profile;
    uint32_t pid = evidence->pid;
    if (pid || evidence->source)
        return pid;
    for (uint32_t id = 1; id < profile->processes.count; id++) {
        uint32_t other = profile->processes.at[id].pid;
        if (pid && other && other != pid)
            return 0;
        pid = other ? other : pid;
    }
    return pid;
}

const char *ff_verdict_need(enum ff_measure_id id)
{
    static const char *const needs[] = {
        [FF_FROM_STACKS] = "native stacks",
        [FF_FROM_LAUNCH] = "native stacks",
        [FF_FROM_GPU] = "the GPU's utilisation",
        [FF_FROM_GIL] = "who holds the GIL",
        [FF_FROM_IDLE] = "stacks of sleeping threads",
        [FF_FROM_TIME] = "the threads' CPU time",
        [FF_FROM_THREADS] = "native stacks",
        [FF_FROM_ANOTHER] = "the same run with only one launching thread",
    };
    return id == FF_MEASURE_LOCK ? "native stacks with the tags of ff-classify"
                                 : needs[ff_measures[id].kind];
}

const char *ff_verdict_command(const struct ff_evidence *evidence, enum ff_measure_id id,
                               char *bytes)
{
    char pid[12] = "PID";
    uint32_t known = main_pid(evidence);
    if (known)
        snprintf(pid, sizeof pid, "%u", known);
    switch (ff_measures[id].kind) {
    case FF_FROM_GPU:
        snprintf(bytes, 200, "nvidia-smi dmon -s u -o DT -c 12 >dmon.txt");
        break;
    case FF_FROM_GIL:
        snprintf(bytes, 200, "py-spy record --gil -t -r 49 -d 30 -f raw -o spy-gil.raw -p %s", pid);
        break;
    case FF_FROM_IDLE:
        snprintf(bytes, 200, "py-spy record --idle -t -r 49 -d 10 -f raw -o spy-idle.raw -p %s",
                 pid);
        break;
    case FF_FROM_TIME:
        snprintf(bytes, 200, "top -H -b -w 512 -d 3 -n 2 -p %s >top.txt", pid);
        break;
    case FF_FROM_ANOTHER:
        return "the same run with only one launching thread, recorded the same way";
    default:
        snprintf(bytes, 200,
                 "perf record -e cpu-clock -F 199 --call-graph dwarf,65528 -m 8M -z -p %s -- sleep "
                 "10",
                 pid);
        break;
    }
    return bytes;
}

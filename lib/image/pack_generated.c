/* SPDX-License-Identifier: MIT
 *
 * Touched pieces of generated code, copied as their source has them. Nothing is hard here but a
 * piece that was moved: the record that made it is needed too.
 */
#include "image/pack_generated.h"

bool ff_pack_is_generated(const struct ff_pack_process *process, uint32_t module)
{
    const struct ff_module *row = &process->profile->modules.at[module];
    return row->kind == FF_MODULE_PERF_MAP && row->pid == process->pid;
}

static void mark_line(bool *wanted, const struct ff_perf_map *map, uint64_t address)
{
    const struct ff_perf_map_entry *entry = ff_perf_map_find(map, address);
    if (entry)
        wanted[entry - map->entries] = true;
}

static void mark_record(bool *wanted, const struct ff_jit_dump *dump, uint64_t address)
{
    const struct ff_jit_dump_entry *entry = ff_jit_dump_find(dump, address, 0);
    if (entry)
        wanted[entry - dump->entries] = wanted[entry->origin] = true;
}

/* By entry of the map or of the dump, whichever is not NULL: whether a frame stands in it. NULL when
 * memory is out. */
static bool *mark(const struct ff_pack_process *process, const struct ff_perf_map *map,
                  const struct ff_jit_dump *dump)
{
    bool *wanted = ff_alloc(map ? map->count : dump->count, sizeof *wanted);
    for (uint32_t module = 1; wanted && module < process->profile->modules.count; module++) {
        uint32_t count;
        const struct ff_place *places = ff_places_of(process->places, module, &count);
        if (!ff_pack_is_generated(process, module))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            if (map)
                mark_line(wanted, map, places[i].place);
            else
                mark_record(wanted, dump, places[i].place);
        }
    }
    return wanted;
}

bool ff_pack_put_perf_map(struct ff_output *output, const struct ff_pack_process *process,
                          const struct ff_perf_map *map)
{
    bool *wanted = mark(process, map, NULL), ready = wanted;
    for (uint32_t i = 0; wanted && i < map->count; i++) {
        const struct ff_perf_map_entry *entry = &map->entries[i];
        if (!wanted[i])
            continue;
        ff_output_format(output, "%llx %llx ", (unsigned long long)entry->start,
                         (unsigned long long)entry->size);
        ff_output_text(output, entry->name);
        ff_output_byte(output, '\n');
    }
    ff_free(wanted);
    return ready;
}

bool ff_pack_put_jit_dump(struct ff_output *output, const struct ff_pack_process *process,
                          const struct ff_jit_dump *dump)
{
    bool *wanted = mark(process, NULL, dump), ready = wanted, any = false;
    for (uint32_t i = 0; wanted && i < dump->count; i++) {
        if (!wanted[i])
            continue;
        if (!any)
            ff_output_text(output, dump->header);
        ff_output_text(output, dump->entries[i].unwinding);
        ff_output_text(output, dump->entries[i].record);
        any = true;
    }
    ff_free(wanted);
    return ready;
}

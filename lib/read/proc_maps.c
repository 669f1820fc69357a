/* SPDX-License-Identifier: MIT
 *
 * `/proc/PID/maps` into facts, one a mapping, and these into the profile's mappings. The hard thing is
 * which module a path is: a recording may know its build-id, the maps file never does.
 */
#include "read/proc_maps.h"

#include "profile/mapping.h"
#include "read/side.h"

static bool device_parse(struct ff_text text)
{
    uint64_t number;
    struct ff_text minor = text;
    struct ff_text major = ff_text_cut(&minor, ':');
    return minor.at && ff_text_hex(major, &number) && ff_text_hex(minor, &number);
}

static bool range_parse(struct ff_text text, struct ff_maps_line *parsed)
{
    struct ff_text end = text;
    struct ff_text start = ff_text_cut(&end, '-');
    return end.at && ff_text_hex(start, &parsed->start) && ff_text_hex(end, &parsed->end) &&
           parsed->start <= parsed->end;
}

bool ff_maps_line_parse(struct ff_text line, struct ff_maps_line *parsed)
{
    struct ff_text rest = line;
    *parsed = (struct ff_maps_line){0};
    if (!range_parse(ff_side_cut_word(&rest), parsed))
        return false;
    struct ff_text rights = ff_side_cut_word(&rest), offset = ff_side_cut_word(&rest);
    struct ff_text device = ff_side_cut_word(&rest), inode = ff_side_cut_word(&rest);
    if (rights.size != 4 || (rights.at[0] != 'r' && rights.at[0] != '-') ||
        !ff_text_hex(offset, &parsed->file_offset) || !device_parse(device) ||
        !ff_text_decimal(inode, &parsed->inode))
        return false;
    while (rest.size && rest.at[0] == ' ')
        rest = ff_text_from(rest, 1);
    parsed->executable = rights.at[2] == 'x';
    parsed->path = rest;
    parsed->head = ff_text_slice(line, 0, (size_t)(inode.at + inode.size - line.at));
    return true;
}

static bool begins(struct ff_text line)
{
    struct ff_maps_line parsed;
    return ff_maps_line_parse(line, &parsed);
}

/* The file names no thread: one of id 0 carries the mappings to their process. */
static bool take(struct ff_side *side, struct ff_text line)
{
    struct ff_maps_line parsed;
    struct ff_profile *profile = side->profile;
    if (!ff_maps_line_parse(line, &parsed))
        return false;
    ff_fact_add(profile, (struct ff_fact){.source = side->source,
                                          .thread = ff_side_thread(side, 0, 0, FF_TEXT("")),
                                          .name = ff_profile_intern(profile, FF_TEXT("mapping")),
                                          .subject = ff_profile_intern(profile, parsed.path),
                                          .text = ff_profile_intern(profile, parsed.head)});
    return true;
}

const struct ff_side_format ff_side_maps = {FF_TOOL_PROC, begins, take, NULL};

/* The module with this path that a recording knows; of several the one with a build-id, if it is the
 * only such. 0 if there is none. */
static uint32_t known_module(const struct ff_profile *profile, enum ff_module_kind kind,
                             uint32_t path)
{
    uint32_t found = 0, others = 0;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const struct ff_module *row = &profile->modules.at[i];
        if (row->kind != kind || row->path != path)
            continue;
        bool better = row->build_id && (!found || !profile->modules.at[found].build_id);
        if (!found || better) {
            found = i;
            others = 0;
        } else if (row->build_id) {
            others++;
        }
    }
    return others ? 0 : found;
}

static uint32_t module_of(struct ff_profile *profile, const struct ff_maps_line *line,
                          uint32_t path)
{
    bool vdso = ff_text_equal(ff_profile_text(profile, path), FF_TEXT("[vdso]"));
    enum ff_module_kind kind = vdso ? FF_MODULE_VDSO : FF_MODULE_ELF;
    uint32_t known = known_module(profile, kind, path);
    return known ? known
                 : ff_module_add(profile, (struct ff_module){.kind = (uint8_t)kind,
                                                             .path = path,
                                                             .inode = vdso ? 0 : line->inode});
}

void ff_maps_enter(struct ff_profile *profile)
{
    uint32_t name = ff_profile_intern(profile, FF_TEXT("mapping"));
    uint32_t path = 0, module = 0;
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact fact = profile->facts.at[i];
        struct ff_maps_line line;
        uint32_t process = profile->threads.at[fact.thread].process;
        uint32_t pid = profile->processes.at[process].pid;
        struct ff_text file = ff_profile_text(profile, fact.subject);
        bool of_file = ff_text_starts(file, FF_TEXT("/")) || ff_text_equal(file, FF_TEXT("[vdso]"));
        if (fact.name != name || !of_file ||
            !ff_maps_line_parse(ff_profile_text(profile, fact.text), &line) || !line.executable)
            continue;
        if (fact.subject != path)
            module = module_of(profile, &line, fact.subject);
        path = fact.subject;
        ff_mapping_add(profile, (struct ff_mapping){.start = line.start,
                                                    .end = line.end,
                                                    .file_offset = line.file_offset,
                                                    .module = module,
                                                    .pid = pid});
    }
}

bool ff_maps_hold(const struct ff_profile *profile, uint32_t source, uint32_t frame)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    struct ff_text name = ff_module_name(profile, row->module);
    for (uint32_t i = 1; i < profile->facts.count; i++) {
        const struct ff_fact *fact = &profile->facts.at[i];
        struct ff_maps_line line;
        if (fact->source == source &&
            ff_text_equal(ff_text_base_name(ff_profile_text(profile, fact->subject)), name) &&
            ff_maps_line_parse(ff_profile_text(profile, fact->text), &line) && line.executable &&
            row->place >= line.start && row->place < line.end)
            return true;
    }
    return false;
}

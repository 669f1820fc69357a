/* SPDX-License-Identifier: MIT
 *
 * Printed names of frames, modules, threads. The hard thing: a name must be the same in two runs of
 * the recorded program, so no address and no pid ever gets into one.
 */
#include "profile/profile.h"

#include <stdio.h>

struct ff_text ff_module_name(const struct ff_profile *profile, uint32_t module)
{
    const struct ff_module *row = &profile->modules.at[module];
    if (row->kind == FF_MODULE_PERF_MAP)
        return FF_TEXT("perf-map");
    struct ff_text name = ff_text_base_name(ff_profile_text(profile, row->path));
    return row->kind == FF_MODULE_KERNEL ? FF_TEXT("[kernel]") : name;
}

/* "name (file:line)" as py-spy writes it; the parts that are not known are left out. */
static uint32_t python_name(struct ff_profile *profile, const struct ff_frame *frame)
{
    char line[16] = "";
    struct ff_text symbol = ff_profile_text(profile, frame->symbol);
    struct ff_text file = ff_profile_text(profile, frame->file);
    if (!file.size)
        return frame->symbol;
    if (frame->line)
        snprintf(line, sizeof line, ":%u", frame->line);
    size_t size = symbol.size + file.size + strlen(line) + 3;
    char *text = ff_alloc(size + 1, 1);
    if (!text) {
        profile->out_of_memory = true;
        return frame->symbol;
    }
    int used = snprintf(text, size + 1, "%s (%s%s)", symbol.at, file.at, line);
    uint32_t name = ff_profile_intern(profile, (struct ff_text){text, (size_t)used});
    ff_free(text);
    return name;
}

static uint32_t unnamed(struct ff_profile *profile, const struct ff_frame *frame)
{
    char text[300];
    if (!frame->module)
        return ff_profile_intern(profile, FF_TEXT("[unknown]"));
    struct ff_text module = ff_module_name(profile, frame->module);
    if (module.size > 250)
        module.size = 250;
    int used;
    if (frame->named == FF_NAMED_FUNCTION)
        used = snprintf(text, sizeof text, "%.*s+0x%llx", (int)module.size, module.at,
                        (unsigned long long)frame->function);
    else if (module.size && module.at[0] == '[')
        return ff_profile_intern(profile, module);
    else
        used = snprintf(text, sizeof text, "[%.*s]", (int)module.size, module.at);
    return ff_profile_intern(profile, (struct ff_text){text, (size_t)used});
}

uint32_t ff_frame_name(struct ff_profile *profile, uint32_t frame)
{
    const struct ff_frame *row = &profile->frames.at[frame];
    if (row->kind == FF_FRAME_PYTHON)
        return python_name(profile, row);
    return row->symbol ? row->symbol : unnamed(profile, row);
}

uint32_t ff_role_of(struct ff_profile *profile, uint32_t name)
{
    struct ff_text text = ff_profile_text(profile, name);
    char role[256];
    size_t used = 0;
    bool in_digits = false;
    for (size_t i = 0; i < text.size && used < sizeof role; i++) {
        bool digit = text.at[i] >= '0' && text.at[i] <= '9';
        if (!digit)
            role[used++] = text.at[i];
        else if (!in_digits)
            role[used++] = '*';
        in_digits = digit;
    }
    return ff_profile_intern(profile, (struct ff_text){role, used});
}

uint32_t ff_thread_label(const struct ff_profile *profile, uint32_t thread)
{
    const struct ff_thread *row = &profile->threads.at[thread];
    return row->name ? row->name : row->comm;
}

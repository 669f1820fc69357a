/* SPDX-License-Identifier: MIT
 *
 * An address space out of the text of a maps file.
 */
#include "process.h"

#include <stdlib.h>

bool process_init(struct process *process)
{
    *process = (struct process){.profile = ff_profile_new(), .images = ff_images_new()};
    if (!process->profile || !process->images)
        return false;
    process->unwinder = ff_unwinder_new(process->profile, process->images);
    /* The running system is the one that is looked at: its files need no build-id. */
    return process->unwinder && ff_images_add(process->images, "/") == FF_OK;
}

void process_release(struct process *process)
{
    ff_unwound_release(&process->unwound);
    ff_unwinder_free(process->unwinder);
    ff_images_free(process->images);
    ff_space_release(&process->space);
    ff_profile_free(process->profile);
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH" */
void process_map(struct process *process, struct ff_text line)
{
    struct ff_module module = {.kind = FF_MODULE_ANONYMOUS};
    struct ff_text range = ff_text_cut(&line, ' ');
    struct ff_span span = {0};
    if (!ff_text_hex(ff_text_cut(&range, '-'), &span.start) || !ff_text_hex(range, &span.end))
        exit(2);
    span.data = ff_text_find(ff_text_cut(&line, ' '), 'x') < 0;
    if (!ff_text_hex(ff_text_cut(&line, ' '), &span.file_offset))
        exit(2);
    ff_text_cut(&line, ' ');
    ff_text_cut(&line, ' ');
    struct ff_text path = ff_text_trim(line);
    if (ff_text_equal(path, FF_TEXT("[vdso]")))
        module.kind = FF_MODULE_VDSO;
    else if (ff_text_starts(path, FF_TEXT("/")))
        module.kind = FF_MODULE_ELF;
    module.path = ff_profile_intern(process->profile, path);
    span.module = ff_module_add(process->profile, module);
    ff_space_map(&process->space, span);
}

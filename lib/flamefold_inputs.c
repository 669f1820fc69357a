/* SPDX-License-Identifier: MIT
 *
 * The verbs that take inputs, and what can only be said when all are there. The hard thing: the user's
 * words about a file (its process, how it was made) may come long before the file.
 */
#include "flamefold_handle.h"

#include <sys/stat.h>

#include "image/pack.h"
#include "profile/mapping.h"
#include "read/belong.h"
#include "read/format.h"
#include "read/perf_lender.h"
#include "read/proc_maps.h"
#include "read/read.h"

/* Whether two paths are spelled alike or name one file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return strcmp(a, b) == 0 || (stat(a, &left) == 0 && stat(b, &right) == 0 &&
                                 left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

/* What was told of PATH; NULL: nothing. */
static struct flamefold_told *find_told(struct flamefold *flamefold, const char *path)
{
    for (uint32_t i = 0; i < flamefold->told_count; i++) {
        struct flamefold_told *told = &flamefold->told[i];
        if (is_same_file(ff_profile_text(flamefold->profile, told->path).at, path))
            return told;
    }
    return NULL;
}

/* The same, made if need be; NULL when memory is out. */
static struct flamefold_told *add_told(struct flamefold *flamefold, const char *path)
{
    struct flamefold_told *told = find_told(flamefold, path);
    bool failed = false;
    if (told)
        return told;
    flamefold->told =
        ff_grow(flamefold->told, &flamefold->told_capacity, (uint64_t)flamefold->told_count + 1,
                sizeof *flamefold->told, &failed);
    if (failed)
        return NULL;
    told = &flamefold->told[flamefold->told_count++];
    *told = (struct flamefold_told){.path = ff_profile_intern(flamefold->profile, ff_text(path))};
    return told;
}

enum flamefold_status flamefold_pid_of(struct flamefold *flamefold, const char *path, unsigned pid)
{
    struct ff_error error = {0};
    struct flamefold_told *told = add_told(flamefold, path);
    if (!told)
        return flamefold_answer(flamefold, FF_NO_MEMORY, &error);
    told->pid = pid;
    told->used |= ff_images_set_pid(flamefold->images, path, pid) == FF_OK;
    return flamefold_answer(flamefold, FF_OK, &error);
}

enum flamefold_status flamefold_about(struct flamefold *flamefold, const char *path,
                                      const char *words)
{
    struct ff_error error = {0}, reason = {0};
    struct flamefold_told *told = add_told(flamefold, path);
    enum ff_status status =
        told ? ff_about_parse(ff_text(words), &told->about, &reason) : FF_NO_MEMORY;
    if (status == FF_USAGE)
        ff_error_set(&error, status, "--as %s=%s: %s", path, words, reason.message);
    return flamefold_answer(flamefold, status, &error);
}

enum flamefold_status flamefold_symbols(struct flamefold *flamefold, const char *path)
{
    enum ff_status status = ff_images_add(flamefold->images, path);
    struct flamefold_told *told = status == FF_OK ? find_told(flamefold, path) : NULL;
    if (told && told->pid) {
        status = ff_images_set_pid(flamefold->images, path, told->pid);
        told->used = true;
    }
    return flamefold_answer(flamefold, status, &flamefold->images->error);
}

enum flamefold_status flamefold_read(struct flamefold *flamefold, const char *path)
{
    struct ff_profile *profile = flamefold->profile;
    struct flamefold_told *told = find_told(flamefold, path);
    struct ff_read_options options = {
        .selection = &flamefold->selection,
        .progress = flamefold->progress.tell ? &flamefold->progress : NULL,
        .no_stitching = flamefold->no_stitching,
        .no_open_sample = flamefold->no_open_sample,
        .lenders = flamefold->lenders,
        .lender_count = flamefold->lender_count,
        .threads = flamefold->threads,
        .about = told && told->about.tool ? &told->about : NULL,
        .pid = told ? told->pid : 0,
        .unwinder = flamefold->unwinder,
    };
    uint32_t sources = profile->sources.count, facts = profile->facts.count;
    if (told)
        told->used = true;
    enum ff_status status = ff_read(profile, path, &options);
    enum flamefold_status grade = flamefold_answer_profile(flamefold, status);
    bool partial = status == FF_BAD_INPUT && profile->sources.count > sources &&
                   (profile->samples.count > 1 || profile->facts.count > facts);
    return partial ? FLAMEFOLD_LEFT_OUT : grade;
}

static enum flamefold_role role_of(enum ff_format format, const char *path)
{
    static const enum ff_format symbols[] = {FF_FORMAT_ELF, FF_FORMAT_PERF_MAP, FF_FORMAT_KALLSYMS,
                                             FF_FORMAT_JITDUMP};
    if (ff_format_is_read(format))
        return ff_read_side_format(format) ? FLAMEFOLD_ROLE_SIDE : FLAMEFOLD_ROLE_PROFILE;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (format == symbols[i])
            return FLAMEFOLD_ROLE_SYMBOLS;
    }
    struct ff_pack *pack = NULL;
    struct ff_error ignored = {0};
    if (format == FF_FORMAT_TAR && ff_pack_open(&pack, path, &ignored) == FF_OK) {
        ff_pack_close(pack);
        return FLAMEFOLD_ROLE_SYMBOLS;
    }
    return FLAMEFOLD_ROLE_NONE;
}

const char *flamefold_recognise(struct flamefold *flamefold, const char *path,
                                enum flamefold_role *role)
{
    char buffer[4096];
    const char *folder;
    struct ff_input input;
    struct ff_error error = {0};
    enum ff_format format = FF_FORMAT_BINARY;
    enum ff_status status =
        ff_input_open(&input, ff_read_path(path, buffer, sizeof buffer, &folder), &error);
    if (status == FF_OK) {
        status = ff_format_recognise(&input, &format, &error);
        ff_input_close(&input);
    }
    *role = FLAMEFOLD_ROLE_NONE;
    if (flamefold_answer(flamefold, status, &error) != FLAMEFOLD_OK)
        return NULL;
    /* Of a GIL that nobody held py-spy writes nothing: that is an answer, see ff_read. */
    const struct flamefold_told *told = find_told(flamefold, path);
    if (format == FF_FORMAT_EMPTY && (ff_text_ends(ff_text(path), FF_TEXT(".raw")) ||
                                      (told && told->about.tool == FF_TOOL_PY_SPY)))
        format = FF_FORMAT_PY_SPY_RAW;
    *role = role_of(format, path);
    return ff_format_name(format);
}

enum ff_status flamefold_settle(struct flamefold *flamefold, struct ff_error *note)
{
    struct ff_profile *profile = flamefold->profile;
    if (flamefold->settled == profile->sources.count)
        return FF_OK;
    flamefold->settled = profile->sources.count;
    for (uint32_t i = 0; i < flamefold->told_count; i++) {
        const struct flamefold_told *told = &flamefold->told[i];
        if (!told->used)
            return ff_error_set(
                &profile->error, FF_USAGE, "%s: %s names it, but no such input was read",
                ff_profile_text(profile, told->path).at, told->pid ? "--pid-of" : "--as");
    }
    enum ff_status status = ff_belong(profile, note);
    ff_about_settle(profile);
    ff_maps_enter(profile);
    ff_mapping_place_frames(profile);
    return status == FF_OK ? ff_profile_status(profile) : status;
}

const char *flamefold_format(unsigned index, const char **use)
{
    if (index >= FF_FORMAT_COUNT)
        return NULL;
    *use = ff_format_advice((enum ff_format)index);
    return ff_format_name((enum ff_format)index);
}

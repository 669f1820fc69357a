/* SPDX-License-Identifier: MIT
 *
 * py-spy dump --json: each oddity by hand; the captured ones against the text dumps and against the
 * thread names that the program itself wrote down.
 */
#include "pyspy_reads.h"

#include "read/pyspy_dump.h"
#include "read/pyspy_json.h"

#define FRAME(name, file, module, line, entry, shim)                                               \
    "{\"name\":\"" name "\",\"filename\":\"/app/" file "\",\"module\":" module                     \
    ",\"short_filename\":\"" file "\",\"line\":" line                                              \
    ",\"locals\":[{\"name\":\"x\",\"addr\":1,\"arg\":true,\"repr\":\"{\"}],\"is_entry\":" entry    \
    ",\"is_shim_entry\":" shim "}"

static const char dump[] =
    "[ {\"pid\":27110,\"thread_id\":139700000000000,\"thread_name\":\"target-0\","
    "\"os_thread_id\":27303,\"active\":true,\"owns_gil\":true,\"frames\":["
    "{\"name\":\"0x7f10a1b2c3d4\",\"filename\":\"/usr/lib/libcuda.so.1\",\"module\":"
    "\"/usr/lib/libcuda.so.1\",\"short_filename\":\"libcuda.so.1\",\"line\":0,\"locals\":null,"
    "\"is_entry\":true,\"is_shim_entry\":true},"
    "{\"name\":\"cuLaunchKernel\",\"filename\":\"/usr/lib/libcuda.so.1\",\"module\":"
    "\"/usr/lib/"
    "libcuda.so.1\",\"short_filename\":\"libcuda.so.1\",\"line\":0,\"locals\":null}," FRAME(
        "mm", "model.py", "null", "88", "false",
        "false") "," FRAME("run", "model.py", "null", "9", "true",
                           "false") "," FRAME("<module>", "a b.py", "null", "2", "true",
                                              "true") "],\"process_info\":{\"pid\":1,\"frames\":[1]"
                                                      "}},\n"
                                                      "{\"os_thread_id\":null,\"frames\":[],"
                                                      "\"pid\":27110,\"active\":false,\"new\":{"
                                                      "\"frames\":[{}]},"
                                                      "\"thread_name\":\"a \\\"b\\u00e9\"} ]\n";

static uint8_t entry_of(const struct ff_profile *profile, uint32_t level)
{
    uint32_t stack = profile->samples.at[1].stack;
    while (level--)
        stack = profile->stacks.at[stack].parent;
    return profile->frames.at[profile->stacks.at[stack].frame].entry;
}

static void check_dump(void)
{
    struct ff_profile *profile = pyspy_read_good(ff_pyspy_json_read, dump);
    CHECK_NUMBER(profile->samples.count, 3);
    pyspy_check_sample(profile, 1, 27303, "target-0",
                       "<module> (a b.py:2);run (model.py:9);mm (model.py:88);cuLaunchKernel;"
                       "[libcuda.so.1]");
    pyspy_check_sample(profile, 2, 0, "a \"b\xc3\xa9", "");
    CHECK(entry_of(profile, 4) == FF_ENTRY_SHIM);
    CHECK(entry_of(profile, 3) == FF_ENTRY_ENTRY);
    CHECK(entry_of(profile, 2) == FF_ENTRY_INNER);
    CHECK(entry_of(profile, 1) == FF_ENTRY_UNKNOWN); /* py-spy sets it for native frames */
    const struct ff_frame *bare =
        &profile->frames.at[profile->stacks.at[profile->samples.at[1].stack].frame];
    CHECK_NUMBER(bare->place, 0x7f10a1b2c3d4);
    CHECK(profile->modules.at[bare->module].kind == FF_MODULE_UNPLACED);
    CHECK_NUMBER(profile->modules.at[bare->module].pid, 27110);
    CHECK_NUMBER(profile->facts.count, 4);
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[1].text), "active");
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[2].text), "held");
    CHECK_TEXT(ff_profile_text(profile, profile->facts.at[3].text), "idle");
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_NO_FRAMES), 1);
    pyspy_check_round_trip(profile);
    pyspy_check_conserved(profile);
    ff_profile_free(profile);
}

static void check_old(void)
{
    /* 0.3.0: no entries, no module, no short name. */
    struct ff_profile *profile =
        pyspy_read_good(ff_pyspy_json_read,
                        "[{\"pid\":5,\"thread_id\":1,\"os_thread_id\":6,\"active\":true,\"frames\":"
                        "[{\"name\":\"f\",\"filename\":\"/a/b.py\",\"line\":7}]}]");
    pyspy_check_sample(profile, 1, 6, "", "f (/a/b.py:7)");
    CHECK(entry_of(profile, 0) == FF_ENTRY_UNKNOWN);
    ff_profile_free(profile);
}

static void check_damage(void)
{
    enum ff_status status;
    struct ff_profile *profile =
        pyspy_read(ff_pyspy_json_read,
                   FF_TEXT("[{\"pid\":5,\"os_thread_id\":6,\"frames\":[]},{\"pid\":5,!"), &status);
    CHECK(status == FF_BAD_INPUT);
    CHECK(strstr(profile->error.message, "offset ") != NULL);
    CHECK_NUMBER(profile->samples.count, 2);
    CHECK_NUMBER(ff_ledger_count(profile, 1, FF_LEDGER_JSON_CUT), 1);
    ff_profile_free(profile);
    pyspy_check_cuts(ff_pyspy_json_read, dump, 2);
}

/* A thread of A by tid, or 0. Nameless autograd workers have tids too. */
static uint32_t find_thread(const struct ff_profile *profile, uint32_t tid)
{
    for (uint32_t i = 1; i < profile->threads.count; i++) {
        if (profile->threads.at[i].tid == tid)
            return i;
    }
    return 0;
}

static void check_same_threads(const struct ff_profile *a, const struct ff_profile *b)
{
    CHECK_NUMBER(a->threads.count, b->threads.count);
    for (uint32_t i = 1; i < a->threads.count; i++) {
        uint32_t other = find_thread(b, a->threads.at[i].tid);
        struct ff_text name = ff_profile_text(a, a->threads.at[i].name);
        CHECK(other != 0);
        CHECK_TEXT(ff_profile_text(b, b->threads.at[other].name), name.at);
    }
}

static int check_capture(const char *folder)
{
    struct ff_profile *json = pyspy_read_capture(ff_pyspy_json_read, folder, "dump.json");
    struct ff_profile *native = pyspy_read_capture(ff_pyspy_json_read, folder, "dump-native.json");
    struct ff_profile *text = pyspy_read_capture(ff_pyspy_dump_read, folder, "dump.txt");
    if (json)
        CHECK(pyspy_check_names(json, folder) > 0);
    if (json && text)
        check_same_threads(json, text);
    if (json && native)
        check_same_threads(json, native);
    int found = (json != NULL) + (native != NULL) + (text != NULL);
    for (struct ff_profile **one = (struct ff_profile *[]){json, native, text, NULL}; *one; one++)
        pyspy_check_conserved(*one);
    ff_profile_free(json);
    ff_profile_free(native);
    ff_profile_free(text);
    return found;
}

int main(void)
{
    int found = 0;
    check_dump();
    check_old();
    check_damage();
    for (size_t i = 0; i < PYSPY_CAPTURES; i++)
        found += check_capture(pyspy_captures[i]);
    if (!found)
        SKIP("the shared captures are not here");
    else
        CHECK(found > 15);
    return check_result();
}

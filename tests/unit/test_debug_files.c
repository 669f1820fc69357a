/* SPDX-License-Identifier: MIT
 *
 * Symbols that a stripped library does not have itself: in a file that it names (.gnu_debuglink), in
 * itself (.gnu_debugdata), in the cache of debuginfod's client. Made with binutils from a library whose
 * full symbol table says what must be found.
 */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "image/images.h"

#define IMAGE    "tests/data/image.so"
#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"

static char folder[64];

/* A shell command in the folder, with $IMAGE; false when it failed. */
static bool run(const char *command)
{
    char line[1024], here[512];
    if (!getcwd(here, sizeof here))
        return false;
    snprintf(line, sizeof line, "cd '%s' && IMAGE='%s/" IMAGE "' && { %s; } 2>/dev/null", folder,
             here, command);
    return system(line) == 0;
}

/* Whether the library recorded as /opt/lib.so gets a table of symbols of its own build. */
static bool has_symbols(const char *build_id)
{
    struct ff_images *images = ff_images_new();
    CHECK(ff_images_add(images, folder) == FF_OK);
    struct ff_image image =
        ff_images_find(images, (struct ff_image_key){.kind = FF_MODULE_ELF,
                                                     .path = FF_TEXT("/opt/lib.so"),
                                                     .build_id = ff_text(build_id)});
    CHECK(image.elf && !ff_elf_has_symtab(image.elf));
    bool found = image.debug && ff_elf_has_symtab(image.debug);
    ff_images_free(images);
    return found;
}

static void test_link(void)
{
    CHECK(run("mkdir -p opt/.debug usr/lib/debug/opt &&"
              "objcopy --remove-section=.note.gnu.build-id $IMAGE whole &&"
              "objcopy --only-keep-debug whole lib.debug &&"
              "objcopy --strip-all --add-gnu-debuglink=lib.debug whole opt/lib.so"));
    CHECK(!has_symbols(""));
    CHECK(run("cp lib.debug opt/lib.debug"));
    CHECK(has_symbols(""));
    CHECK(run("echo >>opt/lib.debug")); /* another checksum */
    CHECK(!has_symbols(""));
    CHECK(run("rm opt/lib.debug; cp lib.debug opt/.debug/"));
    CHECK(has_symbols(""));
    CHECK(run("mv opt/.debug/lib.debug usr/lib/debug/opt/"));
    CHECK(has_symbols(""));
    CHECK(run("rm -r opt usr"));
}

static void test_inside(void)
{
    if (!run("command -v xz >lib.path")) {
        SKIP("no xz");
        return;
    }
    CHECK(run("mkdir opt && objcopy --only-keep-debug $IMAGE mini && xz -k mini &&"
              "objcopy --strip-all --add-section .gnu_debugdata=mini.xz $IMAGE opt/lib.so"));
    CHECK(has_symbols(BUILD_ID));
    CHECK(has_symbols(""));
    CHECK(run("printf xz >bad && head -c 200 mini.xz >>bad &&"
              "objcopy --strip-all --add-section .gnu_debugdata=bad $IMAGE opt/lib.so"));
    CHECK(!has_symbols(BUILD_ID));
    CHECK(run("head -c 300 mini.xz >bad &&"
              "objcopy --strip-all --add-section .gnu_debugdata=bad $IMAGE opt/lib.so"));
    CHECK(!has_symbols(BUILD_ID));
    CHECK(run("rm -r opt"));
}

static void test_cache(void)
{
    CHECK(run("mkdir " BUILD_ID " && objcopy --strip-all $IMAGE " BUILD_ID "/executable"));
    CHECK(!has_symbols(BUILD_ID));
    CHECK(run("objcopy --only-keep-debug $IMAGE " BUILD_ID "/debuginfo"));
    CHECK(has_symbols(BUILD_ID));
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/flamefold-debug-XXXXXX");
    if (!mkdtemp(folder) || !run("command -v objcopy >found")) {
        SKIP("no objcopy");
        return check_result();
    }
    test_link();
    test_inside();
    test_cache();
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    return check_result();
}

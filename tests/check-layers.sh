#!/bin/sh
# Refuses an include that the layer table does not allow. Prints "N passed, N failed, N skipped".
# The table: a directory under lib/ and the directories whose headers it may include; then the
# headers of other packages and the only files that may include them.
cd "$(dirname "$0")/.." || exit 2
failed=0
passed=0

layer() { # directory, allowed directories
    for file in lib/"$1"/*.[ch]; do
        bad=$(sed -n 's/^#include "\([^/"]*\)\/.*/\1/p' "$file" | grep -vxE "$(echo "$1 $2" | tr ' ' '|')")
        if [ -n "$bad" ]; then
            echo "$file: may not include from: $(echo $bad)" >&2
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    done
}

layer base ""
layer profile "base"
layer image "base profile"
layer unwind "base profile image"
layer read "base profile unwind"
layer symbolize "base profile image"
layer merge "base profile"
layer classify "base profile"
layer fold "base profile"
layer report "base profile classify fold"
layer diff "base profile fold"
layer draw "base profile fold"

package() { # header pattern, files that may include it
    bad=$(grep -lE "^#include <($1)>" lib/*.c lib/*/*.[ch] tools/*.[ch] | grep -vxE "$2")
    if [ -n "$bad" ]; then
        echo "$bad: may not include <$1>" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

package 'zstd.h' '(lib/base/unpack.c|lib/read/perf_zstd.c)'
package 'lzma.h' 'lib/base/unpack.c'
package 'zlib.h' '(lib/base/unpack.c|lib/draw/deflate.c|lib/image/debug_link.c|lib/read/svg_packed.c)'
package '(libelf|gelf|elfutils/.*|dwarf)\.h' 'lib/image/.*'
package '(libiberty/)?demangle.h' 'lib/image/name.c'
package 'yajl/.*\.h' 'lib/read/json.c'
package 'jansson.h' 'lib/report/report_json.*'

# Tools see the public header and each other, never the inside of the library.
for file in tools/*.[ch]; do
    bad=$(sed -n 's/^#include "\(.*\)"/\1/p' "$file" | grep -vxE 'tool\.h|flamefold\.h')
    if [ -n "$bad" ]; then
        echo "$file: may not include $bad" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done

# The library never prints, exits, reads the environment, or allocates past base/memory.c.
for word in 'printf' 'puts' 'exit' 'abort' 'getenv'; do
    bad=$(grep -nE "(^|[^a-z_])$word\(" lib/*.c lib/*/*.c)
    if [ -n "$bad" ]; then
        echo "$bad: the library does not call $word" >&2
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
done
bad=$(grep -nE '(^|[^a-z_])(malloc|calloc|realloc|free|strdup)\(' lib/*.c lib/*/*.c | grep -v '^lib/base/memory.c:')
if [ -n "$bad" ]; then
    echo "$bad: memory comes from base/memory.h" >&2
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]

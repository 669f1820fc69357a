#!/bin/sh
# Documents against programs: what one of them says, the other must say too. Tools are taken from
# $FF_BIN, else build/release/bin. Prints "N passed, N failed, N skipped".
cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
bin=${FF_BIN:-$root/build/release/bin}
PATH=$bin:$PATH
LC_ALL=C
export PATH LC_ALL
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

if [ ! -x "$bin/ff-read" ]; then
    echo "check-docs: no tools in $bin; run make first, or set FF_BIN" >&2
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

pass() { passed=$((passed + 1)); }
fail() {
    echo "$1" >&2
    failed=$((failed + 1))
}

same() { # what, expected file, found file
    if diff "$2" "$3" >"$work/diff"; then
        pass
    else
        fail "$1:"
        sed -n '1,12p' "$work/diff" >&2
    fi
}

named() { # what, document; every line of stdin must stand in the document
    # Runs at the end of pipes, where counters are lost: answers go to a file, counted by tally.
    sort -u >"$work/words"
    [ -s "$work/words" ] || echo "fail $2: found no $1 at all to look for" >>"$work/answers"
    while read -r word; do
        grep -qF -e "$word" "$2" && echo pass || echo "fail $2: says nothing about $1 '$word'"
    done <"$work/words" >>"$work/answers"
}

tally() {
    while read -r answer text; do
        if [ "$answer" = pass ]; then pass; else fail "$text"; fi
    done <"$work/answers"
}

# The second text field of the rows of an X-table: X(NAME, "first", ...).
table_words() { # macro, header
    { sed -n "/define $1(X)/,/[^\\\\]\$/p" "$2" | tr -d '\n\\'; echo; } | sed 's/X(/\n&/g' |
        sed -n 's/^X([^"]*"\([^"]*\)".*/\1/p'
}

# -- Options: --help and man page, both ways and in order -------------------------------------------
for page in docs/man/*.1; do
    tool=$(basename "$page" .1)
    "$tool" --help | sed -n 's/^  \(-[a-zA-Z]\),* *--\([a-z-]*\) *\([A-Z][^ ]*\)*  .*/\1 \2 \3/p
                             s/^      --\([a-z-]*\) *\([A-Z][^ ]*\)*  .*/- \1 \2/p' >"$work/help"
    sed -n '/^\.Sh OPTIONS/,/^\.Sh EXIT/s/^\.It Fl \([a-zA-Z]\) , Fl -\([a-z-]*\)\(.*\)/-\1 \2\3/p
            /^\.Sh OPTIONS/,/^\.Sh EXIT/s/^\.It Fl -\([a-z-]*\)\(.*\)/- \1\2/p' "$page" |
        sed 's/ Ar / /' >"$work/page"
    sed 's/ *$//' "$work/help" >"$work/help.lines"
    [ -s "$work/help.lines" ] || fail "$tool: --help shows no options"
    same "$page: its options are not those of $tool --help" "$work/help.lines" "$work/page"
done
for tool in $(sed -n 's/^    \.name = "\(.*\)",/\1/p' tools/*.c); do
    if [ -f "docs/man/$tool.1" ]; then pass; else fail "docs/man/$tool.1 is missing"; fi
done

# -- The library ------------------------------------------------------------------------------------
sed -n 's/.*[ *]\(flamefold_[a-z_]*\)(.*/\1/p' lib/flamefold.h | grep -v '^ \*' | sort -u >"$work/api"
named "the function" docs/man/flamefold.7 <"$work/api"
for name in $(cat "$work/api"); do
    if grep -qE "^[a-z].*[ *]$name\(" lib/*.c; then pass; else fail "$name is declared, not defined"; fi
done

# -- Rules and buckets ------------------------------------------------------------------------------
rules=lib/classify/default.rules
sed -n 's/^bucket \([a-z_]*\) "\(.*\)"$/\1 \2/p' $rules >"$work/buckets"
sed -n 's/^\([a-z_]*\): .*/\1/p' $rules | sort -u >"$work/concluded"
cut -d' ' -f1 "$work/buckets" | sort -u >"$work/declared"
same "$rules: buckets that are declared and those that rules conclude" "$work/concluded" \
    "$work/declared"
if grep -nE '^bucket [a-z_]+ *("")?$' $rules >&2; then fail "$rules: a bucket without a description"; else pass; fi
sed -n '/^## Buckets/,/^## /s/^| `\([a-z_]*\)` | \(.*\) |$/\1 \2/p' docs/formats.md >"$work/table"
same "docs/formats.md: its table of buckets is not that of $rules" "$work/buckets" "$work/table"

sed -n 's/^tag \([a-z_]*\) ".*"$/| `\1/p' $rules | named "the tag" docs/formats.md

# -- Stream, vocabularies, ledger, JSON, inputs -----------------------------------------------------
grep -o 'begin(writer, "[a-z]*")' lib/profile/stream_write.c |
    sed 's/[^"]*"\([a-z]*\).*/| `\1` |/' | sort -u | named "the kind of line" docs/formats.md
for vocabulary in TOOL POPULATION MODULE FRAME NAMED STATE; do
    table_words FF_${vocabulary}_TABLE lib/profile/kinds.h | sed 's/.*/`&`/' |
        named "the word" docs/formats.md
done
table_words FF_GRADE_TABLE lib/profile/ledger.h | sed 's/.*/`&`/' | named "the grade" docs/formats.md
table_words FF_ROOT_TABLE lib/fold/tree.h | sed 's/.*/`&`/' | named "the root" docs/formats.md
sed -n '/define FF_LEDGER_TABLE/,/^$/s/.*", "\(.*\)").*/\1/p' lib/profile/ledger.h |
    named "the ledger entry" docs/formats.md
# ff-report has 55 columns for a name where the source's stands beside it.
long_names=$(sed -n 's/.*"\([^"]\{56,\}\)").*/\1/p' lib/profile/ledger.h)
if [ -z "$long_names" ]; then
    pass
else
    fail "lib/profile/ledger.h: names of more than 55 characters: $long_names"
fi
grep -ho '"[a-z_]*", *[a-z0-9(]\|"[a-z_]*",$' lib/report/report_json*.c | sed 's/"\([a-z_]*\)".*/`\1`/' |
    sort -u | named "the field" docs/formats.md
sed -n 's/^ *X(FF_FORMAT_[A-Z0-9_]*, "\([^"]*\)".*/\1/p' lib/read/format.h |
    named "the format" docs/inputs.md

# -- Layers -----------------------------------------------------------------------------------------
sed -n 's/^layer \([a-z]*\) "\(.*\)"$/\1: \2/p' tests/check-layers.sh | sed 's/ *$//' >"$work/layers"
sed -n '/^## Layers/,/^## /s/^| lib\/\([a-z]*\) |[^|]*| *\([a-z, ]*\) *|[^|]*|$/\1: \2/p' \
    docs/architecture.md | tr -d ',' | sed 's/: libc */:/; s/ *$//' >"$work/documented"
same "docs/architecture.md: its table of layers is not that of tests/check-layers.sh" \
    "$work/layers" "$work/documented"

# -- Links ------------------------------------------------------------------------------------------
for document in README.md docs/*.md; do
    for link in $(tr '\n' ' ' <"$document" | grep -o '](\([^)# ]*\)' | sed 's/^](//' | grep -v '^[a-z]*:'); do
        if [ -e "$(dirname "$document")/$link" ]; then pass; else fail "$document: no such file: $link"; fi
    done
done
# Files that a document names in backquotes.
for document in README.md docs/*.md; do
    for file in $(grep -oE '`(lib|tests|tools|scripts|docs|examples)/[A-Za-z0-9_./-]*`' "$document" | tr -d '`' | grep -vE 'NAME|NOUN' | sort -u); do
        if [ -e "$file" ]; then pass; else fail "$document: no such file: $file"; fi
    done
done

# -- Nothing of a developer's machine ---------------------------------------------------------------
list_files() {
    git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f -not -path './build/*'
}
paths='/wor[k]/|/hom[e]/[a-z]|/roo[t]/|/User[s]/'
hosts='pyp[i]\.org|pythonhoste[d]\.org|crate[s]\.io|npmj[s]\.|prox[y]\.golang|artifactor[y]|jfro[g]|/simpl[e]/|index-ur[l]'
list_files | while read -r file; do
    [ -f "$file" ] && grep -IlE "$paths|$hosts" "$file"
done >"$work/foreign"
while read -r file; do
    echo "$file: $(grep -nIoE "$paths|$hosts" "$file" | head -3 | tr '\n' ' ')" >&2
done <"$work/foreign"
if [ -s "$work/foreign" ]; then fail "files name a developer's machine or a registry"; else pass; fi

# -- Man pages --------------------------------------------------------------------------------------
if command -v mandoc >/dev/null; then
    for page in docs/man/*.[17]; do
        if mandoc -T lint -W warning "$page" >"$work/lint" 2>&1; then pass; else
            fail "$page: mandoc complains"
            cat "$work/lint" >&2
        fi
    done
else
    echo "skipped: no mandoc here: man pages are not checked" >&2
    skipped=$((skipped + 1))
fi

# -- Commands that are shown ------------------------------------------------------------------------
# They run in a folder that has what they name. perf, sudo and less are left out, and what only works on the
# machine that recorded.
example=examples/launch-queue
scratch() {
    rm -rf "$work/run"
    mkdir "$work/run" && ln -s "$root/examples" "$work/run/examples"
    mkdir "$work/run/launch-queue"
    cp $example/* "$work/run/launch-queue"
    cp $example/symbols.tar $example/spy.raw "$work/run"
    cp $example/fp.data "$work/run/perf.data"
    for name in profile before after; do cp "$work/profile.ff" "$work/run/$name.ff"; done
    cp $rules "$work/run/my.rules"
    printf 'main;b 2\nmain;a 1\n' >"$work/run/folded.txt"
}

run() { # document, file with commands
    (cd "$work/run" && sh "$2") >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ $status -le 1 ] && ! grep -qE "not found|--help'" "$work/err"; then pass; else
        fail "$1: exit $status: $(cat "$2")"
        sed -n '1,3p' "$work/err" >&2
    fi
}

if [ -f $example/fp.data ]; then
    flamefold --no-live $example -o "$work/demo" >"$work/report" 2>/dev/null
    flamefold --no-live -s $example/symbols.tar --main perf.data "$work/demo/profile.ff" >/dev/null 2>&1
    cp "$work/demo/profile.ff" "$work/profile.ff"
    for page in docs/man/*.[17]; do
        scratch
        sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl //p' "$page" |
            sed "s/\\\\(aq/'/g; s/ *| less\$//" | grep -vE '^(perf|sudo|ff-pack perf.data) ' >"$work/commands"
        while read -r line; do
            printf '%s\n' "$line" >"$work/command"
            run "$page" "$work/command"
        done <"$work/commands"
    done
    for document in README.md docs/*.md; do
        scratch
        rm -f "$work"/block.*
        awk -v out="$work/block." '/^```sh$/ { n++; on = 1; next } /^```$/ { on = 0 }
            on { print > (out sprintf("%02d", n)) }' "$document"
        for block in "$work"/block.*; do
            [ -f "$block" ] || continue
            if grep -qE '^(ff-|flamefold |cat |printf )' "$block"; then run "$document" "$block"; fi
        done
    done
    # The report that README shows is the one that comes out.
    awk '/^## What the report looks like/ { on = 1 } /^## What it reads/ { on = 0 }
         /^```/ { in_block = !in_block; next } on && in_block && NF' README.md >"$work/shown"
    while read -r line; do
        if sed 's/^ *//' "$work/report" | grep -qxF -e "$line"; then pass; else
            fail "README.md: the report does not say: $line"
        fi
    done <"$work/shown"
else
    echo "skipped: no $example: shown commands are not run" >&2
    skipped=$((skipped + 1))
fi

tally
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

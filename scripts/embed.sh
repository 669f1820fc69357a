#!/bin/sh
# Prints a C file that holds the text file $1 as ff_text_NAME_EXT[] and ff_text_NAME_EXT_size.
name=$(basename "$1" | tr '.-' '__')
printf 'extern const char ff_text_%s[];\nextern const unsigned long ff_text_%s_size;\n' "$name" "$name"
printf 'const char ff_text_%s[] = {\n' "$name"
od -An -v -tu1 "$1" | sed 's/[0-9][0-9]*/&,/g'
printf '0};\nconst unsigned long ff_text_%s_size = sizeof ff_text_%s - 1;\n' "$name" "$name"

/* SPDX-License-Identifier: MIT
 *
 * ustar headers, 512 bytes of octal text. The hard thing is that numbers in them are text that
 * nobody checked: a member must lie inside the archive, and a header's sum must be right.
 */
#include "image/tar.h"

#include <stdio.h>

#define BLOCK     512
#define NAME_SIZE 100

/* Offsets and sizes of the fields that matter. */
enum {
    MODE = 100,
    UID = 108,
    GID = 116,
    SIZE = 124,
    TIME = 136,
    SUM = 148,
    TYPE = 156,
    MAGIC = 257,
    PREFIX = 345,
};

bool ff_tar_recognise(struct ff_text bytes)
{
    return bytes.size >= BLOCK && memcmp(bytes.at + MAGIC, "ustar", 5) == 0;
}

static bool octal(struct ff_text text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.size && text.at[i] && text.at[i] != ' '; i++) {
        if (text.at[i] < '0' || text.at[i] > '7')
            return false;
        *value = *value * 8 + (uint64_t)(text.at[i] - '0');
    }
    return true;
}

/* The sum of a header's bytes, its own field taken as blanks. */
static uint64_t header_sum(const char *header)
{
    uint64_t sum = 0;
    for (int i = 0; i < BLOCK; i++)
        sum += i >= SUM && i < SUM + 8 ? ' ' : (unsigned char)header[i];
    return sum;
}

static bool is_zero(const char *block)
{
    for (int i = 0; i < BLOCK; i++) {
        if (block[i])
            return false;
    }
    return true;
}

static struct ff_text header_name(const char *header)
{
    struct ff_text name = {header, 0};
    while (name.size < NAME_SIZE && header[name.size])
        name.size++;
    return ff_text_starts(name, FF_TEXT("./")) ? ff_text_from(name, 2) : name;
}

enum ff_status ff_tar_next(struct ff_text *rest, struct ff_tar_member *member)
{
    for (;;) {
        uint64_t size, sum;
        if (rest->size < BLOCK || is_zero(rest->at))
            return FF_END;
        const char *header = rest->at;
        if (!octal((struct ff_text){header + SIZE, 12}, &size) ||
            !octal((struct ff_text){header + SUM, 8}, &sum) || sum != header_sum(header) ||
            size > rest->size - BLOCK)
            return FF_BAD_INPUT;
        member->name = header_name(header);
        member->bytes = ff_text_slice(*rest, BLOCK, BLOCK + (size_t)size);
        *rest = ff_text_from(*rest, BLOCK + ((size_t)size + BLOCK - 1) / BLOCK * BLOCK);
        bool plain = header[TYPE] == '0' || header[TYPE] == '\0';
        if (plain && !header[PREFIX] && member->name.size)
            return FF_OK;
    }
}

static void pad(struct ff_output *output, size_t size)
{
    static const char zeros[BLOCK];
    ff_output_text(output, (struct ff_text){zeros, size});
}

bool ff_tar_write(struct ff_output *output, struct ff_tar_member member)
{
    char header[BLOCK] = "";
    if (member.name.size > NAME_SIZE || member.bytes.size >= (uint64_t)1 << 33)
        return false;
    memcpy(header, member.name.at, member.name.size);
    memcpy(header + MODE, "0000644", 8);
    memcpy(header + UID, "0000000", 8);
    memcpy(header + GID, "0000000", 8);
    snprintf(header + SIZE, 12, "%011llo", (unsigned long long)member.bytes.size);
    memcpy(header + TIME, "00000000000", 12);
    header[TYPE] = '0';
    memcpy(header + MAGIC, "ustar\00000", 8);
    snprintf(header + SUM, 8, "%06llo", (unsigned long long)header_sum(header));
    header[SUM + 7] = ' ';
    ff_output_text(output, (struct ff_text){header, BLOCK});
    ff_output_text(output, member.bytes);
    pad(output, (BLOCK - member.bytes.size % BLOCK) % BLOCK);
    return true;
}

void ff_tar_end(struct ff_output *output)
{
    pad(output, BLOCK);
    pad(output, BLOCK);
}

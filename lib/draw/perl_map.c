/* SPDX-License-Identifier: MIT
 *
 * palette.map: one colour for a name, in every picture that is drawn beside it. Nothing is hard: a name
 * that holds "->" itself is cut at the last one that a colour follows.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "draw/perl.h"

static struct ff_perl_map_row *find(struct ff_perl_map *map, struct ff_text name, uint64_t hash)
{
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&map->map, hash, &probe); id;
         id = ff_map_next(&map->map, &probe)) {
        if (ff_text_equal(map->rows[id - 1].name, name))
            return &map->rows[id - 1];
    }
    return NULL;
}

uint32_t ff_perl_map_color(struct ff_perl_map *map, struct ff_text name, uint32_t color)
{
    uint64_t hash = ff_hash_bytes(name.at, name.size, 0);
    struct ff_perl_map_row *row = find(map, name, hash);
    if (row)
        return row->color;
    char *copy = ff_arena_take(&map->arena, name.size + 1);
    map->rows = ff_grow(map->rows, &map->capacity, (uint64_t)map->count + 1, sizeof *map->rows,
                        &map->failed);
    if (!copy || map->failed)
        return color;
    memcpy(copy, name.at, name.size);
    map->rows[map->count++] = (struct ff_perl_map_row){{copy, name.size}, color};
    ff_map_add(&map->map, hash, map->count);
    return color;
}

/* "rgb(1,2,3)" */
static bool parse_color(struct ff_text text, uint32_t *color)
{
    *color = 0;
    if (!ff_text_starts(text, FF_TEXT("rgb(")) || !ff_text_ends(text, FF_TEXT(")")))
        return false;
    text = ff_text_slice(text, 4, text.size - 1);
    for (int i = 0; i < 3; i++) {
        uint64_t part;
        if (!ff_text_decimal(ff_text_trim(ff_text_cut(&text, ',')), &part) || part > 255)
            return false;
        *color = *color << 8 | (uint32_t)part;
    }
    return !text.at;
}

void ff_perl_map_read(struct ff_perl_map *map, struct ff_text text)
{
    while (text.size) {
        struct ff_text line = ff_text_cut(&text, '\n');
        ptrdiff_t arrow = -1, next;
        uint32_t color;
        while ((next = ff_text_find_text(ff_text_from(line, (size_t)(arrow + 1)), FF_TEXT("->"))) >=
               0)
            arrow += 1 + next;
        if (arrow >= 0 && parse_color(ff_text_from(line, (size_t)arrow + 2), &color))
            ff_perl_map_color(map, ff_text_slice(line, 0, (size_t)arrow), color);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct ff_perl_map_row *x = a, *y = b;
    return ff_text_compare(x->name, y->name);
}

void ff_perl_map_write(struct ff_perl_map *map, struct ff_output *output)
{
    if (map->count)
        qsort(map->rows, map->count, sizeof *map->rows, compare_rows);
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t color = map->rows[i].color;
        ff_output_text(output, map->rows[i].name);
        ff_output_format(output, "->rgb(%u,%u,%u)\n", (unsigned)(color >> 16),
                         (unsigned)(color >> 8 & 255), (unsigned)(color & 255));
    }
}

void ff_perl_map_release(struct ff_perl_map *map)
{
    ff_free(map->rows);
    ff_map_release(&map->map);
    ff_arena_release(&map->arena);
}

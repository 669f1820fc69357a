/* SPDX-License-Identifier: MIT
 *
 * Ledger rows by (source, grade, name). The table in ledger.h gives each entry its words; entries
 * that only a newer version knows come through the stream and are kept as text.
 */
#include "profile/ledger.h"
#include "profile/profile.h"

static const struct {
    uint8_t grade;
    const char *unit, *name;
} entries[] = {
#define X(id, grade, unit, name) {FF_GRADE_##grade, unit, name},
    FF_LEDGER_TABLE(X)
#undef X
};

const char *ff_grade_word(enum ff_grade grade)
{
    static const char *const words[] = {
#define X(name, word) word,
        FF_GRADE_TABLE(X)
#undef X
    };
    return (unsigned)grade < FF_GRADE_COUNT ? words[grade] : "?";
}

int ff_grade_parse(struct ff_text word)
{
    for (int grade = 0; grade < FF_GRADE_COUNT; grade++) {
        if (ff_text_equal(word, ff_text(ff_grade_word((enum ff_grade)grade))))
            return grade;
    }
    return -1;
}

void ff_ledger_add_entry(struct ff_profile *profile, struct ff_ledger_entry entry)
{
    uint64_t hash =
        ff_hash_mix(ff_hash_mix(entry.source, entry.name), (uint64_t)entry.unit << 8 | entry.grade);
    struct ff_probe probe;
    for (uint32_t id = ff_map_first(&profile->ledger_map, hash, &probe); id;
         id = ff_map_next(&profile->ledger_map, &probe)) {
        struct ff_ledger_entry *row = &profile->ledger.at[id];
        if (row->source == entry.source && row->name == entry.name && row->unit == entry.unit &&
            row->grade == entry.grade) {
            row->count += entry.count;
            row->inherited += entry.inherited;
            return;
        }
    }
    profile->ledger.at =
        ff_grow(profile->ledger.at, &profile->ledger.capacity, (uint64_t)profile->ledger.count + 1,
                sizeof *profile->ledger.at, &profile->out_of_memory);
    if (profile->ledger.count == profile->ledger.capacity)
        return;
    uint32_t id = profile->ledger.count++;
    profile->ledger.at[id] = entry;
    ff_map_add(&profile->ledger_map, hash, id);
}

void ff_ledger_add(struct ff_profile *profile, uint32_t source, enum ff_ledger_id id,
                   uint64_t count)
{
    if (!count)
        return;
    struct ff_ledger_entry entry = {
        .source = source,
        .grade = entries[id].grade,
        .unit = ff_profile_intern(profile, ff_text(entries[id].unit)),
        .name = ff_profile_intern(profile, ff_text(entries[id].name)),
        .count = count,
    };
    ff_ledger_add_entry(profile, entry);
}

static bool is_entry(const struct ff_profile *profile, const struct ff_ledger_entry *row,
                     enum ff_ledger_id id)
{
    return row->grade == entries[id].grade &&
           ff_text_equal(ff_profile_text(profile, row->name), ff_text(entries[id].name));
}

void ff_ledger_clear(struct ff_profile *profile, enum ff_ledger_id id)
{
    for (uint32_t i = 1; i < profile->ledger.count; i++) {
        if (is_entry(profile, &profile->ledger.at[i], id))
            profile->ledger.at[i].count = profile->ledger.at[i].inherited = 0;
    }
}

void ff_ledger_clear_source(struct ff_profile *profile, uint32_t source, enum ff_ledger_id id)
{
    for (uint32_t i = 1; i < profile->ledger.count; i++) {
        struct ff_ledger_entry *row = &profile->ledger.at[i];
        if (row->source == source && is_entry(profile, row, id))
            row->count = row->inherited = 0;
    }
}

uint64_t ff_ledger_count(const struct ff_profile *profile, uint32_t source, enum ff_ledger_id id)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->ledger.count; i++) {
        const struct ff_ledger_entry *row = &profile->ledger.at[i];
        if ((!source || row->source == source) && is_entry(profile, row, id))
            sum += row->count;
    }
    return sum;
}

uint64_t ff_ledger_grade_count(const struct ff_profile *profile, enum ff_grade grade)
{
    uint64_t sum = 0;
    for (uint32_t i = 1; i < profile->ledger.count; i++) {
        if (profile->ledger.at[i].grade == grade)
            sum += profile->ledger.at[i].count;
    }
    return sum;
}

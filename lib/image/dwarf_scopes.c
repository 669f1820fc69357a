/* SPDX-License-Identifier: MIT
 *
 * A unit's DIE tree to (place, function) pairs, in one walk for all its places. The hard thing is a
 * hostile tree: siblings that point backwards, scopes that overlap, endless nesting. A place is
 * claimed by one scope at a time, and only by a child of the scope that holds it, so that overlaps
 * cannot multiply; every step costs something of a budget.
 */
#include "image/dwarf_scopes.h"
#include "base/memory.h"
#include "image/places.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 512 /* of DIEs; seen in C++: below 100 */

/* Costs in steps of the budget. */
#define COST_RANGE 8
#define COST_HIT   64

static bool spend(struct ff_scopes *scopes, uint64_t steps)
{
    bool enough = scopes->budget > steps;
    scopes->budget = enough ? scopes->budget - steps : 0;
    scopes->damaged |= !enough;
    return enough;
}

static const char *attribute_string(Dwarf_Die *die, unsigned int code)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, code, &attribute));
}

/* libdw follows abstract_origin and specification a bounded number of times. */
static const char *function_name(Dwarf_Die *die)
{
    const char *name = attribute_string(die, DW_AT_linkage_name);
    if (!name)
        name = attribute_string(die, DW_AT_MIPS_linkage_name);
    return name ? name : attribute_string(die, DW_AT_name);
}

static uint32_t attribute_number(Dwarf_Die *die, unsigned int code)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    bool there = dwarf_formudata(dwarf_attr(die, code, &attribute), &value) == 0;
    return there && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void add_hit(struct ff_scopes *scopes, const struct ff_scope_hit *hit)
{
    if (!spend(scopes, COST_HIT))
        return;
    scopes->hits = ff_grow(scopes->hits, &scopes->hit_capacity, (uint64_t)scopes->hit_count + 1,
                           sizeof *scopes->hits, &scopes->failed);
    if (scopes->hit_count < scopes->hit_capacity)
        scopes->hits[scopes->hit_count++] = *hit;
}

/* Gives the places in [start, end) that OWNER holds to the claim; true if there are any. */
static bool claim_range(struct ff_scopes *scopes, uint64_t start, uint64_t end, uint32_t owner,
                        uint32_t claim, struct ff_scope_hit *hit)
{
    bool any = false;
    for (uint32_t i = ff_places_first(scopes->places, 0, scopes->count, start);
         i < scopes->count && scopes->places[i] < end && spend(scopes, 1); i++) {
        if (scopes->claims[i] != owner)
            continue;
        if (claim) {
            scopes->claims[i] = claim;
            hit->place = i;
            hit->claim = claim;
            add_hit(scopes, hit);
        }
        any = true;
    }
    return any;
}

/* Whether the DIE holds a place of OWNER; with CLAIM it takes them. *bare: it has no ranges. */
static bool holds(struct ff_scopes *scopes, Dwarf_Die *die, uint32_t owner, uint32_t claim,
                  struct ff_scope_hit *hit, bool *bare)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;
    bool any = false;
    *bare = true;
    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0 &&
           spend(scopes, COST_RANGE)) {
        *bare = false;
        any |= claim_range(scopes, start, end, owner, claim, hit);
    }
    scopes->damaged |= offset < 0;
    return any;
}

/* Makes a function's DIE the owner of the places that it holds; returns the claim, 0: it holds none.
 */
static uint32_t claim_function(struct ff_scopes *scopes, Dwarf_Die *die, uint32_t owner)
{
    bool bare;
    if (!holds(scopes, die, owner, 0, NULL, &bare))
        return 0;
    struct ff_scope_hit hit = {.name = function_name(die)};
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine) {
        hit.call_file = attribute_number(die, DW_AT_call_file);
        hit.call_line = attribute_number(die, DW_AT_call_line);
    }
    holds(scopes, die, owner, ++scopes->last_claim, &hit, &bare);
    return scopes->last_claim;
}

/* How a walk goes on inside a DIE. */
struct inside {
    bool descend;
    uint32_t owner; /* the scope whose places are looked for there; 0: those without one */
};

/* THOROUGH: also look where a compiler rarely puts functions. */
static struct inside visit(struct ff_scopes *scopes, Dwarf_Die *die, uint32_t owner, bool thorough)
{
    uint32_t claim;
    bool bare;
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        claim = claim_function(scopes, die, 0);
        return (struct inside){claim || thorough, claim};
    case DW_TAG_inlined_subroutine:
        claim = owner ? claim_function(scopes, die, owner) : 0;
        return (struct inside){claim || thorough, claim};
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
        return (struct inside){thorough || holds(scopes, die, owner, 0, NULL, &bare) || bare,
                               owner};
    case DW_TAG_namespace:
    case DW_TAG_module:
        return (struct inside){true, owner};
    default:
        return (struct inside){thorough, owner};
    }
}

/* Moves on to the next sibling; in a sound tree it stands behind. */
static bool next_sibling(struct ff_scopes *scopes, Dwarf_Die *die)
{
    Dwarf_Off before = dwarf_dieoffset(die);
    Dwarf_Die next;
    int status = dwarf_siblingof(die, &next);
    if (status == 0 && dwarf_dieoffset(&next) <= before)
        status = -1;
    scopes->damaged |= status < 0;
    if (status != 0)
        return false;
    *die = next;
    return spend(scopes, dwarf_dieoffset(&next) - before);
}

static void walk(struct ff_scopes *scopes, Dwarf_Die *parent, uint32_t owner, bool thorough,
                 unsigned int depth)
{
    Dwarf_Die die;
    int status = depth < MAX_DEPTH ? dwarf_child(parent, &die) : -1;
    scopes->damaged |= status < 0;
    if (status != 0 || !spend(scopes, 1))
        return;
    do {
        struct inside inside = visit(scopes, &die, owner, thorough);
        if (inside.descend)
            walk(scopes, &die, inside.owner, thorough, depth + 1);
    } while (next_sibling(scopes, &die));
}

static int compare_hits(const void *left, const void *right)
{
    const struct ff_scope_hit *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->claim < b->claim ? -1 : a->claim > b->claim;
}

void ff_scopes_walk(struct ff_scopes *scopes, Dwarf_Die *unit)
{
    bool all = true;
    scopes->hit_count = 0;
    scopes->last_claim = 0;
    for (uint32_t i = 0; i < scopes->count; i++)
        scopes->claims[i] = 0;
    walk(scopes, unit, 0, false, 0);
    for (uint32_t i = 0; i < scopes->count; i++)
        all &= scopes->claims[i] != 0;
    /* A function inside a class, or inside a function that does not hold the place. */
    if (!all)
        walk(scopes, unit, 0, true, 0);
    if (scopes->hit_count)
        qsort(scopes->hits, scopes->hit_count, sizeof *scopes->hits, compare_hits);
}

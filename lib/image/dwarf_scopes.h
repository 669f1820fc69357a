/* SPDX-License-Identifier: MIT
 *
 * One compilation unit's tree of functions: which of them hold given places.
 */
#ifndef FF_IMAGE_DWARF_SCOPES_H
#define FF_IMAGE_DWARF_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

/* A function that holds a place. */
struct ff_scope_hit {
    uint32_t place; /* its number among the places of the unit */
    uint32_t claim; /* inner functions have larger ones */
    const char *name;
    uint32_t call_file, call_line; /* inlined functions: where in the caller; else 0 */
};

struct ff_scopes {
    const uint64_t *places; /* of the unit at hand; ascending */
    uint32_t count;
    uint32_t *claims; /* by place: the innermost scope found so far; 0: none. COUNT items */
    uint32_t last_claim;
    struct ff_scope_hit *hits; /* by place, then outermost first */
    uint32_t hit_count, hit_capacity;
    uint64_t budget; /* steps that are left; over several units */
    bool damaged, failed;
};

/* Fills hits with the functions of UNIT (its DIE) that hold the places. */
void ff_scopes_walk(struct ff_scopes *scopes, Dwarf_Die *unit);

#endif

/* SPDX-License-Identifier: MIT
 *
 * From rules to bits. The hard thing is that a rule's run lies inside one word: shifts and carries
 * then never cross words, and a word can be looked at alone.
 */
#include "classify/program.h"

static uint32_t bits_of(const struct ff_term *term)
{
    if (term->type < FF_TERM_INNERMOST)
        return term->step_count;
    return term->type == FF_TERM_OUTERMOST ? 2 : 1;
}

static bool is_path(const struct ff_term *term)
{
    return term->type < FF_TERM_INNERMOST;
}

static bool is_text(const struct ff_term *term)
{
    return term->type >= FF_TERM_THREAD && term->type <= FF_TERM_ROLE;
}

/* The bits stay set at every frame. */
static void keep(struct ff_program *program, uint32_t at, uint64_t bits)
{
    program->keep[at / 64] |= bits;
    program->keep_kernel[at / 64] |= bits;
}

/* A path's steps stand outermost first. */
static void lay_path(struct ff_program *program, const struct ff_term *term, uint32_t at)
{
    struct ff_program_word *word = &program->words[at / 64];
    uint32_t shift = at % 64;
    uint64_t first = UINT64_C(1) << shift, last = first << (term->step_count - 1);
    if (term->type == FF_TERM_ROOT)
        word->begin_root |= first;
    else
        word->begin |= first;
    for (uint32_t s = 1; s < term->step_count; s++) {
        uint64_t bit = last >> s;
        word->follow |= bit << 1;
        /* Met by the frame just outside, or never. */
        if (!term->steps[s].direct)
            keep(program, at, bit);
    }
    if (term->type == FF_TERM_USER)
        program->keep_kernel[at / 64] |= last;
    else if (term->type != FF_TERM_LEAF)
        keep(program, at, last);
}

static void lay_edge(struct ff_program *program, const struct ff_term *term, uint32_t at)
{
    struct ff_program_word *word = &program->words[at / 64];
    uint64_t bit = UINT64_C(1) << at % 64;
    keep(program, at, bit);
    if (term->type == FF_TERM_INNERMOST) {
        word->begin |= bit;
        return;
    }
    word->initial |= bit;
    word->follow |= bit << 1;
    keep(program, at, bit << 1);
}

static void lay_term(struct ff_program *program, struct ff_program_word *word, uint32_t id,
                     uint32_t bit)
{
    const struct ff_term *term = &program->rules->terms.at[id];
    uint64_t final = UINT64_C(1) << (bit + bits_of(term) - 1) % 64;
    word->unused &= ~final;
    if (term->negated)
        word->negated |= final;
    if (is_path(term)) {
        lay_path(program, term, bit);
        return;
    }
    if (term->type <= FF_TERM_OUTERMOST)
        lay_edge(program, term, bit);
    if (is_text(term))
        return;
    uint32_t row = FF_RULES_ADD_TO(program, terms, program->failed);
    if (!program->failed)
        program->terms.at[row] = (struct ff_program_term){id, bit};
}

/* Where the run of a rule with COUNT bits begins when *USED bits are taken; takes them and the stop
 * bit. */
static uint32_t take_bits(uint32_t *used, uint32_t count)
{
    uint32_t first = *used;
    if (first % 64 + count + 1 > 64)
        first = (first / 64 + 1) * 64;
    *used = first + count + 1;
    return first;
}

/* Whether TERM can hold, if LIVE says of each group whether anything is in it. */
static bool can_hold(const struct ff_term *term, const bool *live)
{
    bool edge = term->type == FF_TERM_INNERMOST || term->type == FF_TERM_OUTERMOST;
    bool can = true;
    for (uint32_t s = edge && term->complement; s < term->step_count && !term->negated; s++)
        can &= live[term->steps[s].group];
    return can;
}

static bool rule_is_live(const struct ff_rules *rules, const struct ff_rule *rule, const bool *live)
{
    for (uint32_t t = 0; t < rule->term_count; t++) {
        if (!can_hold(&rules->terms.at[rule->first + t], live))
            return false;
    }
    return true;
}

static void list_rules(struct ff_program *program, const struct ff_sorts *sorts, bool *live)
{
    const struct ff_rules *rules = program->rules;
    for (uint32_t i = 0; i < sorts->group_count; i++)
        live[sorts->groups[i]] = true;
    for (uint32_t r = 0; r < rules->rules.count; r++) {
        if (rule_is_live(rules, &rules->rules.at[r], live))
            program->live[program->live_count++] = r;
    }
}

static uint32_t rule_bits(const struct ff_rules *rules, const struct ff_rule *rule)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < rule->term_count; t++)
        count += bits_of(&rules->terms.at[rule->first + t]);
    return count;
}

static void lay_rules(struct ff_program *program)
{
    const struct ff_rules *rules = program->rules;
    for (uint32_t w = 0; w < program->word_count; w++)
        program->words[w].unused = UINT64_MAX;
    for (uint32_t i = 0, used = 0; i < program->live_count && !program->failed; i++) {
        uint32_t r = program->live[i];
        const struct ff_rule *rule = &rules->rules.at[r];
        uint32_t count = rule_bits(rules, rule), bit = take_bits(&used, count);
        struct ff_program_word *word = &program->words[bit / 64];
        uint64_t stop = UINT64_C(1) << (bit + count) % 64;
        word->first |= UINT64_C(1) << bit % 64;
        word->stop |= stop;
        word->unused &= ~stop;
        program->rule_at[bit + count] = r;
        for (uint32_t t = rule->first; t < rule->first + rule->term_count; t++) {
            lay_term(program, word, t, bit);
            bit += bits_of(&rules->terms.at[t]);
        }
    }
}

/* Calls of one pass over all groups that set single bits: counting, then filling. */
static void count_use(struct ff_program *program, uint32_t group, struct ff_program_use use,
                      bool fill)
{
    if (fill)
        program->uses[program->first_use[group + 1]++] = use;
    else
        program->first_use[group + 2]++;
}

static void list_uses(struct ff_program *program, bool fill)
{
    const struct ff_rules *rules = program->rules;
    for (uint32_t i = 0, used = 0; i < program->live_count; i++) {
        const struct ff_rule *rule = &rules->rules.at[program->live[i]];
        uint32_t bit = take_bits(&used, rule_bits(rules, rule));
        for (uint32_t t = rule->first; t < rule->first + rule->term_count; t++) {
            const struct ff_term *term = &rules->terms.at[t];
            uint32_t count = is_path(term) ? term->step_count : is_text(term);
            for (uint32_t s = 0; s < count; s++) {
                struct ff_program_use use = {bit + count - 1 - s, term->type};
                /* Only the last step of "user A under B" must be the user's. */
                if (s && is_path(term))
                    use.type = FF_TERM_ANY;
                count_use(program, term->steps[s].group, use, fill);
            }
            bit += bits_of(term);
        }
    }
}

static bool allocate(struct ff_program *program)
{
    const struct ff_rules *rules = program->rules;
    uint32_t used = 0, use_count = 0;
    for (uint32_t i = 0; i < program->live_count; i++)
        take_bits(&used, rule_bits(rules, &rules->rules.at[program->live[i]]));
    for (uint32_t t = 0; t < rules->terms.count; t++)
        use_count += rules->terms.at[t].step_count;
    program->word_count = (used + 63) / 64;
    program->words = ff_alloc(program->word_count, sizeof *program->words);
    program->keep = ff_alloc(program->word_count, sizeof *program->keep);
    program->keep_kernel = ff_alloc(program->word_count, sizeof *program->keep_kernel);
    program->rule_at = ff_alloc((size_t)program->word_count * 64, sizeof *program->rule_at);
    program->first_use = ff_alloc((size_t)rules->groups.count + 3, sizeof *program->first_use);
    program->uses = ff_alloc(use_count, sizeof *program->uses);
    return program->words && program->keep && program->keep_kernel && program->rule_at &&
           program->first_use && program->uses;
}

bool ff_program_init(struct ff_program *program, const struct ff_rules *rules,
                     const struct ff_sorts *sorts)
{
    *program = (struct ff_program){.rules = rules};
    bool *live = ff_alloc(rules->groups.count, sizeof *live);
    program->live = ff_alloc(rules->rules.count, sizeof *program->live);
    bool good = live && program->live;
    if (good)
        list_rules(program, sorts, live);
    ff_free(live);
    if (!good || !allocate(program))
        return false;
    lay_rules(program);
    list_uses(program, false);
    for (uint32_t g = 2; g < rules->groups.count + 2; g++)
        program->first_use[g] += program->first_use[g - 1];
    list_uses(program, true);
    return !program->failed;
}

void ff_program_release(struct ff_program *program)
{
    ff_free(program->live);
    ff_free(program->words);
    ff_free(program->keep);
    ff_free(program->keep_kernel);
    ff_free(program->rule_at);
    ff_free(program->first_use);
    ff_free(program->uses);
    ff_free(program->terms.at);
    *program = (struct ff_program){0};
}

static void set(struct ff_program_mask *masks, uint32_t bit)
{
    masks[bit / 64].set |= UINT64_C(1) << bit % 64;
}

/* What the two groups of "innermost [not] X is Y" say of a frame. */
static void put_edge(const struct ff_program *program, const struct ff_sorts *sorts, uint32_t sort,
                     const struct ff_program_term *row, struct ff_program_mask *masks)
{
    const struct ff_term *term = &program->rules->terms.at[row->term];
    if (ff_sort_in(sorts, sort, term->steps[0].group) == term->complement)
        return;
    masks[row->bit / 64].clear |= UINT64_C(1) << row->bit % 64;
    if (ff_sort_in(sorts, sort, term->steps[1].group))
        set(masks, row->bit + (term->type == FF_TERM_OUTERMOST));
}

void ff_program_frame(const struct ff_program *program, const struct ff_sorts *sorts, uint32_t sort,
                      struct ff_program_mask *masks)
{
    const struct ff_sort *row = &sorts->sorts.at[sort];
    for (uint32_t g = row->first; g < row->first + row->count; g++) {
        uint32_t group = sorts->groups[g];
        for (uint32_t u = program->first_use[group]; u < program->first_use[group + 1]; u++) {
            const struct ff_program_use *use = &program->uses[u];
            bool kernel_user = use->type == FF_TERM_USER && row->kind == FF_FRAME_KERNEL;
            if (use->type < FF_TERM_INNERMOST && !kernel_user)
                set(masks, use->bit);
        }
    }
    for (uint32_t t = 0; t < program->terms.count; t++) {
        const struct ff_program_term *term = &program->terms.at[t];
        if (program->rules->terms.at[term->term].type <= FF_TERM_OUTERMOST)
            put_edge(program, sorts, sort, term, masks);
    }
}

void ff_program_text(const struct ff_program *program, const struct ff_sorts *sorts, uint32_t sort,
                     enum ff_term_type type, struct ff_program_mask *masks)
{
    const struct ff_sort *row = &sorts->sorts.at[sort];
    for (uint32_t g = row->first; g < row->first + row->count; g++) {
        uint32_t group = sorts->groups[g];
        for (uint32_t u = program->first_use[group]; u < program->first_use[group + 1]; u++) {
            if (program->uses[u].type == type)
                set(masks, program->uses[u].bit);
        }
    }
}

void ff_program_constant(const struct ff_program *program, enum ff_term_type type, unsigned word,
                         struct ff_program_mask *masks)
{
    for (uint32_t t = 0; t < program->terms.count; t++) {
        const struct ff_term *term = &program->rules->terms.at[program->terms.at[t].term];
        if (term->type == type && term->words >> word & 1)
            set(masks, program->terms.at[t].bit);
    }
}

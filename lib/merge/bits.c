/* SPDX-License-Identifier: MIT
 *
 * Logarithm by squaring, power by the binary digits of the exponent.
 */
#include "merge/bits.h"

int64_t ff_bits_of(uint64_t value)
{
    if (value < 2)
        return 0;
    unsigned whole = 63 - (unsigned)__builtin_clzll(value);
    uint64_t part = whole >= 31 ? value >> (whole - 31) : value << (31 - whole); /* [2^31, 2^32) */
    int64_t bits = whole;
    for (int i = 0; i < 16; i++) {
        part = part * part >> 31; /* [2^31, 2^33) */
        bits <<= 1;
        if (part >> 32) {
            part >>= 1;
            bits |= 1;
        }
    }
    return bits;
}

uint64_t ff_bits_share(int64_t bits)
{
    /* 2^30 * 2^-(1/2), 2^-(1/4), ... 2^-(1/65536) */
    static const uint32_t roots[16] = {759250125,  902905651,  984625594,  1028218693,
                                       1050733751, 1062175491, 1067942999, 1070838486,
                                       1072289173, 1073015252, 1073378477, 1073560135,
                                       1073650976, 1073696399, 1073719111, 1073730468};
    uint64_t share = (uint64_t)1 << 30;
    if (bits >= 30 * FF_BITS_ONE)
        return 0;
    for (int i = 0; i < 16; i++) {
        if (bits >> (15 - i) & 1)
            share = share * roots[i] >> 30;
    }
    return share >> (bits / FF_BITS_ONE);
}

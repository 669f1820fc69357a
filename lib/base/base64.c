/* SPDX-License-Identifier: MIT
 *
 * Three bytes to four characters and back. Nothing is hard.
 */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ff_base64_put(struct ff_output *output, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        left > 1 ? digits[group >> 6 & 63] : '=',
                        left > 2 ? digits[group & 63] : '='};
        ff_output_text(output, (struct ff_text){text, 4});
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

ptrdiff_t ff_base64_take(struct ff_text text, unsigned char *bytes)
{
    size_t used = 0, padding = 0;
    if (text.size % 4)
        return -1;
    while (padding < 2 && padding < text.size && text.at[text.size - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < text.size; i += 4) {
        uint32_t group = 0;
        for (size_t k = i; k < i + 4; k++) {
            int digit = k >= text.size - padding ? 0 : digit_of(text.at[k]);
            if (digit < 0)
                return -1;
            group = group << 6 | (uint32_t)digit;
        }
        for (int shift = 16; shift >= 0; shift -= 8)
            bytes[used++] = (unsigned char)(group >> shift);
    }
    return (ptrdiff_t)(used - padding);
}

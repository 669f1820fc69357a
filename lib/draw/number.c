/* SPDX-License-Identifier: MIT
 *
 * Integers to decimal text. The hard thing: amounts use all 64 bits, so products are kept inside
 * them by dropping low bits that no reader could see.
 */
#include "draw/number.h"

uint64_t ff_number_share(uint64_t amount, uint64_t total, uint32_t parts)
{
    while (total >> 43) {
        total >>= 1;
        amount >>= 1;
    }
    return total ? (amount * parts + total / 2) / total : 0;
}

void ff_number_grouped(struct ff_output *output, uint64_t value)
{
    char text[27];
    size_t at = sizeof text;
    for (unsigned digits = 0; digits == 0 || value; digits++, value /= 10) {
        if (digits && digits % 3 == 0)
            text[--at] = ',';
        text[--at] = (char)('0' + value % 10);
    }
    ff_output_text(output, (struct ff_text){text + at, sizeof text - at});
}

void ff_number_fixed(struct ff_output *output, uint64_t value, unsigned digits)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    ff_output_decimal(output, value / unit);
    ff_output_byte(output, '.');
    for (uint64_t rest = value % unit; unit > 1; rest %= unit) {
        unit /= 10;
        ff_output_byte(output, (char)('0' + rest / unit));
    }
}

void ff_number_short(struct ff_output *output, uint64_t hundredths)
{
    ff_output_decimal(output, hundredths / 100);
    if (hundredths % 100)
        ff_output_byte(output, '.');
    if (hundredths % 100)
        ff_output_byte(output, (char)('0' + hundredths / 10 % 10));
    if (hundredths % 10)
        ff_output_byte(output, (char)('0' + hundredths % 10));
}

void ff_number_time(struct ff_output *output, uint64_t ns)
{
    static const char *const units[] = {" ns", " \xc2\xb5s", " ms", " s"};
    uint64_t one = 1;
    unsigned unit = 0;
    while (unit < 3 && ns / one >= 1000) {
        one *= 1000;
        unit++;
    }
    /* Three digits, whole seconds at least. */
    uint64_t whole = ns / one, hundredths = ns / (one / (unit ? 100 : 1)) % 100;
    ff_number_grouped(output, whole);
    if (unit && whole < 100) {
        ff_output_byte(output, '.');
        ff_output_byte(output, (char)('0' + hundredths / 10));
    }
    if (unit && whole < 10)
        ff_output_byte(output, (char)('0' + hundredths % 10));
    ff_output_string(output, units[unit]);
}

void ff_number_amount(struct ff_output *output, uint64_t amount, uint64_t one)
{
    uint64_t whole = amount / one, tenths = ff_number_share(amount % one, one, 10);
    ff_number_grouped(output, whole + tenths / 10);
    if (amount % one) {
        ff_output_byte(output, '.');
        ff_output_decimal(output, tenths % 10);
    }
}

void ff_number_data(struct ff_output *output, uint64_t amount, uint64_t one)
{
    uint64_t whole = amount / one, millionths = amount % one * 1000000 / one;
    if (millionths)
        ff_number_fixed(output, whole * 1000000 + millionths, 6);
    else
        ff_output_decimal(output, whole);
}

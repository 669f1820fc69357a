/* SPDX-License-Identifier: MIT
 *
 * Colours against the formulas of others: contrast of text (WCAG 2.1, 1.4.3), and the distance between
 * the colours that people must tell apart, also as colour-blind readers see them (Machado, Oliveira and
 * Fernandes 2009, severity 1).
 */
#include "check.h"

#include <math.h>

#include "draw/palette.h"

#define INK        0x0b0e11
#define INK_BRIGHT 0xf0f3f6

static void linear_of(uint32_t color, double rgb[3])
{
    for (int i = 0; i < 3; i++) {
        double c = (color >> (16 - 8 * i) & 255) / 255.0;
        rgb[i] = c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}

static double luminance_of(uint32_t color)
{
    double rgb[3];
    linear_of(color, rgb);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

static double contrast_of(uint32_t a, uint32_t b)
{
    double x = luminance_of(a), y = luminance_of(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void test_contrast(void)
{
    CHECK(fabs(contrast_of(0, 0xffffff) - 21) < 1e-9);
    for (uint32_t i = 0; i < FF_COLOR_COUNT; i++) {
        struct ff_color color = ff_color_get(i);
        CHECK(contrast_of(color.light, INK) >= 4.5);
        CHECK(contrast_of(color.dark, color.white_ink ? INK_BRIGHT : INK) >= 4.5);
    }
    /* Text on the page, and its quiet form. */
    CHECK(contrast_of(0xffffff, 0x14181d) >= 4.5);
    CHECK(contrast_of(0xffffff, 0x4f5963) >= 4.5);
    CHECK(contrast_of(0x14181d, 0xe4e8ec) >= 4.5);
    CHECK(contrast_of(0x14181d, 0xa3adb8) >= 4.5);
}

static const double vision[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, /* protanopia */
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, /* deuteranopia */
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, /* tritanopia */
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

static double curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* CIE L*a*b* (D65) of a colour as a kind of eye sees it. */
static void lab_of(uint32_t color, const double eye[3][3], double lab[3])
{
    double rgb[3], seen[3];
    linear_of(color, rgb);
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(1, fmax(0, eye[i][0] * rgb[0] + eye[i][1] * rgb[1] + eye[i][2] * rgb[2]));
    double x = curve((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505);
    double y = curve(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    double z = curve((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double distance_of(uint32_t a, uint32_t b, const double eye[3][3])
{
    double x[3], y[3];
    lab_of(a, eye, x);
    lab_of(b, eye, y);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* 10 is told apart at a glance; 2.3 is a just noticeable difference. */
static void test_first_class(void)
{
    static const char *const buckets[] = {"cuda_launch", "cuda_launch_spin", "cuda_sync_spin",
                                          "gil_wait",    "autograd_host",    "py_interp"};
    size_t count = sizeof buckets / sizeof *buckets;
    for (size_t eye = 0; eye < sizeof vision / sizeof *vision; eye++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < i; k++) {
                struct ff_color a = ff_color_get(ff_color_of_bucket(ff_text(buckets[i])));
                struct ff_color b = ff_color_get(ff_color_of_bucket(ff_text(buckets[k])));
                CHECK(distance_of(a.light, b.light, vision[eye]) >= 10);
                CHECK(distance_of(a.dark, b.dark, vision[eye]) >= 10);
            }
        }
    }
}

int main(void)
{
    test_contrast();
    test_first_class();
    return check_result();
}

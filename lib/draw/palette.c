/* SPDX-License-Identifier: MIT
 *
 * Buckets, kinds and names to colour numbers, numbers to colours. The hard thing: forty buckets and
 * eight hues; the four questions that people bring (launch, spin, GIL, autograd) get the hues.
 */
#include "draw/palette.h"

#define KINDS_X(X)                                                                                 \
    X(ALL, "all", 0xd5dae0, 0x3a4149, 0xd5dae0, 0x3a4149)                                          \
    X(ROOT, "thread", 0xc6cfd9, 0x46505b, 0xc6cfd9, 0x46505b)                                      \
    X(MARKER, "marker", 0xe7d3d3, 0x5b4343, 0xe3a6a6, 0x8a5252)                                    \
    X(NATIVE, "native", 0xe6e9ed, 0x31373e, 0x8fbfe6, 0x3f6f96)                                    \
    X(KERNEL, "kernel", 0xe9ddd3, 0x40372f, 0xe39a5f, 0x995f33)                                    \
    X(PYTHON, "Python", 0xefebd6, 0x3d3a2b, 0xf0dc58, 0x776a1c)                                    \
    X(TEXT, "unknown kind", 0xe4e4e4, 0x363636, 0xcfcfcf, 0x5a5a5a)

enum kind {
#define X(name, word, light, dark, strong, strong_dark) KIND_##name,
    KINDS_X(X)
#undef X
        KIND_COUNT
};

struct kind_row {
    const char *word;
    struct ff_color neutral, strong;
};

static const struct kind_row kinds[] = {
#define X(name, word, light, dark, strong, strong_dark)                                            \
    {word, {light, dark, true, false}, {strong, strong_dark, true, false}},
    KINDS_X(X)
#undef X
};

struct bucket_color {
    const char *name;
    uint32_t light;
};

/* The bucket ids are those of docs and rules; the order is that of the families. */
static const struct bucket_color buckets[] = {
    {"cuda_launch", 0xe69f00},
    {"cuda_launch_spin", 0xdd6420},
    {"cuda_graph_launch", 0xf5c76e},
    {"cuda_sync_spin", 0x74c4f7},
    {"cuda_sync_block", 0xc5e6fa},
    {"gil_wait", 0x9a80d4},
    {"gil_handoff", 0xbca9e8},
    {"py_lock_wait", 0xd7ccf2},
    {"autograd_host", 0x22ac84},
    {"dynamo_guard", 0x7fd0b4},
    {"torch_dispatch", 0x9bdbc5},
    {"torch_argparse", 0xbbe8d8},
    {"py_interp", 0xf0e442},
    {"py_gc", 0xd8c832},
    {"py_import", 0xf7f09a},
    {"py_alloc", 0xe4da76},
    {"cuda_memcpy", 0xcc79a7},
    {"cuda_alloc", 0xdca2c3},
    {"torch_alloc", 0xeac6db},
    {"cuda_module_load", 0xc077a9},
    {"cuda_other", 0xd9b3d9},
    {"nccl_host", 0xb59f4e},
    {"nccl_proxy", 0xd0c088},
    {"gpu_lib_host", 0xddd2aa},
    {"cpu_kernel", 0x93b44c},
    {"omp_spin", 0xb9ce7c},
    {"io_wait", 0xa9bcc9},
    {"idle", 0xccd6dd},
    {"pagefault", 0xc08a6a},
    {"irq", 0xd2a98f},
    {"kernel_other", 0xe0c6b4},
    {"c_ext", 0xa9c9b9},
    {"libc_malloc", 0xbccbaa},
    {"native_other", 0xc3c8ce},
    {"unknown", 0xd8d8d8},
    {"truncated", 0xbdbdbd},
    {"", 0xe2e2e2},
};

/* For buckets of a user's own rules. */
static const uint32_t other_buckets[] = {0x88ccee, 0xddaa77, 0xaaaa55, 0xee99aa,
                                         0x77bbaa, 0xbb99cc, 0xeedd88, 0x99aadd};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

#define NAME_STEPS   32
#define FIRST_STRONG KIND_COUNT
#define FIRST_BUCKET (2 * KIND_COUNT)
#define FIRST_OTHER  (FIRST_BUCKET + (uint32_t)LENGTH(buckets))
#define FIRST_NAME   (FIRST_OTHER + (uint32_t)LENGTH(other_buckets))

_Static_assert(2 * KIND_COUNT + LENGTH(buckets) + LENGTH(other_buckets) + NAME_STEPS <=
                   FF_COLOR_COUNT,
               "FF_COLOR_COUNT is too small");

/* FNV-1a: the colour of a name is the same on every machine. */
static uint32_t stable_hash(struct ff_text text)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

uint32_t ff_color_of_bucket(struct ff_text name)
{
    for (uint32_t i = 0; i < LENGTH(buckets); i++) {
        if (ff_text_equal(name, ff_text(buckets[i].name)))
            return FIRST_BUCKET + i;
    }
    return FIRST_OTHER + stable_hash(name) % (uint32_t)LENGTH(other_buckets);
}

uint32_t ff_color_of_name(struct ff_text name)
{
    return FIRST_NAME + stable_hash(name) % NAME_STEPS;
}

uint32_t ff_color_neutral(const struct ff_node *node)
{
    static const uint8_t by_node[] = {KIND_ALL, KIND_ROOT, KIND_MARKER};
    static const uint8_t by_frame[] = {KIND_NATIVE, KIND_KERNEL, KIND_PYTHON,
                                       KIND_TEXT,   KIND_TEXT,   KIND_NATIVE};
    if (node->kind < FF_NODE_FRAME)
        return by_node[node->kind];
    if (node->module_kind == FF_MODULE_KERNEL || node->module_kind == FF_MODULE_KERNEL_MODULE)
        return KIND_KERNEL;
    return node->frame_kind < LENGTH(by_frame) ? by_frame[node->frame_kind] : (uint32_t)KIND_TEXT;
}

uint32_t ff_color_of_kind(const struct ff_node *node)
{
    return FIRST_STRONG + ff_color_neutral(node);
}

const char *ff_color_kind_word(uint32_t color)
{
    return color < 2 * KIND_COUNT ? kinds[color % KIND_COUNT].word : "";
}

static uint32_t mixed(uint32_t a, uint32_t b, uint32_t part, uint32_t whole)
{
    uint32_t sum = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        uint32_t x = a >> shift & 255, y = b >> shift & 255;
        sum |= (x * (whole - part) + y * part) / whole << shift;
    }
    return sum;
}

/* Bright boxes stay bright on a dark page, a little dimmed. */
static struct ff_color dimmed(uint32_t light)
{
    return (struct ff_color){light, mixed(light, 0x101418, 8, 100), false, false};
}

/* The sand to brick range that flame graphs are known for. */
static uint32_t flame(uint32_t step)
{
    const uint32_t half = NAME_STEPS / 2;
    return step < half ? mixed(0xf9dc8c, 0xf3ab62, step, half)
                       : mixed(0xf3ab62, 0xe57f5c, step - half, half);
}

/* The relative luminance of WCAG, in 1/1000; its curve is close to a square. */
static uint32_t luminance_of(uint32_t color)
{
    uint32_t r = color >> 16 & 255, g = color >> 8 & 255, b = color & 255;
    return (213 * r * r + 715 * g * g + 72 * b * b) / (255 * 255);
}

static struct ff_color plain(uint32_t color)
{
    /* Black and white text have the same contrast at a luminance of 0.18. */
    bool white = luminance_of(color) < 180;
    return (struct ff_color){color, color, white, white};
}

struct ff_color ff_color_get(uint32_t color)
{
    if (color & FF_COLOR_PLAIN)
        return plain(color & 0xffffff);
    if (color < FIRST_STRONG)
        return kinds[color].neutral;
    if (color < FIRST_BUCKET)
        return kinds[color - FIRST_STRONG].strong;
    if (color < FIRST_OTHER)
        return dimmed(buckets[color - FIRST_BUCKET].light);
    if (color < FIRST_NAME)
        return dimmed(other_buckets[color - FIRST_OTHER]);
    return dimmed(flame((color - FIRST_NAME) % NAME_STEPS));
}

/* SPDX-License-Identifier: MIT
 *
 * Names shortened by hand, by the rules of fit.h: what is left, in how many columns.
 */
#include "check.h"

#include "base/memory.h"
#include "draw/fit.h"

static void check_name(const char *name, uint32_t columns, const char *expected)
{
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    ff_fit_name(&output, ff_text(name), columns);
    struct ff_text text = {output.buffer, output.used};
    CHECK_TEXT(text, expected);
    ff_output_close(&output, &error);
}

#define DOTS "\xe2\x80\xa6"

static void test_whole(void)
{
    check_name("main", 4, "main");
    check_name("a<b> & c", 8, "a&lt;b&gt; &amp; c");
    check_name("main", 1, "");
}

static void test_middle(void)
{
    check_name("abcdefghij", 5, "ab" DOTS "ij");
    check_name("libcuda.so.580.159.04+0x1d5f10", 15, "libcuda" DOTS "x1d5f10");
    check_name("[kernel.kallsyms]", 8, "[ke" DOTS "yms]");
    check_name("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", 5,
               "\xe6\xbc\xa2" DOTS "\xe5\xad\x97");
}

static void test_cpp(void)
{
    const char *name = "std::vector<int, std::allocator<int>>::push_back(int&&)";
    check_name(name, 40, "std::vector&lt;" DOTS "&gt;::push_back(int&amp;&amp;)");
    check_name(name, 28, "std::vector&lt;" DOTS "&gt;::push_back(" DOTS ")");
    check_name(name, 26, DOTS "::vector&lt;" DOTS "&gt;::push_back(" DOTS ")");
    check_name(name, 20, DOTS "::push_back(" DOTS ")");
    check_name(name, 10, "push_back");
    check_name(name, 6, "pu" DOTS "ack");
    check_name("a::operator<<(std::ostream&, int)", 20, "a::operator&lt;&lt;(" DOTS ")");
    check_name("b::operator()(long, long, long)", 18, "b::operator()(" DOTS ")");
    check_name("c::operator->(long, long, long)", 18, "c::operator-&gt;(" DOTS ")");
    check_name("(anonymous namespace)::run_it", 12, "(" DOTS ")::run_it");
}

static void test_rust_and_python(void)
{
    check_name("<alloc::vec::Vec<T> as core::ops::Drop>::drop", 10, "&lt;" DOTS "&gt;::drop");
    check_name("core::ops::FnOnce::call_once{{vtable.shim}}", 31,
               "core::ops::FnOnce::call_once{" DOTS "}");
    check_name("forward (/usr/lib/torch/nn/module.py:1775)", 30, "forward (module.py:1775)");
    check_name("forward (/usr/lib/torch/nn/module.py:1775)", 12, "forward (" DOTS ")");
    check_name("forward (/usr/lib/torch/nn/module.py:1775)", 9, "forward");
    check_name("<module> (a.py:1)", 9, "&lt;module&gt;");
    check_name("<module> (a.py:1)", 5, "&lt;m" DOTS "e&gt;");
}

/* Half brackets mislead: whatever the columns, what is written is balanced if the name was. */
static void test_balance(void)
{
    static const char name[] = "f(g<h[1]>, {lambda(int)#1})::call<x<y>>(a (*)[3]) const";
    bool balanced = true, fitting = true;
    for (uint32_t columns = 2; columns < sizeof name; columns++) {
        struct ff_output output;
        struct ff_error error = {0};
        ff_output_memory(&output);
        ff_fit_name(&output, ff_text(name), columns);
        int round = 0, square = 0;
        for (uint32_t i = 0; i < output.used; i++) {
            char c = output.buffer[i];
            round += (c == '(') - (c == ')');
            square += (c == '[') - (c == ']');
        }
        balanced &= !round && !square;
        struct ff_output plain;
        ff_output_memory(&plain);
        for (uint32_t i = 0; i < output.used; i++) {
            ff_output_byte(&plain, output.buffer[i]);
            while (output.buffer[i] == '&' && output.buffer[i + 1] != ';' && i + 1 < output.used) {
                while (output.buffer[i] != ';')
                    i++;
            }
        }
        fitting &= ff_fit_columns((struct ff_text){plain.buffer, plain.used}) <= columns;
        ff_output_close(&plain, &error);
        ff_output_close(&output, &error);
    }
    CHECK(balanced);
    CHECK(fitting);
}

static void test_long(void)
{
    char *name = ff_alloc(1 << 20, 1);
    memset(name, 'x', 1 << 20);
    memcpy(name, "begin", 5);
    memcpy(name + (1 << 20) - 3, "end", 3);
    struct ff_output output;
    struct ff_error error = {0};
    ff_output_memory(&output);
    ff_fit_name(&output, (struct ff_text){name, 1 << 20}, 11);
    struct ff_text text = {output.buffer, output.used};
    CHECK_TEXT(text, "begin" DOTS "xxend");
    ff_output_close(&output, &error);
    ff_free(name);
}

static void test_sans(void)
{
    struct ff_output output;
    struct ff_error error = {0};
    CHECK_NUMBER(ff_fit_sans(FF_TEXT("mi")), 140); /* 1.05 and 0.35 em */
    ff_output_memory(&output);
    ff_fit_line(&output, FF_TEXT("mmm"), 320);
    ff_fit_line(&output, FF_TEXT("mmmm"), 320);
    struct ff_text text = {output.buffer, output.used};
    CHECK_TEXT(text, "mmmmm" DOTS);
    ff_output_close(&output, &error);
}

int main(void)
{
    test_whole();
    test_middle();
    test_cpp();
    test_rust_and_python();
    test_balance();
    test_long();
    test_sans();
    return check_result();
}

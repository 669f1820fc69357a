/* SPDX-License-Identifier: MIT
 *
 * Names: what perf, py-spy and symbol tables write, and the one spelling expected for it. Expected
 * demanglings are c++filt's.
 */
#include "check.h"

#include "image/name.h"

static const struct {
    const char *given, *expected;
} symbols[] = {
    {"sched_yield", "sched_yield"},
    {"__sched_yield", "sched_yield"},
    {"sched_yield@@GLIBC_2.2.5", "sched_yield"},
    {"pthread_cond_timedwait@GLIBC_2.3.2", "pthread_cond_timedwait"},
    {"pthread_cond_timedwait@@GLIBC_2.3.2", "pthread_cond_timedwait"},
    {"___pthread_mutex_lock", "pthread_mutex_lock"},
    {"__pthread_rwlock_wrlock", "pthread_rwlock_wrlock"},
    {"__GI___pthread_mutex_unlock_usercnt", "pthread_mutex_unlock_usercnt"},
    {"__GI___libc_malloc", "malloc"},
    {"__libc_malloc", "malloc"},
    {"__libc_start_main", "__libc_start_main"},
    {"__new_sem_wait", "sem_wait"},
    {"__GI_memcpy", "memcpy"},
    {"__clock_gettime", "clock_gettime"},
    {"__poll", "poll"},
    {"__read", "read"},
    {"__tls_get_addr", "__tls_get_addr"},
    {"__cudaLaunchKernel", "cudaLaunchKernel"},
    {"__cudaLaunchKernel_ptsz", "cudaLaunchKernel"},
    {"cudaLaunchKernelExC_ptsz", "cudaLaunchKernelExC"},
    {"cuLaunchKernel_ptsz", "cuLaunchKernel"},
    {"cuMemcpyDtoHAsync_v2_ptsz", "cuMemcpyDtoHAsync_v2"},
    {"cuMemcpyDtoH_v2_ptds", "cuMemcpyDtoH_v2"},
    {"cuMemAlloc_v2", "cuMemAlloc_v2"},
    {"__cudaPushCallConfiguration", "__cudaPushCallConfiguration"},
    {"__mmap64", "mmap"},
    {"mmap64", "mmap"},
    {"open64", "open"},
    {"foo64", "foo64"},
    {"foo_ptsz", "foo_ptsz"},
    {"_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault"},
    {"_PyEval_EvalFrameDefault.cold", "_PyEval_EvalFrameDefault"},
    {"take_gil.part.0", "take_gil"},
    {"f.constprop.0.isra.0", "f"},
    {"f.part.0.cold.12", "f"},
    {"f.lto_priv.3.cold", "f"},
    {"_TAIL_CALL_LOAD_FAST.llvm.1234567890", "_TAIL_CALL_LOAD_FAST"},
    {"f.0", "f.0"},
    {"f.cold", "f"},
    {".cold", ".cold"},
    {"a.b", "a.b"},
    {"_start", "_start"},
    {"_", "_"},
    {"clock_gettime@plt", "clock_gettime@plt"},
    {"clock_gettime@GLIBC_2.17@plt", "clock_gettime@plt"},
    {"_ZdlPv@plt", "operator delete@plt"},
    {"_Znwm", "operator new"},
    {"_ZNK3foo3barEi", "foo::bar"},
    {"_ZN3foo3barEi.cold", "foo::bar"},
    {"_ZN3foo3barB5cxx11Ei", "foo::bar"},
    {"_ZZN3foo3barEvENKUlvE_clEv", "foo::bar()::{lambda()#1}::operator()"},
    {"_ZN12_GLOBAL__N_13fooIfEEvT_", "(anonymous namespace)::foo<float>"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
    {"_ZlsRSoi", "operator<<"},
    {"_ZNK1XcvbEv", "X::operator bool"},
    {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_Znot_mangled", "_Znot_mangled"},
    {"_Z", "_Z"},
    {"", ""},
};

static const struct {
    const char *given, *expected;
} texts[] = {
    {"operator delete@plt", "operator delete@plt"},
    {"c10::utils::get_env[abi:cxx11]@plt", "c10::utils::get_env@plt"},
    {"foo(int)", "foo"},
    {"foo(int) const", "foo"},
    {"foo::bar(std::vector<int, std::allocator<int> > const&, void (*)(int)) &&", "foo::bar"},
    {"void foo<int>(int)", "foo<int>"},
    {"std::vector<int, std::allocator<int> > const& foo<a b>(int)", "foo<a b>"},
    {"a::operator()", "a::operator()"},
    {"a::operator() const", "a::operator()"},
    {"a::operator()(int) const", "a::operator()"},
    {"bool a::operator<(b const&)", "a::operator<"},
    {"void a::operator<< <int>(b)", "a::operator<< <int>"},
    {"a::operator->()", "a::operator->"},
    {"a::operator unsigned int() const", "a::operator unsigned int"},
    {"a::operator unsigned int", "a::operator unsigned int"},
    {"operator new(unsigned long)", "operator new"},
    {"myoperator(int)", "myoperator"},
    {"(anonymous namespace)::foo(int)", "(anonymous namespace)::foo"},
    {"a::(anonymous namespace)", "a::(anonymous namespace)"},
    {"void (anonymous namespace)::foo<int>((anonymous namespace)::bar)",
     "(anonymous namespace)::foo<int>"},
    {"a(int)::{lambda(long)#1}::operator()(long) const", "a(int)::{lambda(long)#1}::operator()"},
    {"a(int)::{lambda(long)#1}", "a(int)::{lambda(long)#1}"},
    {"a<&(b::c(int))>::d(e<f(g)>)", "a<&(b::c(int))>::d"},
    {"foo(int) [clone .cold]", "foo"},
    {"foo [clone .part.0] [clone .cold]", "foo"},
    {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
    {"f<at::Tensor(long), &g::h(long, a<b>), (unsigned int)5>::call",
     "f<at::Tensor (long), &g::h, 5u>::call"},
    {"f<at::Tensor (long), &g::h, 5u>::call", "f<at::Tensor (long), &g::h, 5u>::call"},
    {"f<void (*)(int), &(anonymous namespace)::g(int)>",
     "f<void (*)(int), &(anonymous namespace)::g>"},
    {"f<a(int)::{lambda()#1}>", "f<a(int)::{lambda()#1}>"},
    {"f<(long)16, (short)3, (unsigned long)4, (int)-1>", "f<16l, (short)3, 4ul, -1>"},
    {"f<float (float), >", "f<float (float)>"},
    {"f<g<h>, >", "f<g<h> >"},
    {"f<&a::operator()(int)>", "f<&a::operator()>"},
    {"a b (unbalanced", "a b (unbalanced"},
    {"unbalanced)", "unbalanced)"},
    {")", ")"},
    {"(", "("},
    {"()", "()"},
    {"[unknown]", "[unknown]"},
    {"libcuda.so.580.159.04+0x1d5f10", "libcuda.so.580.159.04+0x1d5f10"},
};

static const struct {
    const char *given, *expected;
} kernel[] = {
    {"finish_task_switch.isra.0", "finish_task_switch"},
    {"hrtimer_try_to_cancel.part.0", "hrtimer_try_to_cancel"},
    {"__schedule", "__schedule"},
    {"__x64_sys_sched_yield", "__x64_sys_sched_yield"},
    {"__memcpy", "__memcpy"},
};

int main(void)
{
    struct ff_name name = {0};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        CHECK_TEXT(ff_name_symbol(&name, ff_text(symbols[i].given)), symbols[i].expected);
        CHECK_TEXT(ff_name_text(&name, ff_text(symbols[i].expected)), symbols[i].expected);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_TEXT(ff_name_text(&name, ff_text(texts[i].given)), texts[i].expected);
        CHECK_TEXT(ff_name_text(&name, ff_text(texts[i].expected)), texts[i].expected);
    }
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
        CHECK_TEXT(ff_name_kernel(ff_text(kernel[i].given)), kernel[i].expected);
    ff_name_release(&name);
    return check_result();
}

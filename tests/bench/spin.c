/* SPDX-License-Identifier: MIT
 *
 * spin SECONDS: two threads walk through eight functions, up to fourteen deep; each step mostly
 * goes where it always goes, and now and then elsewhere, as programs do. Build with -O1
 * -fno-omit-frame-pointer -fno-optimize-sibling-calls.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static time_t end;

static double walk(unsigned *seed, int from, int depth);

#define STEP(n)                                                                                    \
    static __attribute__((noinline)) double step##n(unsigned *seed, int depth)                     \
    {                                                                                              \
        double sum = n;                                                                            \
        for (int i = 0; i < 8 * (n + 1); i++)                                                      \
            sum = sum * 1.0001 + i;                                                                \
        return depth > 0 ? sum + walk(seed, n, depth - 1) : sum;                                   \
    }
STEP(0)
STEP(1)
STEP(2)
STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

    static __attribute__((noinline)) double walk(unsigned *seed, int from, int depth)
{
    static double (*const steps[])(unsigned *, int) = {step0, step1, step2, step3,
                                                       step4, step5, step6, step7};
    int step = from * 5 + 1 + (rand_r(seed) % 32 == 0);
    return steps[step % 8](seed, depth);
}

static void *run(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    double sum = 0;
    while (time(NULL) < end)
        sum += walk(&seed, 0, (int)(rand_r(&seed) % 14));
    printf("%g\n", sum);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    unsigned seeds[] = {1, 2};
    end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, &seeds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

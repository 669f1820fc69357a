/* SPDX-License-Identifier: MIT
 *
 * measure N COMMAND: runs a shell command N times with its output thrown away and prints the median
 * wall time in seconds and the largest memory (MB, of the largest process), separated by a blank.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    double times[101];
    int runs = argc > 2 ? atoi(argv[1]) : 0;
    if (runs < 1 || runs > 101)
        return 64;
    for (int i = 0; i < runs; i++) {
        double start = now();
        pid_t child = fork();
        if (child == 0) {
            int null = open("/dev/null", O_WRONLY);
            dup2(null, 1);
            dup2(null, 2);
            execl("/bin/sh", "sh", "-c", argv[2], (char *)NULL);
            _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
        times[i] = now() - start;
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
            fprintf(stderr, "measure: exit %d: %s\n", WEXITSTATUS(status), argv[2]);
            return 2;
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    qsort(times, (size_t)runs, sizeof *times, compare);
    printf("%.3f %ld\n", times[runs / 2], usage.ru_maxrss / 1024);
    return 0;
}

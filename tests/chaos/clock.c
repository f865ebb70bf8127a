/* The wall clock of a process, shifted by the seconds in the file that CLOCK_SHIFT names: they may change at any time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t *shift;
static int (*really)(clockid_t, struct timespec *);

__attribute__((constructor)) static void open_shift(void) {
    const char *name = getenv("CLOCK_SHIFT");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    really = dlsym(RTLD_NEXT, "clock_gettime");
    if (file >= 0) {
        void *page = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
        shift = page == MAP_FAILED ? NULL : page;
    }
}

int clock_gettime(clockid_t id, struct timespec *now) {
    if (!really) really = dlsym(RTLD_NEXT, "clock_gettime");
    int status = really(id, now);
    if (status == 0 && id == CLOCK_REALTIME && shift) now->tv_sec += *shift;
    return status;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec exact;
    int status = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return status;
}

time_t time(time_t *where) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (where) *where = exact.tv_sec;
    return exact.tv_sec;
}

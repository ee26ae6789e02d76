/* The bench arm in C on a PC: lines on standard input and output, until the
 * input ends. */
#define _POSIX_C_SOURCE 200112L

#include "arm.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Lines of up to 16 KiB, results of up to 8 KiB, and eight calls that may take
 * their time, with 4 KiB of arguments each. */
AGENTMOTE_LINE_MEMORY(memory, 16384, 8192, 8, 4096);

static uint64_t storage[AGENTMOTE_SERVER_WORDS + ARM_TABLE_WORDS + ARM_RESOURCE_WORDS];
static arm_t arm;

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

/* Writes all of it; false once nobody reads any more. */
static bool write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* Milliseconds that may be slept, -1 for ever. */
static int rest_ms(agentmote_connection_t *line)
{
    uint64_t due;
    uint64_t now = clock_ms();
    if (agentmote_wake(line, &due) != AGENTMOTE_OK) {
        return -1;
    }
    if (due <= now) {
        return 0;
    }
    return due - now > 60000U ? 60000 : (int)(due - now);
}

static int serve(agentmote_connection_t *line)
{
    char in[4096];
    char out[4096];
    size_t length = 0;
    size_t offered = 0;
    for (;;) {
        size_t taken = 0;
        size_t filled = 0;
        struct pollfd input = {STDIN_FILENO, POLLIN, 0};
        agentmote_receive(line, in + offered, length - offered, &taken);
        offered += taken;
        agentmote_poll(line, clock_ms(), out, sizeof out, &filled);
        if (!write_all(out, filled)) {
            return 1;
        }
        if (taken > 0 || filled > 0) {
            continue;
        }
        if (offered < length) {
            /* A call must be done before more is taken. */
            poll(NULL, 0, rest_ms(line));
            continue;
        }
        if (poll(&input, 1, rest_ms(line)) > 0) {
            ssize_t count = read(STDIN_FILENO, in, sizeof in);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count <= 0) {
                agentmote_hang_up(line, clock_ms());
                return 0;
            }
            length = (size_t)count;
            offered = 0;
        }
    }
}

int main(void)
{
    agentmote_server_t *server;
    agentmote_connection_t *line;
    agentmote_problem_t problem;
    arm_init(&arm);
    if (agentmote_init(storage, sizeof storage, &ARM_DEVICE_WITH_RESOURCES, &arm, &server, &problem)
            != AGENTMOTE_OK
        || agentmote_line_open(&memory, server, &line) != AGENTMOTE_OK) {
        fprintf(stderr, "c-arm: %s (needs %lu bytes of storage)\n", problem.text,
                (unsigned long)problem.needed);
        return 2;
    }
    return serve(line);
}

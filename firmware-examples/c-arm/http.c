/* The bench arm in C on a PC over HTTP, as a tool server and as an agent: four
 * peers at once, on this machine alone.
 *
 *     c-arm --port PORT
 */
#define _POSIX_C_SOURCE 200112L

#include "arm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PEERS 4

/* Requests of up to 16 KiB, results of up to 8 KiB. */
AGENTMOTE_HTTP_MEMORY(memory_0, 16384, 8192, 0);
AGENTMOTE_HTTP_MEMORY(memory_1, 16384, 8192, 0);
AGENTMOTE_HTTP_MEMORY(memory_2, 16384, 8192, 0);
AGENTMOTE_HTTP_MEMORY(memory_3, 16384, 8192, 0);
static const agentmote_memory_t *const MEMORY[PEERS] = {&memory_0, &memory_1, &memory_2,
                                                        &memory_3};

/* Sixteen tasks of up to 4 KiB each. */
AGENTMOTE_TASK_MEMORY(task_memory, ARM_SKILL_WORDS, 16, 4096, 1024);

static uint64_t storage[AGENTMOTE_SERVER_WORDS + ARM_TABLE_WORDS + ARM_RESOURCE_WORDS];
static arm_t arm;

typedef struct peer {
    /* -1 where there is none. */
    int socket;
    agentmote_connection_t *connection;
    char in[4096];
    size_t length;
    size_t offered;
    bool is_gone;
} peer_t;

static peer_t peers[PEERS];

void arm_random(void *context, void *bytes, size_t size)
{
    FILE *source = fopen("/dev/urandom", "rb");
    (void)context;
    if (source == NULL || fread(bytes, 1, size, source) != size) {
        fputs("c-arm: no random bytes\n", stderr);
        exit(3);
    }
    fclose(source);
}

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

/* Sends all of it; false once nobody reads any more. */
static bool send_all(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static void hang_up(peer_t *peer)
{
    if (!peer->is_gone) {
        peer->is_gone = true;
        peer->length = 0;
        peer->offered = 0;
        agentmote_hang_up(peer->connection, clock_ms());
    }
}

/* Offers what has arrived and sends what there is, until neither is left. */
static void serve(peer_t *peer)
{
    char out[4096];
    size_t taken;
    size_t filled;
    bool is_closed = false;
    do {
        agentmote_receive(peer->connection, peer->in + peer->offered, peer->length - peer->offered,
                          &taken);
        peer->offered += taken;
        agentmote_poll(peer->connection, clock_ms(), out, sizeof out, &filled);
        if (!peer->is_gone && !send_all(peer->socket, out, filled)) {
            hang_up(peer);
        }
    } while (taken > 0 || filled > 0);
    agentmote_is_closed(peer->connection, &is_closed);
    if (is_closed) {
        shutdown(peer->socket, SHUT_WR);
        close(peer->socket);
        peer->socket = -1;
    }
}

/* Takes what has arrived; the last bytes must have been taken. */
static void take(peer_t *peer)
{
    ssize_t count = recv(peer->socket, peer->in, sizeof peer->in, 0);
    if (count < 0 && errno == EINTR) {
        return;
    }
    if (count <= 0) {
        hang_up(peer);
        return;
    }
    peer->length = (size_t)count;
    peer->offered = 0;
}

static void admit(int listener, agentmote_server_t *server)
{
    static const struct timeval PATIENCE = {5, 0};
    int place;
    int one = accept(listener, NULL, NULL);
    if (one < 0) {
        return;
    }
    for (place = 0; place < PEERS && peers[place].socket >= 0; place++) {
    }
    if (place == PEERS
        || agentmote_http_open(MEMORY[place], server, NULL, &peers[place].connection)
               != AGENTMOTE_OK) {
        close(one);
        return;
    }
    setsockopt(one, SOL_SOCKET, SO_SNDTIMEO, &PATIENCE, sizeof PATIENCE);
    peers[place].socket = one;
    peers[place].length = 0;
    peers[place].offered = 0;
    peers[place].is_gone = false;
}

/* Milliseconds until the earlier of two moments, at most a minute. */
static int rest_ms(uint64_t due, int rest)
{
    uint64_t now = clock_ms();
    if (due <= now) {
        return 0;
    }
    return due - now < (uint64_t)rest ? (int)(due - now) : rest;
}

static void run(int listener, agentmote_server_t *server)
{
    for (;;) {
        struct pollfd sockets[1 + PEERS];
        int rest = 60000;
        uint64_t due;
        int i;
        sockets[0].fd = listener;
        sockets[0].events = POLLIN;
        if (agentmote_run_tasks(server, clock_ms(), &due) == AGENTMOTE_OK) {
            rest = rest_ms(due, rest);
        }
        for (i = 0; i < PEERS; i++) {
            peer_t *peer = &peers[i];
            if (peer->socket >= 0) {
                serve(peer);
            }
            /* Only who has no bytes left is asked for more. */
            sockets[1 + i].fd = peer->is_gone || peer->offered < peer->length ? -1 : peer->socket;
            sockets[1 + i].events = POLLIN;
            sockets[1 + i].revents = 0;
            if (peer->socket >= 0 && agentmote_wake(peer->connection, &due) == AGENTMOTE_OK) {
                rest = rest_ms(due, rest);
            }
        }
        if (poll(sockets, 1 + PEERS, rest) <= 0) {
            continue;
        }
        for (i = 0; i < PEERS; i++) {
            if (sockets[1 + i].revents != 0) {
                take(&peers[i]);
            }
        }
        if (sockets[0].revents != 0) {
            admit(listener, server);
        }
    }
}

int main(int count, char **words)
{
    static const int YES = 1;
    char url[64];
    agentmote_agent_t agent = ARM_AGENT;
    agentmote_server_t *server;
    agentmote_problem_t problem;
    struct sockaddr_in here;
    uint8_t key[32];
    int port = count == 3 && strcmp(words[1], "--port") == 0 ? atoi(words[2]) : 0;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int i;
    if (port <= 0 || port > 65535) {
        fputs("usage: c-arm --port PORT\n", stderr);
        return 2;
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%d/a2a/", port);
    agent.url = url;
    arm_init(&arm);
    arm_random(NULL, key, sizeof key);
    if (agentmote_init(storage, sizeof storage, &ARM_DEVICE_WITH_RESOURCES, &arm, &server, &problem)
            != AGENTMOTE_OK
        || agentmote_set_key(server, key) != AGENTMOTE_OK
        || agentmote_agent_open(&task_memory, server, &agent, &problem) != AGENTMOTE_OK) {
        fprintf(stderr, "c-arm: %s (needs %lu bytes of storage)\n", problem.text,
                (unsigned long)problem.needed);
        return 2;
    }
    agentmote_set_clock(server, (uint64_t)time(NULL) * 1000U, clock_ms());
    memset(&here, 0, sizeof here);
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    here.sin_port = htons((uint16_t)port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &YES, sizeof YES);
    if (listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) != 0
        || listen(listener, 8) != 0) {
        perror("c-arm");
        return 2;
    }
    fprintf(stderr, "tools at http://127.0.0.1:%d/mcp, tasks at %s\n", port, url);
    for (i = 0; i < PEERS; i++) {
        peers[i].socket = -1;
    }
    run(listener, server);
    return 0;
}

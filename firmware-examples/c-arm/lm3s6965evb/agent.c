/* The bench arm in C as a tool server and an agent on an LM3S6965: HTTP/1.1
 * over UART0, for the table of sizes. A product has a network below it. */
#include "arm.h"
#include "board.h"

/* Requests of up to 2,048 bytes, results of up to 512. */
AGENTMOTE_HTTP_MEMORY(memory, 2048, 512, 0);

/* Four tasks of up to 1,024 bytes each. */
AGENTMOTE_TASK_MEMORY(task_memory, ARM_SKILL_WORDS, 4, 1024, 512);

static uint64_t storage[AGENTMOTE_SERVER_WORDS + ARM_TABLE_WORDS];
static arm_t arm;

/* The LM3S6965 has no source of random bytes, without which no task is made: a
 * product fills the ids from where it has one. */
void arm_random(void *context, void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
}

int main(void)
{
    uint8_t in[64];
    uint8_t out[128];
    size_t length = 0;
    size_t offered = 0;
    agentmote_server_t *server;
    agentmote_connection_t *http;
    arm_init(&arm);
    board_start();
    if (agentmote_init(storage, sizeof storage, &ARM_DEVICE, &arm, &server, NULL) != AGENTMOTE_OK
        || agentmote_agent_open(&task_memory, server, &ARM_AGENT, NULL) != AGENTMOTE_OK
        || agentmote_http_open(&memory, server, NULL, &http) != AGENTMOTE_OK) {
        board_stop();
    }
    for (;;) {
        size_t taken;
        size_t filled;
        uint64_t now = board_now_ms();
        uint64_t due;
        bool is_closed = false;
        bool is_due;
        if (offered == length) {
            length = board_read(in, sizeof in);
            offered = 0;
        }
        agentmote_receive(http, in + offered, length - offered, &taken);
        offered += taken;
        agentmote_poll(http, now, out, sizeof out, &filled);
        board_write(out, filled);
        if (taken > 0 || filled > 0) {
            continue;
        }
        agentmote_is_closed(http, &is_closed);
        if (is_closed) {
            /* The next peer. */
            offered = length;
            agentmote_http_open(&memory, server, NULL, &http);
        }
        is_due = agentmote_wake(http, &due) == AGENTMOTE_OK && due <= now;
        if (agentmote_run_tasks(server, now, &due) == AGENTMOTE_OK) {
            is_due = is_due || due <= now;
        }
        if (!is_due) {
            board_sleep();
        }
    }
}

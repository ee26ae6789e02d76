/* The bench arm in C on an LM3S6965: one MCP message a line over UART0. Nothing
 * else is ever sent there (M-087). */
#include "arm.h"
#include "board.h"

/* Lines of up to 1,024 bytes, results of up to 512, and two calls that may take
 * their time, with 256 bytes of arguments each. */
AGENTMOTE_SMALL_LINE_MEMORY(memory, 1024, 512, 2, 256);

/* The library is built for tools over lines alone. */
static uint64_t storage[AGENTMOTE_SMALL_SERVER_WORDS + ARM_TABLE_WORDS];
static arm_t arm;

int main(void)
{
    uint8_t in[64];
    uint8_t out[128];
    size_t length = 0;
    size_t offered = 0;
    agentmote_server_t *server;
    agentmote_connection_t *line;
    arm_init(&arm);
    board_start();
    if (agentmote_init(storage, sizeof storage, &ARM_DEVICE, &arm, &server, NULL) != AGENTMOTE_OK
        || agentmote_line_open(&memory, server, &line) != AGENTMOTE_OK) {
        board_stop();
    }
    for (;;) {
        size_t taken;
        size_t filled;
        uint64_t now = board_now_ms();
        uint64_t due;
        if (offered == length) {
            length = board_read(in, sizeof in);
            offered = 0;
        }
        agentmote_receive(line, in + offered, length - offered, &taken);
        offered += taken;
        agentmote_poll(line, now, out, sizeof out, &filled);
        board_write(out, filled);
        if (taken > 0 || filled > 0) {
            continue;
        }
        if (agentmote_wake(line, &due) != AGENTMOTE_OK || due > now) {
            board_sleep();
        }
    }
}

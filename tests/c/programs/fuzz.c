/* A libFuzzer target: bytes of a peer, cut anywhere, at the bench arm. The
 * first three bytes of the input say which connection, and how it is cut: 1 is
 * HTTP, 3 HTTP of which every eighth turn takes its time, so that tasks go on. */
#include <arm.h>

#include <stdlib.h>
#include <string.h>

AGENTMOTE_LINE_MEMORY(line_memory, 1024, 512, 2, 256);
AGENTMOTE_HTTP_MEMORY(http_memory, 2048, 512, 0);

static uint64_t storage[AGENTMOTE_SERVER_WORDS + ARM_TABLE_WORDS + ARM_RESOURCE_WORDS];

AGENTMOTE_TASK_MEMORY(task_memory, ARM_SKILL_WORDS, 3, 768, 256);

void arm_random(void *context, void *bytes, size_t size)
{
    static uint8_t drawn;
    uint8_t *out = (uint8_t *)bytes;
    size_t i;
    (void)context;
    drawn += 1;
    for (i = 0; i < size; i++) {
        out[i] = (uint8_t)(drawn * 31 + i);
    }
}

#define CHECK(holds) \
    do { \
        if (!(holds)) { \
            abort(); \
        } \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t KEY[32] = {1};
    arm_t arm;
    agentmote_server_t *server;
    agentmote_connection_t *connection;
    size_t cut;
    size_t room;
    uint64_t now = 0;
    uint8_t last = '\n';
    bool is_line;
    uint64_t pause;
    int idle = 0;
    int turns = 0;
    if (size < 3) {
        return 0;
    }
    is_line = data[0] % 2 == 0;
    pause = data[0] % 4 == 3 ? 500 : 0;
    cut = data[1] == 0 ? size : data[1];
    room = data[2] == 0 ? 4096 : data[2];
    data += 3;
    size -= 3;
    arm_init(&arm);
    CHECK(agentmote_init(storage, sizeof storage, &ARM_DEVICE_WITH_RESOURCES, &arm, &server, NULL)
          == AGENTMOTE_OK);
    CHECK(agentmote_set_key(server, KEY) == AGENTMOTE_OK);
    CHECK(agentmote_agent_open(&task_memory, server, &ARM_AGENT, NULL) == AGENTMOTE_OK);
    CHECK((is_line ? agentmote_line_open(&line_memory, server, &connection)
                   : agentmote_http_open(&http_memory, server, NULL, &connection))
          == AGENTMOTE_OK);
    while (idle < 2 && turns < 20000) {
        /* Exactly as large as it may be written, so that more is noticed. */
        uint8_t *out = (uint8_t *)malloc(room);
        size_t part = size < cut ? size : cut;
        size_t taken = 0;
        size_t filled = 0;
        bool closed = false;
        uint64_t due;
        CHECK(out != NULL);
        CHECK(agentmote_receive(connection, data, part, &taken) == AGENTMOTE_OK);
        CHECK(taken <= part);
        data += taken;
        size -= taken;
        CHECK(agentmote_poll(connection, now, out, room, &filled) == AGENTMOTE_OK);
        CHECK(filled <= room);
        if (filled > 0) {
            last = out[filled - 1];
        }
        free(out);
        idle = taken == 0 && filled == 0 ? idle + 1 : 0;
        turns += 1;
        now += turns % 8 == 0 ? pause : 0;
        CHECK(agentmote_is_closed(connection, &closed) == AGENTMOTE_OK);
        if (closed) {
            CHECK(agentmote_http_open(&http_memory, server, NULL, &connection) == AGENTMOTE_OK);
        }
        agentmote_run_tasks(server, now, &due);
        if (agentmote_wake(connection, &due) == AGENTMOTE_OK) {
            CHECK(due <= now + 60000U);
            if (idle > 0) {
                now = due > now ? due : now + 1;
                idle = 0;
            }
        }
    }
    /* Every answer on a line was whole. */
    CHECK(!is_line || turns == 20000 || last == '\n');
    CHECK(agentmote_hang_up(connection, now) == AGENTMOTE_OK);
    return 0;
}

/* What a program must not do with the library, done: each gives a status, and
 * what was there goes on. */
#include "talk.h"

#include <pthread.h>
#include <sched.h>

AGENTMOTE_LINE_MEMORY(first_memory, 512, 256, 1, 128);
AGENTMOTE_LINE_MEMORY(second_memory, 512, 256, 0, 0);
AGENTMOTE_HTTP_MEMORY(http_memory, 1024, 256, 0);

static uint64_t storage[512];
static agentmote_server_t *server;
static agentmote_connection_t *first;
static agentmote_connection_t *second;
static int runs;
static int inside;
static int is_crowded;
/* How often each thread was told to come again. */
static volatile int busy[2];

static const agentmote_device_t *own;

/* A handler that calls everything that it was called by. */
static agentmote_answer_t meddle(void *context, agentmote_call_t *call)
{
    char room[64];
    size_t count = 77;
    uint64_t at = 77;
    bool closed = true;
    agentmote_server_t *again = NULL;
    agentmote_connection_t *anew = NULL;
    CHECK(context == &runs);
    runs += 1;
    inside += 1;
    IS(agentmote_receive(first, "x", 1, &count), AGENTMOTE_ERROR_BUSY);
    CHECK(count == 0);
    IS(agentmote_poll(first, 1, room, sizeof room, &count), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_wake(first, &at), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_hang_up(first, 1), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_is_closed(first, &closed), AGENTMOTE_ERROR_BUSY);
    /* Another connection takes bytes, and waits with its work. */
    IS(agentmote_receive(second, "\n", 1, &count), AGENTMOTE_OK);
    CHECK(count == 1);
    IS(agentmote_poll(second, 1, room, sizeof room, &count), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_hang_up(second, 1), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_init(storage, sizeof storage, own, NULL, &again, NULL), AGENTMOTE_ERROR_BUSY);
    IS(agentmote_line_open(&first_memory, server, &anew), AGENTMOTE_ERROR_BUSY);
    CHECK(again == NULL && anew == NULL && at == 77 && closed);
    inside -= 1;
    return agentmote_text(call, "meddled");
}

static agentmote_answer_t count(void *context, agentmote_call_t *call)
{
    (void)context;
    CHECK(inside == 0);
    inside += 1;
    runs += 1;
    if (is_crowded && runs % 64 == 0) {
        /* Until the other one comes, and is told to come again. */
        int before = busy[0] + busy[1];
        int i;
        for (i = 0; i < 100000 && busy[0] + busy[1] == before; i++) {
            sched_yield();
        }
    }
    inside -= 1;
    return agentmote_text(call, "counted");
}

static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL_PLAIN("meddle", NULL, "Calls back.", meddle, 0),
    AGENTMOTE_TOOL_PLAIN("count", NULL, "Counts.", count, AGENTMOTE_ACTUATES),
};
static const agentmote_device_t DEVICE = AGENTMOTE_DEVICE("d", NULL, "1", NULL, TOOLS);

/* Nothing is open yet. */
static void wrong_order(void)
{
    char room[64];
    size_t taken = 77;
    uint64_t at = 77;
    bool closed = true;
    agentmote_server_t *no_server = (agentmote_server_t *)(void *)storage;
    agentmote_connection_t *none = (agentmote_connection_t *)(void *)first_memory_words;
    agentmote_connection_t *opened = none;
    IS(agentmote_line_open(&first_memory, no_server, &opened), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(opened == NULL);
    IS(agentmote_http_open(&http_memory, no_server, NULL, &opened), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_receive(none, "x", 1, &taken), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(taken == 0);
    IS(agentmote_poll(none, 0, room, sizeof room, &taken), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_wake(none, &at), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_hang_up(none, 0), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_is_closed(none, &closed), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(at == 77 && closed);
}

static void null(void)
{
    char room[64];
    const char *json = NULL;
    size_t length = 77;
    uint64_t at = 77;
    int64_t whole = 77;
    int32_t fixed = 77;
    double real = 77;
    bool flag = false;
    agentmote_server_t *opened = server;
    agentmote_connection_t *connection = first;
    agentmote_memory_t nowhere = first_memory;
    IS(agentmote_init(NULL, 8, &DEVICE, NULL, &opened, NULL), AGENTMOTE_ERROR_NULL);
    CHECK(opened == NULL);
    IS(agentmote_init(storage, sizeof storage, NULL, NULL, &opened, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_init(storage, sizeof storage, &DEVICE, NULL, NULL, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_line_open(NULL, server, &connection), AGENTMOTE_ERROR_NULL);
    CHECK(connection == NULL);
    IS(agentmote_line_open(&second_memory, NULL, &connection), AGENTMOTE_ERROR_NULL);
    IS(agentmote_line_open(&second_memory, server, NULL), AGENTMOTE_ERROR_NULL);
    nowhere.start = NULL;
    IS(agentmote_line_open(&nowhere, server, &connection), AGENTMOTE_ERROR_NULL);
    IS(agentmote_http_open(NULL, server, NULL, &connection), AGENTMOTE_ERROR_NULL);
    IS(agentmote_http_open(&http_memory, NULL, NULL, &connection), AGENTMOTE_ERROR_NULL);
    IS(agentmote_receive(NULL, "x", 1, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_receive(first, NULL, 1, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_receive(first, "x", 1, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_receive(first, NULL, 0, &length), AGENTMOTE_OK);
    IS(agentmote_poll(NULL, 0, room, sizeof room, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_poll(first, 0, NULL, 1, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_poll(first, 0, room, sizeof room, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_poll(first, 0, NULL, 0, &length), AGENTMOTE_OK);
    IS(agentmote_wake(NULL, &at), AGENTMOTE_ERROR_NULL);
    IS(agentmote_wake(first, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_hang_up(NULL, 0), AGENTMOTE_ERROR_NULL);
    IS(agentmote_is_closed(NULL, &flag), AGENTMOTE_ERROR_NULL);
    IS(agentmote_is_closed(first, NULL), AGENTMOTE_ERROR_NULL);

    IS(agentmote_set_key(NULL, NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_confirm(NULL, "k", "m", &flag), AGENTMOTE_ERROR_NULL);
    IS(agentmote_elicit(NULL, "k", "m", 0, &fixed), AGENTMOTE_ERROR_NULL);
    CHECK(!agentmote_can_ask(NULL));
    IS(agentmote_log(NULL, AGENTMOTE_LOG_INFO, "x"), AGENTMOTE_ERROR_NULL);
    IS(agentmote_end_subscriptions(NULL), AGENTMOTE_ERROR_NULL);

    length = 77;
    CHECK(agentmote_now(NULL) == 0 && agentmote_step(NULL) == 0 && agentmote_memo(NULL) == 0);
    CHECK(!agentmote_is_cancelled(NULL));
    IS(agentmote_remember(NULL, 1), AGENTMOTE_ERROR_NULL);
    IS(agentmote_progress(NULL, 1, 2), AGENTMOTE_ERROR_NULL);
    IS(agentmote_wake_after(NULL, 1), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_boolean(NULL, 0, &flag), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_integer(NULL, 0, &whole), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_number(NULL, 0, &real), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_thousandths(NULL, 0, &fixed), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_text(NULL, 0, room, sizeof room, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_choice(NULL, 0, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_count(NULL, 0, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_enter(NULL, 0), AGENTMOTE_ERROR_NULL);
    IS(agentmote_leave(NULL), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_json(NULL, &json, &length), AGENTMOTE_ERROR_NULL);
    IS(agentmote_get_named(NULL, "x", room, sizeof room, &length), AGENTMOTE_ERROR_NULL);
    CHECK(length == 77 && whole == 77 && fixed == 77 && real == 77 && json == NULL && !flag);
    CHECK(agentmote_text(NULL, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_text_of(NULL, "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_fail(NULL, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_open_object(NULL, NULL) == AGENTMOTE_DONE);
    CHECK(agentmote_open_array(NULL, NULL) == AGENTMOTE_DONE);
    CHECK(agentmote_close(NULL) == AGENTMOTE_DONE);
    CHECK(agentmote_put_boolean(NULL, "x", true) == AGENTMOTE_DONE);
    CHECK(agentmote_put_integer(NULL, "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_put_double(NULL, "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_put_float(NULL, "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_put_text(NULL, "x", "x") == AGENTMOTE_DONE);
    CHECK(agentmote_put_null(NULL, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_image(NULL, "x", 1, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_image_static(NULL, "x", 1, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_audio(NULL, "x", 1, "x") == AGENTMOTE_DONE);
    CHECK(agentmote_link(NULL, "x", "x", "x") == AGENTMOTE_DONE);
    CHECK(agentmote_resource_text(NULL, "x", "x", "x") == AGENTMOTE_DONE);
    CHECK(agentmote_blob(NULL, "x", "x", "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_blob_static(NULL, "x", "x", "x", 1) == AGENTMOTE_DONE);
    CHECK(agentmote_assistant(NULL) == AGENTMOTE_DONE);
}

/* Memory that is too small, or not aligned. */
static void short_memory(void)
{
    agentmote_connection_t *connection = NULL;
    agentmote_memory_t memory = second_memory;
    memory.size = 64;
    IS(agentmote_line_open(&memory, server, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = second_memory;
    memory.start = (char *)memory.start + 1;
    IS(agentmote_line_open(&memory, server, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = second_memory;
    memory.rx = 191;
    IS(agentmote_line_open(&memory, server, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = second_memory;
    memory.result = 0;
    IS(agentmote_line_open(&memory, server, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = second_memory;
    memory.calls = 65535;
    memory.kept = 65535;
    IS(agentmote_line_open(&memory, server, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = http_memory;
    memory.rx = 511;
    IS(agentmote_http_open(&memory, server, NULL, &connection), AGENTMOTE_ERROR_STORAGE);
    memory = http_memory;
    memory.kept = 65535;
    IS(agentmote_http_open(&memory, server, NULL, &connection), AGENTMOTE_ERROR_STORAGE);
    CHECK(connection == NULL);
}

/* An output buffer of no or one byte never runs an action twice. */
static void short_output(void)
{
    static const char COUNTED[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
        "\"counted\"}]}}\n";
    const char *call = request("count", "{}");
    char answer[256];
    size_t taken = 0;
    size_t filled = 77;
    size_t length = 0;
    int before = runs;
    IS(agentmote_receive(first, call, strlen(call), &taken), AGENTMOTE_OK);
    CHECK(taken == strlen(call));
    IS(agentmote_poll(first, 0, NULL, 0, &filled), AGENTMOTE_OK);
    CHECK(filled == 0);
    IS(agentmote_poll(first, 0, NULL, 0, &filled), AGENTMOTE_OK);
    do {
        IS(agentmote_poll(first, 0, answer + length, 1, &filled), AGENTMOTE_OK);
        length += filled;
        CHECK(length < sizeof answer);
    } while (filled > 0);
    answer[length] = 0;
    SAYS(answer, COUNTED);
    CHECK(runs == before + 1);
}

/* A server that is opened anew: its connections do no more. */
static void reopened(void)
{
    char room[64];
    size_t count = 77;
    uint64_t at = 0;
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &runs, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_poll(first, 0, room, sizeof room, &count), AGENTMOTE_ERROR_NOT_OPEN);
    CHECK(count == 0);
    IS(agentmote_hang_up(first, 0), AGENTMOTE_ERROR_NOT_OPEN);
    IS(agentmote_wake(first, &at), AGENTMOTE_ABSENT);
    IS(agentmote_line_open(&first_memory, server, &first), AGENTMOTE_OK);
    IS(agentmote_line_open(&second_memory, server, &second), AGENTMOTE_OK);
    tell(first, INITIALIZE, 0, 64);
    SAYS(text_of(tell(first, request("count", "{}"), 0, 64)), "counted");
}

/* Servers that know nothing of each other. */
static void independent(void)
{
    static uint64_t other_storage[512];
    static agentmote_server_t *other;
    static int other_runs;
    AGENTMOTE_LINE_MEMORY(other_memory, 512, 256, 0, 0);
    agentmote_connection_t *third = NULL;
    int before = runs;
    IS(agentmote_init(other_storage, sizeof other_storage, &DEVICE, &other_runs, &other, NULL),
       AGENTMOTE_OK);
    IS(agentmote_line_open(&other_memory, other, &third), AGENTMOTE_OK);
    CHECK(strstr(tell(third, request("count", "{}"), 0, 64), "handshake") != NULL
          || strstr(tell(third, request("count", "{}"), 0, 64), "initialize") != NULL);
    tell(third, INITIALIZE, 0, 64);
    SAYS(text_of(tell(third, request("count", "{}"), 0, 64)), "counted");
    CHECK(runs == before + 1 && other_runs == 0);
    SAYS(text_of(tell(first, request("count", "{}"), 0, 64)), "counted");
}

/* Two threads at one server, each with a connection, and both at a third
 * connection: one at a time works, the other is told so and comes again. */
#ifndef ROUNDS
#define ROUNDS 2000
#endif

static const char *talk(int number)
{
    agentmote_connection_t *mine = number == 0 ? first : second;
    static const char CALL[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"count\"}}"
        "\n";
    static const char COUNTED[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
        "\"counted\"}]}}\n";
    int round;
    for (round = 0; round < ROUNDS; round++) {
        char answer[256];
        size_t sent = 0;
        size_t length = 0;
        while (length + 1 < sizeof COUNTED) {
            size_t count = 0;
            agentmote_status_t status =
                agentmote_receive(mine, CALL + sent, sizeof CALL - 1 - sent, &count);
            if (status != AGENTMOTE_OK && status != AGENTMOTE_ERROR_BUSY) {
                return "a status of receive";
            }
            busy[number] = busy[number] + (status == AGENTMOTE_ERROR_BUSY);
            sent += count;
            status = agentmote_poll(mine, 0, answer + length, sizeof answer - 1 - length, &count);
            if (status != AGENTMOTE_OK && status != AGENTMOTE_ERROR_BUSY) {
                return "a status of poll";
            }
            busy[number] = busy[number] + (status == AGENTMOTE_ERROR_BUSY);
            length += count;
            if (status == AGENTMOTE_ERROR_BUSY) {
                sched_yield();
            }
            /* Into what the other one does. */
            {
                uint64_t at = 0;
                status = agentmote_wake(number == 0 ? second : first, &at);
                if (status != AGENTMOTE_ABSENT && status != AGENTMOTE_ERROR_BUSY) {
                    return "a status of wake";
                }
            }
        }
        if (length + 1 != sizeof COUNTED || memcmp(answer, COUNTED, length) != 0) {
            return "another answer";
        }
    }
    return NULL;
}

static int numbers[2] = {0, 1};
static const char *wrongs[2];

static void *thread_of(void *argument)
{
    int number = *(const int *)argument;
    wrongs[number] = talk(number);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[2];
    int before = runs;
    int i;
    tell(second, INITIALIZE, 0, 64);
    is_crowded = 1;
    for (i = 0; i < 2; i++) {
        CHECK(pthread_create(&thread[i], NULL, thread_of, &numbers[i]) == 0);
    }
    for (i = 0; i < 2; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        SAYS(wrongs[i] == NULL ? "" : wrongs[i], "");
    }
    /* Each call has run, and run once. */
    CHECK(runs == before + 2 * ROUNDS);
    CHECK(busy[0] + busy[1] > 0);
    printf("misuse: told %d and %d times to come again\n", busy[0], busy[1]);
}

int main(void)
{
    own = &DEVICE;
    wrong_order();
    IS(agentmote_init(storage, sizeof storage, &DEVICE, &runs, &server, NULL), AGENTMOTE_OK);
    IS(agentmote_line_open(&first_memory, server, &first), AGENTMOTE_OK);
    IS(agentmote_line_open(&second_memory, server, &second), AGENTMOTE_OK);
    tell(first, INITIALIZE, 0, 64);
    null();
    short_memory();
    SAYS(text_of(tell(first, request("meddle", "{}"), 0, 4096)), "meddled");
    CHECK(runs == 1);
    SAYS(tell(second, "", 0, 64), "");
    SAYS(text_of(tell(first, request("meddle", "{}"), 0, 4096)), "meddled");
    SAYS(tell(second, "", 0, 64), "");
    short_output();
    reopened();
    independent();
    threads();
    printf("misuse: %d checks\n", checks);
    return 0;
}

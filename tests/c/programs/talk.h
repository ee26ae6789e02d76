/* A peer of a connection. C99 and C++17. */
#ifndef TALK_H
#define TALK_H

#include "check.h"

/* Sends `bytes` to a connection and gives all that comes back at `now`, `step`
 * bytes at a time: with a zero byte behind it, until the next call. */
static const char *tell(agentmote_connection_t *connection, const char *bytes, uint64_t now,
                        size_t step)
{
    static char answers[65536];
    size_t length = 0;
    size_t left = strlen(bytes);
    for (;;) {
        size_t taken = 0;
        size_t filled = 0;
        CHECK(length + step < sizeof answers);
        IS(agentmote_receive(connection, bytes, left, &taken), AGENTMOTE_OK);
        CHECK(taken <= left);
        bytes += taken;
        left -= taken;
        IS(agentmote_poll(connection, now, answers + length, step, &filled), AGENTMOTE_OK);
        CHECK(filled <= step);
        length += filled;
        if (taken == 0 && filled == 0) {
            break;
        }
    }
    answers[length] = 0;
    return answers;
}

/* One call of a tool in a request of the newest revision. */
static const char *request(const char *tool, const char *arguments)
{
    static char line[4096];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":%s}}\n",
             tool, arguments);
    return line;
}

static const char INITIALIZE[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\n";

/* The text of the one content block of an answer of the legacy era; the whole
 * answer if it is another. */
static const char *text_of(const char *answer)
{
    static char text[4096];
    const char *start = strstr(answer, "\"type\":\"text\",\"text\":\"");
    const char *end = NULL;
    if (start == NULL) {
        return answer;
    }
    start += strlen("\"type\":\"text\",\"text\":\"");
    for (end = start; *end != '"'; end++) {
        if (*end == '\\') {
            end++;
        }
    }
    CHECK((size_t)(end - start) < sizeof text);
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = 0;
    return text;
}

#endif

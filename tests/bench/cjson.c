/* The call of bench-line by cJSON, for comparison: reads the line, looks up
 * the two arguments, and prints the same answer. It checks nothing else. */

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *call(const char *line, size_t len)
{
    cJSON *request = cJSON_ParseWithLength(line, len);
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(request, "params");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(params, "arguments");
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(arguments, "index");
    const cJSON *on = cJSON_GetObjectItemCaseSensitive(arguments, "on");

    cJSON *structured = cJSON_CreateObject();
    cJSON_AddNumberToObject(structured, "index", index->valuedouble);
    cJSON_AddBoolToObject(structured, "on", cJSON_IsTrue(on));
    char *text = cJSON_PrintUnformatted(structured);

    cJSON *answer = cJSON_CreateObject();
    cJSON_AddStringToObject(answer, "jsonrpc", "2.0");
    cJSON_AddItemToObject(answer, "id", cJSON_DetachItemFromObjectCaseSensitive(request, "id"));
    cJSON *result = cJSON_AddObjectToObject(answer, "result");
    cJSON_AddStringToObject(result, "resultType", "complete");
    cJSON *block = cJSON_CreateObject();
    cJSON_AddStringToObject(block, "type", "text");
    cJSON_AddStringToObject(block, "text", text);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "content"), block);
    cJSON_AddItemToObject(result, "structuredContent", structured);
    cJSON *meta = cJSON_AddObjectToObject(result, "_meta");
    cJSON *server = cJSON_AddObjectToObject(meta, "io.modelcontextprotocol/serverInfo");
    cJSON_AddStringToObject(server, "name", "bench");
    cJSON_AddStringToObject(server, "version", "1.0");
    char *out = cJSON_PrintUnformatted(answer);

    free(text);
    cJSON_Delete(answer);
    cJSON_Delete(request);
    return out;
}

/* cjson LINE CALLS: makes the call that often, prints the last answer. */
int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    size_t len = strlen(argv[1]);
    char *out = NULL;
    for (long calls = atol(argv[2]); calls > 0; calls--) {
        free(out);
        out = call(argv[1], len);
    }
    puts(out);
    free(out);
    return 0;
}

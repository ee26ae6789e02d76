/* What the test programs share. C99 and C++17. */
#ifndef CHECK_H
#define CHECK_H

#include <agentmote.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

static void check_(int holds, const char *what, const char *file, int line)
{
    checks += 1;
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
        exit(1);
    }
}

#define CHECK(holds) check_((holds) ? 1 : 0, #holds, __FILE__, __LINE__)

static void is_(agentmote_status_t found, agentmote_status_t wanted, const char *file, int line)
{
    checks += 1;
    if (found != wanted) {
        fprintf(stderr, "%s:%d: status %d, wanted %d\n", file, line, (int)found, (int)wanted);
        exit(1);
    }
}

#define IS(found, wanted) is_((found), (wanted), __FILE__, __LINE__)

static void says_(const char *found, const char *wanted, const char *file, int line)
{
    checks += 1;
    if (strcmp(found, wanted) != 0) {
        fprintf(stderr, "%s:%d:\nfound:  %s\nwanted: %s\n", file, line, found, wanted);
        exit(1);
    }
}

#define SAYS(found, wanted) says_((found), (wanted), __FILE__, __LINE__)

#endif

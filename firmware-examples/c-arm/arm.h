/* A bench-top robot arm with six joints, in C: the same tools as the one in
 * Rust (firmware-examples/bench-arm), and the same answers to the byte. */
#ifndef ARM_H
#define ARM_H

#include <agentmote.h>

#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARM_JOINTS 6

/* Stops whose jobs can still be asked after. */
#define ARM_STOPPED 8

typedef struct arm {
    joint_t joints[ARM_JOINTS];
    uint32_t jobs;
    /* The jobs of the last stops, newest first. */
    uint32_t stopped[ARM_STOPPED];
    /* At most 32 characters of at most four bytes. */
    char note[32 * 4 + 1];
    /* What the sensor said last, in degrees Celsius. */
    float celsius;
    /* How many commands the drives have had. */
    uint32_t commands;
#ifdef AGENTMOTE_A2A
    /* A calibration that goes on: whether there is one, its task, the job of
     * its last move, and how many moves were begun: out and back for each
     * joint. */
    bool calibrates;
    uint8_t task[16];
    uint32_t job;
    int moves;
#endif
} arm_t;

/* An arm at rest, every joint at 0 degrees. */
void arm_init(arm_t *arm);

/* What it serves: tools alone, for a board. */
extern const agentmote_device_t ARM_DEVICE;
/* The same with its temperature and pose as resources. */
extern const agentmote_device_t ARM_DEVICE_WITH_RESOURCES;

/* Words of storage for their tables. */
#define ARM_PARAMS 5
#define ARM_TOOLS 5
#define ARM_TABLE_WORDS (ARM_TOOLS * AGENTMOTE_TOOL_WORDS + ARM_PARAMS * AGENTMOTE_PARAM_WORDS)
#define ARM_RESOURCES 2
#define ARM_RESOURCE_WORDS (ARM_RESOURCES * AGENTMOTE_RESOURCE_WORDS)

#ifdef AGENTMOTE_A2A
/* Where its agent is found. */
#ifndef ARM_URL
#define ARM_URL "http://127.0.0.1:8080/a2a/"
#endif

/* What it does for a message: calibration, and going home. */
extern const agentmote_agent_t ARM_AGENT;
#define ARM_SKILL_WORDS AGENTMOTE_SKILL_TABLE_WORDS(2, 11)

/* Fills bytes with random ones: whoever serves the agent defines it. */
void arm_random(void *context, void *bytes, size_t size);
#endif

#ifdef __cplusplus
}
#endif

#endif

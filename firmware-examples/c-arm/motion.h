/* Joints that take time to move: straight from angle to angle at an even
 * speed. Angles are in thousandths of a degree. */
#ifndef MOTION_H
#define MOTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One joint: its last move. */
typedef struct joint {
    int32_t from;
    int32_t to;
    uint64_t start_ms;
    /* How long the move takes. */
    uint32_t millis;
    /* The job that began the move. */
    uint32_t job;
} joint_t;

void joint_start(joint_t *joint, int32_t to, int32_t speed, uint32_t job, uint64_t now);
void joint_halt(joint_t *joint, uint64_t now);
bool joint_is_moving(const joint_t *joint, uint64_t now);
/* How much of the way is done, in percent: 0 to 100. */
uint32_t joint_percent(const joint_t *joint, uint64_t now);
int32_t joint_angle(const joint_t *joint, uint64_t now);

#ifdef __cplusplus
}
#endif

#endif

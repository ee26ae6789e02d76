#include "motion.h"

/* Full speed of a joint, in degrees a second: thousandths of a degree in a
 * millisecond. */
#define FULL_SPEED 180

static uint64_t since_start(const joint_t *joint, uint64_t now)
{
    return now > joint->start_ms ? now - joint->start_ms : 0;
}

bool joint_is_moving(const joint_t *joint, uint64_t now)
{
    return since_start(joint, now) < joint->millis;
}

uint32_t joint_percent(const joint_t *joint, uint64_t now)
{
    uint64_t done = since_start(joint, now);
    if (joint->millis == 0) {
        return 100;
    }
    if (done > joint->millis) {
        done = joint->millis;
    }
    return (uint32_t)done * 100U / joint->millis;
}

int32_t joint_angle(const joint_t *joint, uint64_t now)
{
    int32_t way;
    int32_t part;
    if (!joint_is_moving(joint, now)) {
        return joint->to;
    }
    /* A move takes at most 100 s, and a thousandth of its way is enough. */
    part = (int32_t)since_start(joint, now) * 1000 / (int32_t)joint->millis;
    way = joint->to - joint->from;
    return joint->from + way / 1000 * part + way % 1000 * part / 1000;
}

void joint_start(joint_t *joint, int32_t to, int32_t speed, uint32_t job, uint64_t now)
{
    int32_t from = joint_angle(joint, now);
    /* At most 180 degrees: the product stays below 2^32. */
    uint32_t way = to > from ? (uint32_t)(to - from) : (uint32_t)(from - to);
    joint->from = from;
    joint->to = to;
    joint->start_ms = now;
    joint->millis = way * 100U / (FULL_SPEED * (uint32_t)speed);
    joint->job = job;
}

void joint_halt(joint_t *joint, uint64_t now)
{
    int32_t here = joint_angle(joint, now);
    joint->from = here;
    joint->to = here;
    joint->start_ms = now;
    joint->millis = 0;
}

#include "arm.h"

/* How often a call that waits for a joint looks at it. */
#define LOOK_MS 20

/* Share of full speed at which the arm goes home, in percent. */
#define HOME_SPEED 50

typedef enum state { MOVING, ARRIVED, HALTED } state_t;

void arm_init(arm_t *arm)
{
#ifdef AGENTMOTE_A2A
    static const arm_t REST = {{{0, 0, 0, 0, 0}}, 0, {0}, {0}, 24.5F, 0, false, {0}, 0, 0};
#else
    static const arm_t REST = {{{0, 0, 0, 0, 0}}, 0, {0}, {0}, 24.5F, 0};
#endif
    *arm = REST;
}

/* Begins a job: a move of some joints at once. Gives its number. */
static uint32_t begin(arm_t *arm)
{
    arm->jobs += 1;
    return arm->jobs;
}

static void start(arm_t *arm, int joint, int32_t to, int32_t speed, uint32_t job, uint64_t now)
{
    joint_start(&arm->joints[joint], to, speed, job, now);
    arm->commands += 1;
}

static bool is_stopped(const arm_t *arm, uint32_t job)
{
    int i;
    for (i = 0; i < ARM_STOPPED; i++) {
        if (arm->stopped[i] == job) {
            return true;
        }
    }
    return false;
}

static void halt_joint(arm_t *arm, int joint, uint64_t now)
{
    joint_halt(&arm->joints[joint], now);
    arm->commands += 1;
}

/* Stops the joints of one job, which its own caller gave up: nobody asks after
 * it any more. */
static void halt_job(arm_t *arm, uint32_t job, uint64_t now)
{
    int joint;
    for (joint = 0; joint < ARM_JOINTS; joint++) {
        if (joint_is_moving(&arm->joints[joint], now) && arm->joints[joint].job == job) {
            halt_joint(arm, joint, now);
        }
    }
}

/* Stops every joint that is on its way. */
static void halt_all(arm_t *arm, uint64_t now)
{
    int joint;
    int i;
    for (joint = 0; joint < ARM_JOINTS; joint++) {
        uint32_t job = arm->joints[joint].job;
        if (!joint_is_moving(&arm->joints[joint], now)) {
            continue;
        }
        halt_joint(arm, joint, now);
        if (!is_stopped(arm, job)) {
            for (i = ARM_STOPPED - 1; i > 0; i--) {
                arm->stopped[i] = arm->stopped[i - 1];
            }
            arm->stopped[0] = job;
        }
    }
}

static bool is_moving(const arm_t *arm, uint32_t job, uint64_t now)
{
    int joint;
    for (joint = 0; joint < ARM_JOINTS; joint++) {
        if (arm->joints[joint].job == job && joint_is_moving(&arm->joints[joint], now)) {
            return true;
        }
    }
    return false;
}

/* How far a job is: no other job moves its joints before it has arrived. */
static state_t state(const arm_t *arm, uint32_t job, uint64_t now)
{
    if (is_stopped(arm, job)) {
        return HALTED;
    }
    return is_moving(arm, job, now) ? MOVING : ARRIVED;
}

/* arm_move */

enum { MOVE_JOINT, MOVE_DEG, MOVE_SPEED };

static const agentmote_param_t MOVE[] = {
    AGENTMOTE_INTEGER("joint", "Joint number, base first.", NULL, 0, 5),
    AGENTMOTE_NUMBER("deg", "Target angle.", "deg", -90, 90),
    AGENTMOTE_INTEGER_OR("speed", "Share of full speed.", "percent", 1, 100, 20),
};

/* The marked zone of the base, in thousandths of a degree: where people
 * stand. */
#define ZONE_START (-80000)
#define ZONE_END (-60000)

/* Whether a move of the base from one angle to another meets the marked zone. */
static bool meets_zone(int32_t from, int32_t to)
{
    return (from < to ? from : to) <= ZONE_END && (from > to ? from : to) >= ZONE_START;
}

static agentmote_answer_t arm_move(void *context, agentmote_call_t *call)
{
    arm_t *arm = (arm_t *)context;
    uint64_t now = agentmote_now(call);
    int64_t joint;
    int64_t speed;
    int32_t deg;
    if (agentmote_is_cancelled(call)) {
        halt_job(arm, agentmote_memo(call), now);
        return AGENTMOTE_PENDING;
    }
    if (agentmote_get_integer(call, MOVE_JOINT, &joint) != AGENTMOTE_OK
        || agentmote_get_thousandths(call, MOVE_DEG, &deg) != AGENTMOTE_OK
        || agentmote_get_integer(call, MOVE_SPEED, &speed) != AGENTMOTE_OK) {
        return agentmote_fail(call, "the arguments cannot be read");
    }
    if (agentmote_step(call) == 0) {
        uint32_t job;
        /* A joint that is back early is still part of the way home. */
        if (is_moving(arm, arm->joints[joint].job, now)) {
            return agentmote_fail(call, "the joint is still moving");
        }
        if (joint == 0 && meets_zone(joint_angle(&arm->joints[0], now), deg)) {
            bool yes = false;
            switch (agentmote_confirm(call, "zone",
                                      "Move the base through the zone where people stand?", &yes)) {
            case AGENTMOTE_OK:
                if (!yes) {
                    return agentmote_fail(call, "the user refused the move");
                }
                break;
            case AGENTMOTE_ABSENT:
                return AGENTMOTE_NEED_INPUT;
            default:
                /* A library that was built without questions. */
                break;
            }
        }
        job = begin(arm);
        agentmote_remember(call, job);
        start(arm, (int)joint, deg, (int32_t)speed, job, now);
    }
    switch (state(arm, agentmote_memo(call), now)) {
    case MOVING:
        agentmote_progress(call, joint_percent(&arm->joints[joint], now), 100);
        agentmote_wake_after(call, LOOK_MS);
        return AGENTMOTE_PENDING;
    case ARRIVED:
        return agentmote_text(call, "the joint is at its target");
    default:
        return agentmote_fail(call, "the joint was stopped on its way");
    }
}

static agentmote_answer_t arm_home(void *context, agentmote_call_t *call)
{
    arm_t *arm = (arm_t *)context;
    uint64_t now = agentmote_now(call);
    if (agentmote_is_cancelled(call)) {
        halt_job(arm, agentmote_memo(call), now);
        return AGENTMOTE_PENDING;
    }
    if (agentmote_step(call) == 0) {
        int joint;
        uint32_t job;
        for (joint = 0; joint < ARM_JOINTS; joint++) {
            if (joint_is_moving(&arm->joints[joint], now)) {
                return agentmote_fail(call, "a joint is still moving");
            }
        }
        job = begin(arm);
        agentmote_remember(call, job);
        for (joint = 0; joint < ARM_JOINTS; joint++) {
            start(arm, joint, 0, HOME_SPEED, job, now);
        }
    }
    switch (state(arm, agentmote_memo(call), now)) {
    case MOVING:
        agentmote_wake_after(call, LOOK_MS);
        return AGENTMOTE_PENDING;
    case ARRIVED:
        return agentmote_text(call, "the arm is at home");
    default:
        return agentmote_fail(call, "the arm was stopped on its way");
    }
}

static agentmote_answer_t arm_stop(void *context, agentmote_call_t *call)
{
    halt_all((arm_t *)context, agentmote_now(call));
    return agentmote_text(call, "stopped");
}

static const agentmote_param_t NOTE[] = {
    AGENTMOTE_STRING("text", "Text for the display.", 0, 32),
};

static agentmote_answer_t note_set(void *context, agentmote_call_t *call)
{
    arm_t *arm = (arm_t *)context;
    if (agentmote_get_text(call, 0, arm->note, sizeof arm->note, NULL) != AGENTMOTE_OK) {
        return agentmote_fail(call, "the text cannot be read");
    }
    return AGENTMOTE_DONE;
}

static const agentmote_param_t TEMP[] = {
    AGENTMOTE_NUMBER("celsius", "Temperature of the board.", "celsius", AGENTMOTE_LOWEST,
                     AGENTMOTE_HIGHEST),
};

static agentmote_answer_t temperature(void *context, agentmote_call_t *call)
{
    const arm_t *arm = (const arm_t *)context;
    agentmote_open_object(call, NULL);
    agentmote_put_float(call, "celsius", arm->celsius);
    return agentmote_close(call);
}

static agentmote_answer_t pose(void *context, agentmote_call_t *call)
{
    const arm_t *arm = (const arm_t *)context;
    uint64_t now = agentmote_now(call);
    int joint;
    agentmote_open_object(call, NULL);
    agentmote_open_array(call, "deg");
    for (joint = 0; joint < ARM_JOINTS; joint++) {
        agentmote_put_float(call, NULL, (float)joint_angle(&arm->joints[joint], now) / 1000.0F);
    }
    agentmote_close(call);
    return agentmote_close(call);
}

/* Another number when the temperature has changed by a thousandth. */
static uint32_t temperature_number(const void *context, uint64_t now)
{
    (void)now;
    return (uint32_t)(int32_t)(((const arm_t *)context)->celsius * 1000.0F);
}

/* A number for each pose. Two poses may have the same one, but a joint that
 * moves has no two after each other. */
static uint32_t pose_number(const void *context, uint64_t now)
{
    const arm_t *arm = (const arm_t *)context;
    uint32_t sum = 0;
    int joint;
    for (joint = 0; joint < ARM_JOINTS; joint++) {
        sum = sum * 180001U + (uint32_t)joint_angle(&arm->joints[joint], now);
    }
    return sum;
}

static const agentmote_tool_t TOOLS[] = {
    AGENTMOTE_TOOL("arm_move", "Move a joint",
                   "Moves one joint to an angle, and answers when it is there.", MOVE, arm_move,
                   AGENTMOTE_ACTUATES | AGENTMOTE_IDEMPOTENT | AGENTMOTE_POLLED
                       | AGENTMOTE_ASKS),
    AGENTMOTE_TOOL_PLAIN("arm_home", "Go home",
                         "Moves every joint to 0 degrees, and answers when all are there.",
                         arm_home, AGENTMOTE_ACTUATES | AGENTMOTE_IDEMPOTENT | AGENTMOTE_POLLED),
    AGENTMOTE_TOOL_PLAIN("arm_stop", "Stop",
                         "Stops every joint where it is. Always served at once.", arm_stop,
                         AGENTMOTE_ACTUATES | AGENTMOTE_IDEMPOTENT),
    AGENTMOTE_TOOL("note_set", "Write a note", "Writes a note to the arm's display.", NOTE,
                   note_set, AGENTMOTE_IDEMPOTENT),
    AGENTMOTE_TOOL_PLAIN_GIVES("temp_read", "Read the temperature",
                               "Reads the temperature of the arm's board.", TEMP, temperature,
                               AGENTMOTE_READ_ONLY | AGENTMOTE_IDEMPOTENT),
};

static const agentmote_resource_t RESOURCES[] = {
    AGENTMOTE_RESOURCE_WATCHED("device://bench-arm/temperature", "temperature", "Temperature",
                               "Temperature of the arm's board, in degrees Celsius.",
                               "application/json", temperature, temperature_number),
    AGENTMOTE_RESOURCE_WATCHED("device://bench-arm/pose", "pose", "Pose",
                               "Angle of each joint in degrees, base first.", "application/json",
                               pose, pose_number),
};

#define INSTRUCTIONS "Joint 0 is the base. Angles are in degrees."

const agentmote_device_t ARM_DEVICE =
    AGENTMOTE_DEVICE("bench-arm", "Bench arm", AGENTMOTE_VERSION, INSTRUCTIONS, TOOLS);

const agentmote_device_t ARM_DEVICE_WITH_RESOURCES =
    AGENTMOTE_DEVICE_OF("bench-arm", "Bench arm", AGENTMOTE_VERSION, INSTRUCTIONS, TOOLS,
                        AGENTMOTE_COUNT(TOOLS), RESOURCES, AGENTMOTE_COUNT(RESOURCES), 0, 0,
                        0, 0, 0);

#ifdef AGENTMOTE_A2A
/* calibrate: a task that asks first, then moves each joint out and back. */

/* How far a joint goes, in thousandths of a degree, and how fast, in percent of
 * full speed. */
#define OUT 10000
#define OUT_SPEED 50

static bool same(const uint8_t *a, const uint8_t *b)
{
    int i;
    for (i = 0; i < 16; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

/* Whether the first text of the newest message is a yes. */
static bool says_yes(agentmote_call_t *call)
{
    static const char YES[] = "yes";
    agentmote_part_t part;
    const char *text;
    size_t length;
    size_t at = 0;
    size_t i;
    do {
        if (agentmote_get_part(call, at, &part) != AGENTMOTE_OK) {
            return false;
        }
        at += 1;
    } while (part.kind != AGENTMOTE_PART_TEXT);
    text = (const char *)part.content;
    length = part.size;
    while (length > 0 && is_space(text[0])) {
        text += 1;
        length -= 1;
    }
    while (length > 0 && is_space(text[length - 1])) {
        length -= 1;
    }
    for (i = 0; i < length && i < 3; i++) {
        if ((text[i] | 0x20) != YES[i]) {
            return false;
        }
    }
    return length == 3;
}

/* Begins the next move. */
static agentmote_answer_t next_move(arm_t *arm, agentmote_call_t *call)
{
    int joint = arm->moves / 2;
    int32_t to = arm->moves % 2 == 0 ? OUT : 0;
    if (to != 0) {
        char text[] = "joint 0 of 6";
        text[6] = (char)('0' + joint);
        agentmote_report(call, text);
    }
    arm->job = begin(arm);
    arm->moves += 1;
    start(arm, joint, to, OUT_SPEED, arm->job, agentmote_now(call));
    agentmote_wake_after(call, LOOK_MS);
    return AGENTMOTE_PENDING;
}

static agentmote_answer_t calibrate(void *context, agentmote_call_t *call)
{
    arm_t *arm = (arm_t *)context;
    uint64_t now = agentmote_now(call);
    uint8_t task[16];
    size_t messages;
    bool is_mine;
    if (agentmote_task_id(call, task) != AGENTMOTE_OK
        || agentmote_message_count(call, &messages) != AGENTMOTE_OK) {
        return agentmote_fail(call, "the task cannot be read");
    }
    is_mine = arm->calibrates && same(arm->task, task);
    if (agentmote_is_cancelled(call)) {
        if (is_mine) {
            halt_job(arm, arm->job, now);
            arm->calibrates = false;
        }
        return AGENTMOTE_STOPPED;
    }
    if (messages == 1) {
        return agentmote_ask(call, "Calibration moves every joint. Answer yes to go on.");
    }
    if (!is_mine) {
        int i;
        if (!says_yes(call)) {
            return agentmote_reject(call, "the calibration was not confirmed");
        }
        for (i = 0; i < ARM_JOINTS; i++) {
            if (arm->calibrates || joint_is_moving(&arm->joints[i], now)) {
                return agentmote_fail(call, "the arm is still moving");
            }
        }
        agentmote_remember(call, (uint32_t)now);
        for (i = 0; i < 16; i++) {
            arm->task[i] = task[i];
        }
        arm->calibrates = true;
        arm->moves = 0;
        return next_move(arm, call);
    }
    switch (state(arm, arm->job, now)) {
    case MOVING:
        agentmote_wake_after(call, LOOK_MS);
        return AGENTMOTE_PENDING;
    case HALTED:
        arm->calibrates = false;
        return agentmote_fail(call, "the arm was stopped on its way");
    default:
        break;
    }
    if (arm->moves < 2 * ARM_JOINTS) {
        return next_move(arm, call);
    }
    arm->calibrates = false;
    agentmote_artifact(call, "calibration");
    agentmote_open_object(call, NULL);
    agentmote_put_integer(call, "joints", ARM_JOINTS);
    agentmote_put_integer(call, "millis", (uint32_t)now - agentmote_memo(call));
    return agentmote_close(call);
}

static const char *const TAGS[] = {"arm", "motion"};
static const char *const CALIBRATE_WORDS[] = {"calibrate", "calibration"};
static const char *const CALIBRATE_EXAMPLES[] = {"calibrate the arm"};
static const char *const CALIBRATE_GIVES[] = {"application/json", "text/plain"};
static const char *const HOME_WORDS[] = {"home"};
static const char *const HOME_EXAMPLES[] = {"home the arm"};

static const agentmote_skill_t SKILLS[] = {
    AGENTMOTE_SKILL_GIVES("calibrate", "Calibrate",
                          "Moves each joint out and back, once the caller has confirmed it.", TAGS,
                          CALIBRATE_WORDS, CALIBRATE_EXAMPLES, CALIBRATE_GIVES, calibrate, 0),
    AGENTMOTE_SKILL_TOOL("home", "Go home", "Moves every joint to 0 degrees.", TAGS, HOME_WORDS,
                         HOME_EXAMPLES, "arm_home"),
};

const agentmote_agent_t ARM_AGENT =
    AGENTMOTE_AGENT("bench-arm", "A bench-top robot arm with six joints.", AGENTMOTE_VERSION,
                    ARM_URL, SKILLS, arm_random);
#endif

#include "ring.h"

/* Stands for what was lost: the control character "substitute". */
#define BROKEN 0x1A

static uint32_t room(const ring_t *ring)
{
    return RING_BYTES - (ring->put - ring->taken);
}

static void store(ring_t *ring, uint8_t byte)
{
    ring->bytes[ring->put % RING_BYTES] = byte;
    ring->put += 1U;
}

void ring_break(ring_t *ring)
{
    ring->is_broken = true;
}

void ring_put(ring_t *ring, uint8_t byte)
{
    if (!ring->is_broken) {
        if (room(ring) > 0) {
            store(ring, byte);
            return;
        }
        ring_break(ring);
    }
    /* The rest of a broken line is dropped. Without room for its end it stays
     * broken, and the next line ends it. */
    if (byte == '\n' && room(ring) >= 2) {
        store(ring, BROKEN);
        store(ring, byte);
        ring->is_broken = false;
    }
}

size_t ring_take(ring_t *ring, uint8_t *out, size_t size)
{
    size_t count = 0;
    while (count < size && ring->taken != ring->put) {
        out[count] = ring->bytes[ring->taken % RING_BYTES];
        ring->taken += 1U;
        count += 1;
    }
    return count;
}

bool ring_is_empty(const ring_t *ring)
{
    return ring->taken == ring->put;
}

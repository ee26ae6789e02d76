/* Bytes on their way from an interrupt to the main loop: one side puts, the
 * other takes. A byte that finds no room breaks its line, and the line is made
 * to fail: what is left of it ends with a byte that no JSON text may hold, so
 * the peer gets a parse error instead of two lines melted into one. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A power of two: 89 ms at 115,200 baud. */
#define RING_BYTES 1024U

typedef struct ring {
    volatile uint8_t bytes[RING_BYTES];
    /* Bytes put so far. Only the interrupt writes it. */
    volatile uint32_t put;
    /* Bytes taken so far. Only the main loop writes it. */
    volatile uint32_t taken;
    /* Whether the line that is arriving is broken. Interrupt only. */
    bool is_broken;
} ring_t;

/* Called by the interrupt alone. */
void ring_put(ring_t *ring, uint8_t byte);
/* Notes that a byte was lost. Called by the interrupt alone. */
void ring_break(ring_t *ring);
/* Called by the main loop alone; gives how many bytes. */
size_t ring_take(ring_t *ring, uint8_t *out, size_t size);
bool ring_is_empty(const ring_t *ring);

#endif

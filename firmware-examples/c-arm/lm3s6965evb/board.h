/* What a board gives to the application: a clock, bytes that arrive, a way to
 * send bytes, and a way to sleep. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Starts the timer and the UART. */
void board_start(void);
/* Milliseconds since the start. Right as long as it is asked once in 49 days. */
uint64_t board_now_ms(void);
/* Bytes that have arrived; gives how many. */
size_t board_read(uint8_t *out, size_t size);
/* Sends all of it, and waits for that. */
void board_write(const uint8_t *bytes, size_t length);
/* Sleeps until an interrupt, unless bytes wait. */
void board_sleep(void);
/* What a fault ends in: every output off, then a restart. */
void board_stop(void);

#endif

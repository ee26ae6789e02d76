/* The registers of a Texas Instruments LM3S6965 (Cortex-M3).
 *
 * Written for the emulated board, whose clocks and pins need no set-up: on the
 * real one, the clock of UART0 and of port A, the pins and the baud rate come
 * first. */
#include "board.h"

#include "ring.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* UART0, an Arm PL011. */
#define UART_DATA REGISTER(0x4000C000U)
#define UART_FLAGS REGISTER(0x4000C018U)
#define UART_LINE REGISTER(0x4000C02CU)
#define UART_CONTROL REGISTER(0x4000C030U)
#define UART_INTERRUPTS REGISTER(0x4000C038U)
#define UART_INTERRUPT_CLEAR REGISTER(0x4000C044U)
/* In UART_FLAGS. */
#define BUSY 0x08U
#define RX_EMPTY 0x10U
#define TX_FULL 0x20U
/* In UART_DATA: overrun, break, parity or frame error. */
#define DAMAGED 0xF00U
/* In UART_INTERRUPTS: bytes have arrived, or few have and no more come. */
#define RECEIVED 0x50U

#define SYSTICK_CONTROL REGISTER(0xE000E010U)
#define SYSTICK_RELOAD REGISTER(0xE000E014U)
#define SYSTICK_CURRENT REGISTER(0xE000E018U)
#define INTERRUPT_ENABLE REGISTER(0xE000E100U)
#define RESET_CONTROL REGISTER(0xE000ED0CU)

/* Ticks of the system timer in a millisecond, at the clock after reset. */
#define TICKS_PER_MS 12500U

#define UART0_INTERRUPT 5

static ring_t received;
static volatile uint32_t ticks;

int main(void);

static void systick(void)
{
    ticks += 1U;
}

static void uart(void)
{
    UART_INTERRUPT_CLEAR = RECEIVED;
    while ((UART_FLAGS & RX_EMPTY) == 0) {
        uint32_t word = UART_DATA;
        if ((word & DAMAGED) != 0) {
            ring_break(&received);
        }
        ring_put(&received, (uint8_t)(word & 0xFFU));
    }
}

void board_stop(void)
{
    /* The reset makes each pin an input, which switches the drives off; a
     * board whose drives stay on without a signal does that first. */
    RESET_CONTROL = 0x05FA0004U;
    for (;;) {
    }
}

/* What the linker script knows. */
extern uint32_t board_data_from[];
extern uint32_t board_data[];
extern uint32_t board_data_end[];
extern uint32_t board_bss[];
extern uint32_t board_bss_end[];
extern uint32_t board_stack_top[];

void board_reset(void);

void board_reset(void)
{
    uint32_t *from = board_data_from;
    uint32_t *to;
    for (to = board_data; to < board_data_end; to++) {
        *to = *from++;
    }
    for (to = board_bss; to < board_bss_end; to++) {
        *to = 0;
    }
    main();
    board_stop();
}

typedef void (*handler_t)(void);

/* The first word is the stack; then the exceptions of the core, then the 44
 * interrupts of the chip. */
static const struct {
    const uint32_t *stack;
    handler_t core[15];
    handler_t chip[44];
} VECTORS __attribute__((section(".vector_table"), used)) = {
    board_stack_top,
    {board_reset, board_stop, board_stop, board_stop, board_stop, board_stop, 0, 0, 0, 0,
     board_stop, board_stop, 0, board_stop, systick},
    {board_stop, board_stop, board_stop, board_stop, board_stop, uart,       board_stop, board_stop,
     board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop,
     board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop,
     board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop,
     board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop, board_stop,
     board_stop, board_stop, board_stop, board_stop},
};

void board_start(void)
{
    SYSTICK_RELOAD = TICKS_PER_MS - 1U;
    SYSTICK_CURRENT = 0;
    SYSTICK_CONTROL = 7;
    /* Eight bits, no parity, both FIFOs on. Nothing is read before: a read
     * while they are off would leave the emulated UART with a stale byte. */
    UART_LINE = 0x70;
    UART_CONTROL = 0x301;
    UART_INTERRUPTS = RECEIVED;
    INTERRUPT_ENABLE = 1U << UART0_INTERRUPT;
}

uint64_t board_now_ms(void)
{
    static uint32_t seen;
    static uint64_t millis;
    uint32_t now = ticks;
    millis += now - seen;
    seen = now;
    return millis;
}

size_t board_read(uint8_t *out, size_t size)
{
    return ring_take(&received, out, size);
}

void board_write(const uint8_t *bytes, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++) {
        while ((UART_FLAGS & TX_FULL) != 0) {
        }
        UART_DATA = bytes[i];
    }
}

void board_sleep(void)
{
    /* An interrupt between the look and the sleep would go unnoticed. One that
     * is held back ends the sleep all the same. */
    __asm__ volatile("cpsid i" ::: "memory");
    if (ring_is_empty(&received)) {
        __asm__ volatile("wfi" ::: "memory");
    }
    __asm__ volatile("cpsie i" ::: "memory");
}

/* agentmote: MCP tool server for microcontrollers.
 * Generated from ffi-c; do not edit. */

#ifndef AGENTMOTE_H
#define AGENTMOTE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as text of three numbers parted by dots.
 *
 * The text ends with a zero byte and lives as long as the program. May be
 * called from anywhere, interrupts included.
 */
const char *agentmote_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AGENTMOTE_H */

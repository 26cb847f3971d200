/*
 * A loop of known length: a counter that is there may still count wrongly (a virtual machine that
 * shows 395 instructions for anything, an emulation, a broken PMU), so it is tried on ourselves.
 */
#ifndef CPUTOP_PERF_LOOP_H
#define CPUTOP_PERF_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_LOOP_TURNS 10000000u

void perf_loop_run(uint32_t turns);
/* How many instructions that is; 0: not known on this processor. */
uint64_t perf_loop_expected(uint32_t turns);
/* Are these counts possible for the loop of so many turns? */
bool perf_loop_instructions_ok(uint32_t turns, uint64_t counted);
bool perf_loop_cycles_ok(uint32_t turns, uint64_t counted);

#endif

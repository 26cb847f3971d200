/* Where the loop is not written in the machine's own words, its length is known within limits only.
 */
#include "config.h"

#include "measure/perf_loop.h"

#if defined(__x86_64__) || defined(__i386__)
#define TURN_INSTRUCTIONS 2
void perf_loop_run(uint32_t turns)
{
	__asm__ volatile("1:\n\tsubl $1, %0\n\tjnz 1b" : "+r"(turns) : : "cc");
}
#elif defined(__aarch64__)
#define TURN_INSTRUCTIONS 2
void perf_loop_run(uint32_t turns)
{
	__asm__ volatile("1:\n\tsubs %w0, %w0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}
#else
#define TURN_INSTRUCTIONS 0 /* not known */
void perf_loop_run(uint32_t turns)
{
	while (turns > 0) {
		turns--;
		__asm__ volatile("" : "+r"(turns));
	}
}
#endif

uint64_t perf_loop_expected(uint32_t turns)
{
	return (uint64_t)turns * TURN_INSTRUCTIONS;
}

bool perf_loop_instructions_ok(uint32_t turns, uint64_t counted)
{
	uint64_t known = perf_loop_expected(turns);

	if (known == 0)
		return counted >= turns && counted <= (uint64_t)turns * 16;
	/* The kernel's share (ticks, interrupts) comes on top. */
	return counted >= known - known / 50 && counted <= known + known / 20;
}

bool perf_loop_cycles_ok(uint32_t turns, uint64_t counted)
{
	return counted >= turns / 16 && counted <= (uint64_t)turns * 100;
}

/*
 * A measured value, or why there is none: missing is not zero. int64_t, because the part "exited"
 * is what a total leaves over and may be slightly negative; it is never clamped.
 */
#ifndef CPUTOP_VALUE_H
#define CPUTOP_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum value_state {
	VALUE_NONE,       /* does not apply: "-", JSON null */
	VALUE_UNREADABLE, /* could not be read: "?", JSON null */
	VALUE_OK,
	VALUE_SCALED,   /* multiplexed, scaled by enabled/running, coverage at least 95 %: marked */
	VALUE_AT_LEAST, /* a lower bound: written with ">=" */
};

struct value {
	int64_t v;
	enum value_state state;
};

static inline bool value_known(struct value a)
{
	return a.state >= VALUE_OK;
}
static inline struct value value_of(int64_t v)
{
	return (struct value){v, VALUE_OK};
}
/* a + b and a - b; when one of them is not known the result is not either (UNREADABLE wins over
 * NONE), and the weaker of two known states is kept. */
struct value value_add(struct value a, struct value b);
struct value value_sub(struct value a, struct value b);

/* The same for figures that were divided: per job, per second, ratios. */
struct figure {
	double v;
	enum value_state state;
};
static inline bool figure_known(struct figure f)
{
	return f.state >= VALUE_OK;
}
struct figure value_per(struct value a, double divisor); /* NONE when divisor <= 0 */

#endif

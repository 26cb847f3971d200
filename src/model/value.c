#include "config.h"

#include "model/value.h"

/* The states are ordered: UNREADABLE above NONE, the weaker of the known ones above the stronger.
 */
static enum value_state combine(enum value_state a, enum value_state b)
{
	bool known = a >= VALUE_OK && b >= VALUE_OK;

	if (known)
		return a > b ? a : b;
	return a == VALUE_UNREADABLE || b == VALUE_UNREADABLE ? VALUE_UNREADABLE : VALUE_NONE;
}

struct value value_add(struct value a, struct value b)
{
	struct value sum = {0, combine(a.state, b.state)};

	if (value_known(sum))
		sum.v = a.v + b.v;
	return sum;
}

struct value value_sub(struct value a, struct value b)
{
	struct value difference = {0, combine(a.state, b.state)};

	if (value_known(difference))
		difference.v = a.v - b.v;
	return difference;
}

struct figure value_per(struct value a, double divisor)
{
	if (!value_known(a))
		return (struct figure){0, a.state};
	if (!(divisor > 0))
		return (struct figure){0, VALUE_NONE};
	return (struct figure){(double)a.v / divisor, a.state};
}

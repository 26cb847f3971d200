/* One number for the process, as the limit is the process'. */
#include "config.h"

#include "measure/fdbudget.h"

#include <sys/resource.h>

static unsigned taken;

static bool raise_limit(struct rlimit *rl, unsigned wanted)
{
	rlim_t soft = (rlim_t)wanted * 4;

	if (rl->rlim_max != RLIM_INFINITY && soft > rl->rlim_max)
		soft = rl->rlim_max;
	if (soft <= rl->rlim_cur)
		return false;
	rl->rlim_cur = soft;
	return setrlimit(RLIMIT_NOFILE, rl) == 0;
}

bool fdbudget_take(unsigned n)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0)
		return false;
	if (rl.rlim_cur != RLIM_INFINITY && (rlim_t)(taken + n) * 2 > rl.rlim_cur &&
	    (!raise_limit(&rl, taken + n) || (rlim_t)(taken + n) * 2 > rl.rlim_cur))
		return false;
	taken += n;
	return true;
}

void fdbudget_give(unsigned n)
{
	taken = taken > n ? taken - n : 0;
}

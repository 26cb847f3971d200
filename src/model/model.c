#include "config.h"

#include "model/model.h"

static const char *const phase_names[PHASE_COUNT] = {
	[PHASE_IDLE] = "idle",
	[PHASE_SERVER] = "initialising the server",
	[PHASE_TABLES] = "creating tables",
	[PHASE_FILLING] = "filling tables",
	[PHASE_SETTLING] = "settling",
	[PHASE_STARTING] = "starting worker and producer",
	[PHASE_WARMUP] = "warm-up",
	[PHASE_ALIGN] = "about to measure",
	[PHASE_WINDOW] = "window",
	[PHASE_LIVE] = "live",
	[PHASE_STOPPING] = "stopping",
};

const char *phase_name(enum phase p)
{
	return (unsigned)p < PHASE_COUNT ? phase_names[p] : "?";
}

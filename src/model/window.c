#include "config.h"

#include "model/window.h"

void window_release(struct window *w)
{
	sample_release(&w->before);
	sample_release(&w->after);
}

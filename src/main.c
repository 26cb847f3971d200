/* cputop: top for SQL job queues. The only file that knows both the program and its screen. */
#include "config.h"

#include "app/app.h"
#include "ui/ui.h"

int main(int argc, char **argv)
{
	return app_main(argc, argv, &ui_frontend);
}

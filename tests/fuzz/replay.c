/* Gives a fuzz target the files of its corpus, as TAP: fuzz_x takes corpus/x below the sources, or
 * the files that are named on its command line. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>

#include "fuzz/fuzz.h"
#include "lib/strbuf.h"

static unsigned count, failed;

static void replay(const char *path, const char *name)
{
	struct strbuf input;
	int rc;

	strbuf_init(&input);
	rc = strbuf_read_file(&input, path, 1 << 20);
	if (rc == 0)
		LLVMFuzzerTestOneInput((const uint8_t *)input.buf, input.len);
	failed += rc < 0;
	printf("%sok %u - %s\n", rc < 0 ? "not " : "", ++count, name);
	if (rc < 0)
		printf("# %s: %s\n", path, strerror(-rc));
	fflush(stdout);
	strbuf_release(&input);
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool replay_folder(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_input, alphasort);

	if (n < 0) {
		printf("Bail out! cannot read %s: %s; set top_srcdir\n", folder, strerror(errno));
		return false;
	}
	for (int i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", folder, entries[i]->d_name);

		replay(path, entries[i]->d_name);
		free(path);
		free(entries[i]);
	}
	free(entries);
	if (n == 0)
		printf("Bail out! %s is empty\n", folder);
	return n > 0;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir"), *name = strrchr(argv[0], '_');
	bool found = true;
	char *folder;

	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			replay(argv[i], argv[i]);
	} else {
		folder =
			xasprintf("%s/tests/fuzz/corpus/%s", top ? top : ".", name ? name + 1 : "");
		found = replay_folder(folder);
		free(folder);
	}
	printf("1..%u\n", count);
	return found && failed == 0 ? 0 : 1;
}

/* Files that are absent are a normal case: no error text. */
#include "config.h"

#include "measure/sysfile.h"

#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "measure/procfs.h"

bool sysfile_text(char *out, size_t size, const char *dir, const char *name)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	ssize_t len;

	out[0] = '\0';
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	len = procfs_read(path, out, size);
	if (len < 0) {
		out[0] = '\0';
		return false;
	}
	out[strcspn(out, "\n")] = '\0';
	len = (ssize_t)strlen(out);
	while (len > 0 && (out[len - 1] == ' ' || out[len - 1] == '\t'))
		out[--len] = '\0';
	return len > 0;
}

bool sysfile_int(int64_t *out, const char *dir, const char *name)
{
	char text[32];
	bool negative;
	uint64_t v;

	if (!sysfile_text(text, sizeof(text), dir, name))
		return false;
	negative = text[0] == '-';
	if (!parse_u64(text + negative, &v) || v > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

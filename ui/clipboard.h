/* Copying to the clipboard of the terminal: OSC 52, which works through ssh as well. */
#ifndef CPUTOP_CLIPBOARD_H
#define CPUTOP_CLIPBOARD_H

#include <stddef.h>

struct strbuf;

/* Terminals take about 75 kB of base64; longer text is cut. */
#define CLIPBOARD_MAX 54000

/* Appends the sequence that puts text on the clipboard. */
void clipboard_sequence(struct strbuf *out, const char *text, size_t len);

#endif

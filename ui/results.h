/* Cells that the short and the long table of results share. */
#ifndef CPUTOP_RESULTS_H
#define CPUTOP_RESULTS_H

#include "model/model.h"
#include "ui/table.h"

const char *verdict_text(enum verdict v); /* "" for none */
enum style change_style(const struct change *ch);
void change_cell(struct table_row *row, int column, const struct result *r, enum counter k);
void state_cell(struct table_row *row, int column, const struct result_line *line, enum counter k);
/* What a verdict is about: instructions when any result has them, else CPU time. */
enum counter results_counter(const struct model *m);

#endif

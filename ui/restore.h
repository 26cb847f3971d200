/* The way back to a sane terminal when everything else has failed. Safe in a signal handler. */
#ifndef CPUTOP_RESTORE_H
#define CPUTOP_RESTORE_H

/* From now on a crash (SEGV, ABRT, BUS, FPE, ILL), exit() or running out of memory gives the
 * terminal fd back as it is now. */
void restore_arm(int fd);
void restore_disarm(void);
/* Writes the reset string and the saved modes. Nothing happens when not armed. */
void restore_now(void);

#endif

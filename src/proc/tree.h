/* Removing what is in a directory. */
#ifndef CPUTOP_TREE_H
#define CPUTOP_TREE_H

/* Removes everything below the directory behind fd (borrowed) but the entry named keep (NULL: all).
 * Goes on after a failure; returns 0 or -errno of the first one. */
int tree_empty(int fd, const char *keep);

#endif

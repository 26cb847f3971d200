/* Is this a virtual machine? */
#ifndef CPUTOP_HYPERVISOR_H
#define CPUTOP_HYPERVISOR_H

#include <stdbool.h>
#include <stddef.h>

/* What it runs on: "none" on bare metal, the product's name or "yes" in a virtual machine, empty
 * when nothing tells. True for a virtual machine. */
bool hypervisor_name(char *out, size_t size, const char *proc_root, const char *sys_root);
/* The text after "KEY\t: " of the first such line of /proc/cpuinfo. False when there is none. */
bool cpuinfo_value(char *out, size_t size, const char *proc_root, const char *key);

#endif

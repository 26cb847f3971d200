/*
 * x86 has a flag in cpuinfo that a hypervisor sets. Elsewhere only the firmware's tables tell, and
 * where they are silent the answer is "not known".
 */
#include "config.h"

#include "measure/hypervisor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/format.h"
#include "lib/strbuf.h"
#include "measure/sysfile.h"

#define CPUINFO_MAX (4u << 20)

bool cpuinfo_value(char *out, size_t size, const char *proc_root, const char *key)
{
	char path[512];
	size_t keylen = strlen(key);
	struct strbuf sb;
	bool found = false;
	char *line;

	out[0] = '\0';
	strbuf_init(&sb);
	snprintf(path, sizeof(path), "%.400s/cpuinfo", proc_root);
	line = strbuf_read_file(&sb, path, CPUINFO_MAX) == 0 ? sb.buf : NULL;
	while (line && !found) {
		char *end = strchr(line, '\n');
		const char *at = line + keylen;

		if (end)
			*end++ = '\0';
		if (strncmp(line, key, keylen) == 0) {
			at += strspn(at, " \t");
			found = *at == ':';
		}
		if (found) {
			at++;
			text_copy(out, size, at + strspn(at, " \t"));
		}
		line = end;
	}
	strbuf_release(&sb);
	return found;
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
		at += len;
	}
	return false;
}

static bool is_virtual_product(const char *name)
{
	static const char *const parts[] = {"KVM",     "QEMU",  "VirtualBox",     "VMware",
					    "Virtual", "Xen",   "Google Compute", "Amazon EC2",
					    "HVM",     "Bochs", "Parallels"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* The name that a hypervisor gives itself in leaf 0x40000000; for this machine only. Source: the
 * hypervisor's CPUID leaves, Documentation/virt/kvm/x86/cpuid.rst of Linux. */
static bool cpuid_name(char *out, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
	static const char *const known[][2] = {
		{"KVMKVMKVM", "KVM"},       {"Microsoft Hv", "Hyper-V"},
		{"VMwareVMware", "VMware"}, {"XenVMMXenVMM", "Xen"},
		{"TCGTCGTCGTCG", "QEMU"},   {"VBoxVBoxVBox", "VirtualBox"},
		{"ACRNACRNACRN", "ACRN"},   {"bhyve bhyve ", "bhyve"},
	};
	unsigned leaf, words[3];
	char name[sizeof(words) + 1] = "";

	__cpuid(0x40000000, leaf, words[0], words[1], words[2]);
	memcpy(name, words, sizeof(words));
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i][0]) == 0) {
			text_copy(out, size, known[i][1]);
			return true;
		}
	}
#else
	(void)out;
	(void)size;
#endif
	return false;
}

bool hypervisor_name(char *out, size_t size, const char *proc_root, const char *sys_root)
{
	char flags[8192], product[64];
	bool has_flags = cpuinfo_value(flags, sizeof(flags), proc_root, "flags");
	bool flagged = has_flags && has_word(flags, "hypervisor");

	if (sysfile_text(out, size, sys_root, "hypervisor/type"))
		return true;
	sysfile_text(product, sizeof(product), sys_root, "class/dmi/id/product_name");
	if (flagged || is_virtual_product(product)) {
		bool here = strcmp(proc_root, "/proc") == 0;

		if (product[0] || !flagged || !here || !cpuid_name(out, size))
			text_copy(out, size, product[0] ? product : "unnamed");
		return true;
	}
	if (sysfile_text(out, size, sys_root, "firmware/devicetree/base/hypervisor/compatible"))
		return true;
	text_copy(out, size, has_flags ? "none" : "");
	return false;
}

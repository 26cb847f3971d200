/*
 * icount, a Valgrind tool: counts the instructions of every process of a tree, live, in a file that
 * others read (icount_file.h). One count for a stretch of straight code and one at each exit from
 * it, so that a program runs hardly slower than under Valgrind without any tool.
 *
 * The translated code adds to a word at a fixed address; there the process's slot of the file is
 * mapped. After a fork the child maps another slot over the same address: the code that it has
 * inherited stays right.
 *
 * Licence: as the Valgrind core that it is linked with, GPL version 2 or later.
 */
#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#include "icount_file.h"

#include "config.h" /* Valgrind's, for its version */

/* Exported by the core, declared only for itself. */
extern SysRes VG_(do_syscall)(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f,
			      UWord g, UWord h);
extern Int VG_(safe_fd)(Int fd);

static const HChar *clo_file;
static Int file_fd = -1;
static struct icount_header *header;
static struct icount_slot *slot; /* at its address for good; what is mapped there changes */
static Bool counted;             /* it is a slot of the file, not memory of our own */
static UInt slot_index;
static ULong slot_owner;

static void give_up(const HChar *what)
{
	VG_(umsg)("icount: %s %s\n", what, clo_file ? clo_file : "");
	VG_(exit)(1);
}

static Bool map_at(void *where, SizeT bytes, ULong offset)
{
	SysRes r = VG_(do_syscall)(__NR_mmap, (UWord)where, bytes, VKI_PROT_READ | VKI_PROT_WRITE,
				   VKI_MAP_SHARED | VKI_MAP_FIXED, file_fd, offset, 0, 0);

	return !sr_isError(r) && sr_Res(r) == (UWord)where;
}

/* ---- processes ---- */

/* State and start time out of /proc/PID/stat: 0 when it cannot be read. */
static ULong start_of(UInt pid, HChar *state)
{
	HChar path[64], text[1024];
	HChar *p;
	SysRes r;
	Int n;

	VG_(sprintf)(path, "/proc/%u/stat", pid);
	r = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(r))
		return 0;
	n = VG_(read)((Int)sr_Res(r), text, sizeof(text) - 1);
	VG_(close)((Int)sr_Res(r));
	if (n <= 0)
		return 0;
	text[n] = 0;
	p = VG_(strrchr)(text, ')');
	if (!p || p[1] != ' ')
		return 0;
	*state = p[2];
	/* The state is field 3, the start field 22. */
	p += 2;
	for (Int field = 3; field < 22 && p; field++) {
		p = VG_(strchr)(p, ' ');
		if (p)
			p++;
	}
	return p ? VG_(strtoull10)(p, NULL) : 0;
}

/* Nobody counts in this slot any more although nobody said so: its process was killed. */
static Bool owner_is_gone(const struct icount_entry *e, ULong owner)
{
	UInt pid = ICOUNT_OWNER_PID(owner);
	SysRes r = VG_(do_syscall)(__NR_kill, pid, 0, 0, 0, 0, 0, 0, 0);
	HChar state = 0;
	ULong start;

	if (sr_isError(r) && sr_Err(r) == VKI_ESRCH)
		return True;
	start = start_of(pid, &state);
	return start && (start != e->start || state == 'Z' || state == 'X');
}

/* ---- taking a slot ---- */

static Bool change_owner(struct icount_entry *e, ULong from, ULong to)
{
	return __atomic_compare_exchange_n(&e->owner, &from, to, False, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static ULong next_owner(ULong owner, UInt pid)
{
	ULong generation = (ICOUNT_OWNER_GENERATION(owner) + 1ULL) & 0x7fffffff;

	return (generation ? generation : 1) << 32 | pid;
}

static Bool try_take(UInt i, ULong owner, UInt pid)
{
	ULong mine = next_owner(owner, pid);

	if (!change_owner(&header->entry[i], owner, mine))
		return False;
	slot_index = i;
	slot_owner = mine;
	return True;
}

/* The slot that this very process had before its exec; an entry of a killed one that had the same
 * number is given free. */
static Bool find_own(UInt pid, ULong start)
{
	UInt used = __atomic_load_n(&header->used, __ATOMIC_ACQUIRE);

	for (UInt i = 0; i < used && i < ICOUNT_SLOTS; i++) {
		struct icount_entry *e = &header->entry[i];
		ULong owner = __atomic_load_n(&e->owner, __ATOMIC_ACQUIRE);

		if (ICOUNT_OWNER_PID(owner) != pid || (owner & ICOUNT_ENDED))
			continue;
		if (e->start == start) {
			slot_index = i;
			slot_owner = owner;
			return True;
		}
		change_owner(e, owner, owner | ICOUNT_ENDED);
	}
	return False;
}

static Bool find_ended(UInt pid, Bool look_closer)
{
	UInt used = __atomic_load_n(&header->used, __ATOMIC_ACQUIRE);

	for (UInt i = 0; i < used && i < ICOUNT_SLOTS; i++) {
		struct icount_entry *e = &header->entry[i];
		ULong owner = __atomic_load_n(&e->owner, __ATOMIC_ACQUIRE);
		Bool ended = (owner & ICOUNT_ENDED) != 0;

		if (!ended && look_closer && owner)
			ended = owner_is_gone(e, owner);
		if (ended && try_take(i, owner, pid))
			return True;
	}
	return False;
}

static Bool find_new(UInt pid)
{
	for (;;) {
		UInt used = __atomic_load_n(&header->used, __ATOMIC_ACQUIRE);

		if (used >= ICOUNT_SLOTS)
			return False;
		/* Who loses the race for the entry looks at the next one. */
		Bool mine = try_take(used, 0, pid);

		__atomic_compare_exchange_n(&header->used, &used, used + 1, False, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		if (mine)
			return True;
	}
}

static Bool find_slot(UInt pid)
{
	return find_ended(pid, False) || find_ended(pid, True) || find_new(pid);
}

static Bool map_slot(void)
{
	return map_at(slot, ICOUNT_SLOT_BYTES,
		      ICOUNT_HEADER_BYTES + (ULong)slot_index * ICOUNT_SLOT_BYTES);
}

/* After an exec only the first thread is left. */
static void forget_threads(void)
{
	ULong first = 0;

	for (UInt i = 0; i < ICOUNT_THREADS; i++) {
		struct icount_thread *t = &slot->thread[i];

		if (t->tid == slot->pid)
			first = t->instructions;
		else
			slot->threads_gone += t->instructions;
	}
	VG_(memset)(slot->thread, 0, sizeof(slot->thread));
	slot->thread[1].tid = slot->pid;
	slot->thread[1].instructions = first;
}

static void name_program(void)
{
	const HChar *exe = VG_(args_the_exename);

	VG_(strncpy)(slot->exe, exe ? exe : "", sizeof(slot->exe) - 1);
	slot->exe[sizeof(slot->exe) - 1] = 0;
}

static void begin_life(UInt pid)
{
	slot->generation = 0;
	slot->begin = slot->mark = slot->total;
	slot->pid = pid;
	slot->ppid = VG_(getppid)();
	slot->execs = slot->running = 0;
	slot->threads_gone = 0;
	VG_(memset)(slot->thread, 0, sizeof(slot->thread));
	name_program();
	__atomic_store_n(&slot->generation, ICOUNT_OWNER_GENERATION(slot_owner), __ATOMIC_RELEASE);
	__atomic_fetch_add(&header->lives, 1, __ATOMIC_SEQ_CST);
}

static void take_slot(void)
{
	UInt pid = VG_(getpid)();
	HChar state = 0;
	ULong start = start_of(pid, &state);
	Bool own = find_own(pid, start);

	counted = own || find_slot(pid);
	if (!counted) {
		__atomic_fetch_add(&header->turned_away, 1, __ATOMIC_SEQ_CST);
		return;
	}
	header->entry[slot_index].start = start;
	if (!map_slot())
		give_up("cannot map a slot of");
	if (!own) {
		begin_life(pid);
		return;
	}
	slot->execs++;
	slot->running = 0;
	forget_threads();
	name_program();
}

static void at_fork_child(ThreadId tid)
{
	(void)tid;
	/* Away from the parent's slot, whatever comes. */
	VG_(do_syscall)
	(__NR_mmap, (UWord)slot, ICOUNT_SLOT_BYTES, VKI_PROT_READ | VKI_PROT_WRITE,
	 VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED, (UWord)-1, 0, 0, 0);
	take_slot();
}

/* ---- threads: only one runs at a time ---- */

static struct icount_thread *thread_of(ThreadId tid)
{
	return &slot->thread[tid < ICOUNT_THREADS ? tid : 0];
}

static void first_instruction(ThreadId tid)
{
	struct icount_thread *t = thread_of(tid);
	UInt kernel = VG_(gettid)();

	if (tid >= ICOUNT_THREADS || t->tid == kernel)
		return;
	slot->threads_gone += t->instructions;
	t->instructions = 0;
	t->tid = kernel;
}

static void start_client_code(ThreadId tid, ULong blocks)
{
	struct icount_thread *t = thread_of(tid);

	(void)blocks;
	if (!t->tid) /* after a fork nobody announced it */
		t->tid = VG_(gettid)();
	slot->mark = slot->total;
	slot->running = (tid < ICOUNT_THREADS ? tid : 0) + 1;
}

static void stop_client_code(ThreadId tid, ULong blocks)
{
	(void)blocks;
	slot->running = 0;
	thread_of(tid)->instructions += slot->total - slot->mark;
	slot->mark = slot->total;
}

/* ---- code ---- */

static void add_count(IRSB *out, ULong n)
{
	IRExpr *where = mkIRExpr_HWord((HWord)&slot->total);
	IRTemp before = newIRTemp(out->tyenv, Ity_I64);
	IRTemp after = newIRTemp(out->tyenv, Ity_I64);
#if defined(VG_BIGENDIAN)
	const IREndness end = Iend_BE;
#else
	const IREndness end = Iend_LE;
#endif

	if (!n)
		return;
	addStmtToIRSB(out, IRStmt_WrTmp(before, IRExpr_Load(end, Ity_I64, where)));
	addStmtToIRSB(out, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before),
							    IRExpr_Const(IRConst_U64(n)))));
	addStmtToIRSB(out, IRStmt_Store(end, where, IRExpr_RdTmp(after)));
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
			IRType host_word)
{
	IRSB *out = deepCopyIRSBExceptStmts(in);
	ULong n = 0;

	(void)closure;
	(void)layout;
	(void)extents;
	(void)arch;
	(void)guest_word;
	(void)host_word;
	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];

		if (!s || s->tag == Ist_NoOp)
			continue;
		if (s->tag == Ist_IMark)
			n++;
		if (s->tag == Ist_Exit) {
			add_count(out, n);
			n = 0;
		}
		addStmtToIRSB(out, s);
	}
	add_count(out, n);
	return out;
}

/* ---- the tool ---- */

static void open_file(void)
{
	SysRes r;

	if (!clo_file)
		give_up("started without --file: it is for cputop and cputop-icount");
	r = VG_(open)(clo_file, VKI_O_RDWR, 0);
	if (sr_isError(r))
		give_up("cannot open");
	file_fd = VG_(safe_fd)((Int)sr_Res(r));
	header = VG_(am_shadow_alloc)(ICOUNT_HEADER_BYTES);
	slot = VG_(am_shadow_alloc)(ICOUNT_SLOT_BYTES);
	if (!header || !slot || !map_at(header, ICOUNT_HEADER_BYTES, 0))
		give_up("cannot map");
	if (header->magic != ICOUNT_MAGIC || header->version != ICOUNT_VERSION ||
	    header->header_bytes != ICOUNT_HEADER_BYTES ||
	    header->slot_bytes != ICOUNT_SLOT_BYTES || header->slots != ICOUNT_SLOTS)
		give_up("not a file of this version of icount:");
}

static void post_clo_init(void)
{
	open_file();
	VG_(strncpy)(header->valgrind, VERSION, sizeof(header->valgrind) - 1);
	take_slot();
}

static void fini(Int status)
{
	(void)status;
	if (counted)
		change_owner(&header->entry[slot_index], slot_owner, slot_owner | ICOUNT_ENDED);
}

static Bool process_option(const HChar *arg)
{
	if VG_STR_CLO (arg, "--file", clo_file) {
		return True;
	}
	return False;
}

static void print_usage(void)
{
	VG_(printf)("    --file=FILE    where to count: made by cputop or cputop-icount\n");
}

static void print_debug_usage(void)
{
}

static void pre_clo_init(void)
{
	VG_(details_name)("icount");
	VG_(details_version)(NULL);
	VG_(details_description)("a live count of instructions, by process");
	VG_(details_copyright_author)("the authors of cputop, and GPL'd");
	VG_(details_bug_reports_to)("the authors of cputop");
	VG_(details_avg_translation_sizeB)(200);
	VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
	VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
	VG_(atfork)(NULL, NULL, at_fork_child);
	VG_(track_start_client_code)(start_client_code);
	VG_(track_stop_client_code)(stop_client_code);
	VG_(track_pre_thread_first_insn)(first_instruction);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)

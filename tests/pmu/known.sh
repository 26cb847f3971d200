#!/bin/sh
# A program with a known number of instructions, started by the keeper: what is counted of it, alone
# and when others want the counters too.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/pmu/pmu.sh"

pmu_start
pmu_boot known-guest.sh

# known NAME RUN EXPRESSION: about x, that run, and y, the plain one with the kernel.
known()
{
	tap_ok "$1" pmu_json known.json \
		"[$3 for x, y in ((d['$2'], d['kernel']),)][0]"
}

known "user only: main program, dead threads, children and daemons within 0.1 %" user \
	'x["user_only"] and x["instructions_state"] == "ok" and abs(x["instructions"] / x["known"] - 1) <= 0.001'
known "cycles are 4 times that" user 'x["cycles"] == 4 * x["instructions"]'
known "they ran all the time" user 'x["coverage"] == 1'
known "with the kernel: more, by its ticks" kernel \
	'not x["user_only"] and 0 < x["instructions"] / x["known"] - 1 < 0.05'
known "cycles are 4 times that, too" kernel 'x["cycles"] == 4 * x["instructions"]'
known "parts are counted" kernel 'x["parts"]'
known "no room for the parts: they are given up" four 'not x["parts"]'
known "the family goes on" four 'x["instructions"] is not None and x["coverage"] >= 0.95'
known "and is right" four \
	'abs(x["instructions"] / x["known"] / (y["instructions"] / y["known"]) - 1) <= 0.005'
known "all counters taken for a moment: scaled" all-0.15 \
	'x["instructions_state"] == "scaled" and x["cycles_state"] == "scaled"'
known "coverage says so" all-0.15 '0.95 <= x["coverage"] < 0.99'
known "and what is scaled is right" all-0.15 \
	'abs(x["instructions"] / x["known"] / (y["instructions"] / y["known"]) - 1) <= 0.005'
known "taken for too long: missing, not wrong" all-2.5 \
	'x["instructions"] is None and x["instructions_state"] == "unreadable" and x["coverage"] < 0.95'
tap_done

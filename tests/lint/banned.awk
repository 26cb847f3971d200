# Calls that do not belong here, and what to use instead, see banned.sh.
function ban(names, instead,    i, n, name)
{
	n = split(names, name, " ")
	for (i = 1; i <= n; i++)
		banned[name[i]] = instead
}

BEGIN {
	if (rule == "unsafe") {
		ban("sprintf vsprintf", "strbuf or snprintf")
		ban("strcpy stpcpy strcat strncpy strncat gets", "strbuf or text_copy")
		ban("atoi atol atoll atof", "parse_u64 or parse_double")
		ban("strtok", "strcspn")
		ban("system popen", "proc/")
		ban("tmpnam tempnam mktemp tmpfile", "mkstemp or proc/tmpdir")
		ban("alloca", "xmalloc")
		ban("rand srand random srandom", "lib/rng")
		ban("ctime asctime gmtime localtime", "clock_rfc3339 or the _r form")
		ban("strerror_r", "strerror")
	}
	if (rule == "locale")
		ban("strtod strtof strtold", "parse_double")
	if (rule == "abort")
		ban("exit _exit", "an error for the caller")
}

FNR == 1 {
	strip_begin()
}

{
	code = strip($0)
	if (rule == "locale" && code ~ /setlocale[ \t]*\([ \t]*LC_(ALL|NUMERIC)/)
		print FILENAME ":" FNR ": numbers are written as in the C locale: set LC_CTYPE only"
	if (rule == "words" && $0 ~ /(^|[^A-Za-z0-9_])(TODO|FIXME|XXX|HACK)([^A-Za-z0-9_]|$)/)
		print FILENAME ":" FNR ": unfinished: " $0
	if (code !~ /\(/)
		next
	for (name in banned)
		if (code ~ "(^|[^A-Za-z0-9_.>])" name "[ \t]*\\(")
			print FILENAME ":" FNR ": " name "(): use " banned[name]
}

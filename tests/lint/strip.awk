# strip(LINE) gives a line of C without comments and without what is in its strings, so that only
# code is left. Call it for each line in order, strip_begin() at the start of a file.
function strip_begin()
{
	strip_comment = 0
}

function strip_to(text, end,    i)
{
	i = index(text, end)
	return i ? substr(text, i + length(end)) : ""
}

# What is behind the closing quote; a backslash takes the character after it along.
function strip_string(text, quote,    i, c)
{
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "\\")
			i++
		else if (c == quote)
			return substr(text, i + 1)
	}
	return ""
}

function strip(line,    out, i, c)
{
	out = ""
	while (line != "") {
		if (strip_comment) {
			if (!index(line, "*/"))
				return out
			line = strip_to(line, "*/")
			strip_comment = 0
			out = out " "
		}
		if (!match(line, /["']|\/\*|\/\//))
			return out line
		i = RSTART
		out = out substr(line, 1, i - 1)
		c = substr(line, i, 1)
		if (c != "/") {
			line = strip_string(substr(line, i + 1), c)
			out = out c c
		} else if (substr(line, i, 2) == "//") {
			return out
		} else {
			line = substr(line, i + 2)
			strip_comment = 1
		}
	}
	return out
}

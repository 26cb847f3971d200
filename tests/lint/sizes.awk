# Sizes of files and functions, see sizes.sh. clang-format puts the braces of a function, and nothing
# else, at the start of a line.
BEGIN {
	file_max = 500
	function_max = 60
	switch_max = 120
	nesting_max = 4
	parameters_max = 6
}

function say(line, text)
{
	print file ":" line ": " text
}

function count(text, character)
{
	return gsub(character, "&", text)
}

# Follows the braces of a line.
function nest(text,    i)
{
	while ((i = match(text, /[{}]/)) > 0) {
		depth += substr(text, i, 1) == "{" ? 1 : -1
		if (depth > deepest)
			deepest = depth
		text = substr(text, i + 1)
	}
}

# The number of parameters of the first parenthesis in a declaration.
function parameters(text,    i, c, depth, n)
{
	gsub(/__attribute__[ \t]*\(\(([^()]|\([^()]*\))*\)\)/, "", text)
	n = 1
	depth = 0
	for (i = index(text, "("); i > 0 && i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "(")
			depth++
		else if (c == ")" && --depth == 0)
			return n
		else if (c == "," && depth == 1)
			n++
	}
	return 0
}

function check_parameters(    n)
{
	if (declaration ~ /^(typedef|#)/ || declaration ~ /=/)
		return
	n = parameters(declaration)
	if (rule == "parameters" && n > parameters_max)
		say(declared, n " parameters, at most " parameters_max)
}

# A function may be longer when a switch over states is most of it.
function check_function(length_, max)
{
	max = 2 * switched >= length_ ? switch_max : function_max
	if (rule == "functions" && length_ > max)
		say(declared, "function of " length_ " lines, at most " max)
	if (rule == "nesting" && deepest - 1 > nesting_max)
		say(declared, "blocks nested " deepest - 1 " deep, at most " nesting_max)
}

function check_file()
{
	if (rule == "files" && file != "" && lines > file_max)
		say(lines, "file of " lines " lines, at most " file_max)
}

FNR == 1 {
	check_file()
	file = FILENAME
	declaration = ""
	inside = depth = continued = 0
	strip_begin()
}

{
	lines = FNR
	if (rule == "files")
		next
	code = strip($0)
}

inside {
	if (code ~ /^\t+switch \(/ && !switch_at) {
		switch_at = FNR
		switch_indent = code
		sub(/switch.*/, "", switch_indent)
	}
	if (switch_at && code == switch_indent "}") {
		switched += FNR - switch_at + 1
		switch_at = 0
	}
	nest(code)
	if (code ~ /^}/) {
		check_function(FNR - declared + 1)
		inside = depth = 0
		declaration = ""
	}
	next
}

# The lines of a macro are no declaration.
continued || code ~ /^[ \t]*#/ {
	continued = code ~ /\\$/
	declaration = ""
	next
}

code ~ /^{/ {
	check_parameters()
	inside = depth = deepest = 1
	switch_at = switched = 0
	next
}

{
	if (declaration == "" && code !~ /^[ \t]*$/)
		declared = FNR
	declaration = code ~ /^[ \t]*$/ ? "" : declaration " " code
	sub(/^ /, "", declaration)
	outer += count(code, "{") - count(code, "}")
	if (outer == 0 && code ~ /;[ \t]*$/) {
		if (declaration !~ /\{/)
			check_parameters()
		declaration = ""
	}
}

END {
	check_file()
}

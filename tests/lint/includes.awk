# Which room includes which: the table of DESIGN section 4. A file's room is its folder below src (or
# ui, workload), the included file's room is the folder in the #include line. rule is one of the
# names below.
BEGIN {
	allowed["lib"] = "lib"
	allowed["model"] = "model lib"
	allowed["proc"] = "proc lib"
	allowed["measure"] = "measure lib model contrib" # the file that the icount tool writes
	allowed["db"] = "db lib model"
	allowed["variant"] = "variant lib model"
	allowed["server"] = "server lib model db proc"
	allowed["result"] = "result lib model"
	allowed["run"] = "run lib model proc measure db variant server result"
	allowed["app"] = "app lib model proc measure db variant server result run"
	allowed["ui"] = "ui lib model"
	allowed["workload"] = "workload lib model db variant"
	allowed["main"] = "app ui"
	confined["curses"] = "^(n?curses(w)?/.*|n?curses[.]h|term[.]h|panel[.]h|menu[.]h|form[.]h)$"
	confined["libpq"] = "^(postgresql/.*|libpq/.*|libpq-.*[.]h|pq.*[.]h|pg_.*[.]h)$"
	confined["mysql"] = "^(mysql/.*|mariadb/.*|mysql.*[.]h|mariadb.*[.]h)$"
	confined["jansson"] = "^jansson.*[.]h$"
	home["curses"] = "^ui/(term|render)[.]c$"
	home["libpq"] = home["mysql"] = "^src/db/"
	home["jansson"] = "^src/result/"
}

function say(text)
{
	print FILENAME ":" FNR ": " text
}

function room_of(path,    part)
{
	if (path == "src/main.c")
		return "main"
	split(path, part, "/")
	return part[1] == "src" ? part[2] : part[1]
}

function has(list, word)
{
	return index(" " list " ", " " word " ") > 0
}

function exists(path,    line, found)
{
	found = (getline line < path) >= 0
	close(path)
	return found
}

function check_room(name,    from, to)
{
	from = room_of(FILENAME)
	to = name
	sub(/\/.*/, "", to)
	if (!(from in allowed))
		say("\"" from "\" is no room of the house")
	else if (name == "config.h")
		return
	else if (name !~ /\//)
		say("\"" name "\" does not name its room")
	else if (!has(allowed[from], to))
		say(from " may not include " name " (only: " allowed[from] ")")
	else if (!exists("src/" name) && !exists(name))
		say(name " is neither below src nor in the source folder")
}

function check_confined(name,    what)
{
	for (what in confined)
		if (name ~ confined[what] && FILENAME !~ home[what])
			say(what " is confined to " home[what])
}

# config.h, then the header of the same name when there is one.
function check_order(name, nth,    own)
{
	if (FILENAME !~ /[.]c$/)
		return
	own = FILENAME
	sub(/^src\//, "", own)
	sub(/[.]c$/, ".h", own)
	if (nth == 1 && name != "config.h")
		say("\"config.h\" comes first")
	if (nth == 2 && name != own && (exists("src/" own) || (own ~ /^(ui|workload)\// && exists(own))))
		say("the own header \"" own "\" comes second")
}

FNR == 1 {
	nth = 0
}

/^[ \t]*#[ \t]*include/ {
	nth++
	name = $0
	sub(/^[ \t]*#[ \t]*include(_next)?[ \t]*/, "", name)
	kind = substr(name, 1, 1)
	if (kind != "<" && kind != "\"") {
		if (rule == "rooms")
			say("an #include must name its file")
		next
	}
	name = substr(name, 2)
	sub(/[>"].*/, "", name)
	if (rule == "rooms" && kind == "\"")
		check_room(name)
	if (rule == "rooms" && kind == "<" && exists("src/" name))
		say("<" name "> is ours: \"" name "\"")
	if (rule == "confined" && (kind == "<" || name !~ /^[a-z]+\//))
		check_confined(name)
	if (rule == "order")
		check_order(name, nth)
}

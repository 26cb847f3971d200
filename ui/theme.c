/*
 * The schemes. Only the 16 colours that every user has already tuned are used, and the terminal's
 * own background, so that the screen is legible wherever other programs are.
 */
#include "config.h"

#include "ui/theme.h"

#include <stddef.h>

enum {
	BLACK,
	RED,
	GREEN,
	YELLOW,
	BLUE,
	MAGENTA,
	CYAN,
	WHITE,
	BRIGHT = 8,
	OWN = -1,
};

struct scheme {
	const char *name;
	struct look looks[STYLE_COUNT];
};

static const struct scheme schemes[] = {
	{"dark",
	 {
		 [STYLE_NORMAL] = {OWN, OWN, 0},
		 [STYLE_TITLE] = {CYAN, OWN, LOOK_BOLD},
		 [STYLE_DIM] = {OWN, OWN, LOOK_DIM},
		 [STYLE_STRONG] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_BAR] = {CYAN, OWN, 0},
		 [STYLE_GOOD] = {GREEN + BRIGHT, OWN, 0},
		 [STYLE_BAD] = {RED + BRIGHT, OWN, LOOK_BOLD},
		 [STYLE_WARNING] = {YELLOW + BRIGHT, OWN, 0},
		 [STYLE_KEY] = {YELLOW, OWN, LOOK_BOLD},
		 [STYLE_KEY_TEXT] = {OWN, OWN, 0},
		 [STYLE_SELECTED] = {BLACK, CYAN, 0},
	 }},
	{"light",
	 {
		 [STYLE_NORMAL] = {OWN, OWN, 0},
		 [STYLE_TITLE] = {BLUE, OWN, LOOK_BOLD},
		 [STYLE_DIM] = {OWN, OWN, LOOK_DIM},
		 [STYLE_STRONG] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_BAR] = {BLUE, OWN, 0},
		 [STYLE_GOOD] = {GREEN, OWN, LOOK_BOLD},
		 [STYLE_BAD] = {RED, OWN, LOOK_BOLD},
		 [STYLE_WARNING] = {MAGENTA, OWN, 0},
		 [STYLE_KEY] = {BLUE, OWN, LOOK_BOLD},
		 [STYLE_KEY_TEXT] = {OWN, OWN, 0},
		 [STYLE_SELECTED] = {WHITE + BRIGHT, BLUE, 0},
	 }},
	{"mono",
	 {
		 [STYLE_NORMAL] = {OWN, OWN, 0},
		 [STYLE_TITLE] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_DIM] = {OWN, OWN, LOOK_DIM},
		 [STYLE_STRONG] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_BAR] = {OWN, OWN, 0},
		 [STYLE_GOOD] = {OWN, OWN, 0},
		 [STYLE_BAD] = {OWN, OWN, LOOK_BOLD | LOOK_UNDERLINE},
		 [STYLE_WARNING] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_KEY] = {OWN, OWN, LOOK_BOLD},
		 [STYLE_KEY_TEXT] = {OWN, OWN, 0},
		 [STYLE_SELECTED] = {OWN, OWN, LOOK_REVERSE},
	 }},
};
#define SCHEMES (sizeof(schemes) / sizeof(schemes[0]))

unsigned theme_count(void)
{
	return SCHEMES;
}

unsigned theme_mono(void)
{
	return SCHEMES - 1;
}

const char *theme_name(unsigned scheme)
{
	return schemes[scheme % SCHEMES].name;
}

struct look theme_look(unsigned scheme, int colors, enum style style)
{
	struct look look;

	if (colors < 8)
		scheme = theme_mono();
	look = schemes[scheme % SCHEMES].looks[style < STYLE_COUNT ? style : STYLE_NORMAL];
	if (colors >= 16)
		return look;
	if (look.fg >= BRIGHT) {
		look.fg = (int8_t)(look.fg - BRIGHT);
		look.attrs |= LOOK_BOLD;
	}
	if (look.bg >= BRIGHT)
		look.bg = (int8_t)(look.bg - BRIGHT);
	return look;
}

/* The key table: each key once per place, each action bound and documented; and the theme. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/keys.h"
#include "ui/theme.h"

static bool share_a_key(const struct key_binding *a, const struct key_binding *b)
{
	for (int i = 0; i < KEYS_EACH; i++) {
		for (int j = 0; j < KEYS_EACH; j++) {
			if (a->keys[i] && a->keys[i] == b->keys[j])
				return true;
		}
	}
	return false;
}

static void test_no_key_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < keys_count(); i++) {
		for (size_t j = i + 1; j < keys_count(); j++) {
			if ((keys_at(i)->where & keys_at(j)->where) &&
			    share_a_key(keys_at(i), keys_at(j)))
				fail_msg("'%s' and '%s' have a key in common", keys_at(i)->help,
					 keys_at(j)->help);
		}
	}
}

static void test_documented(void **state)
{
	(void)state;
	for (size_t i = 0; i < keys_count(); i++) {
		const struct key_binding *b = keys_at(i);
		char names[64];

		assert_non_null(b->help);
		assert_true(b->help[0] && strlen(b->help) <= 26);
		assert_true(b->keys[0] > 0);
		assert_true(b->where != 0 && (b->where & ~(unsigned)IN_ALL) == 0);
		assert_int_equal(b->footer & ~b->where, 0);
		assert_true(!b->footer || b->label);
		keys_names(b, names, sizeof(names));
		assert_true(names[0] && !strchr(names, '\033'));
	}
}

static void test_every_action_has_a_key(void **state)
{
	bool bound[ACTION_COUNT] = {false};

	(void)state;
	for (size_t i = 0; i < keys_count(); i++) {
		assert_false(bound[keys_at(i)->action]);
		bound[keys_at(i)->action] = true;
	}
	for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
		assert_true(bound[a]);
}

static void test_lookup(void **state)
{
	(void)state;
	assert_int_equal(keys_lookup('q', IN_LIVE)->action, ACTION_QUIT);
	assert_int_equal(keys_lookup(K_CTRL('C'), IN_HELP)->action, ACTION_QUIT);
	assert_int_equal(keys_lookup(K_F(10), IN_WHERE)->action, ACTION_QUIT);
	assert_int_equal(keys_lookup(K_ENTER, IN_LIVE)->action, ACTION_ENTER);
	assert_null(keys_lookup(K_ENTER, IN_HELP));
	assert_null(keys_lookup('3', IN_LIVE));
	assert_null(keys_lookup(0, IN_ALL));
	assert_null(keys_lookup(-1, IN_ALL));
}

static void test_names(void **state)
{
	static const struct {
		int key;
		const char *name;
	} wanted[] = {
		{'q', "q"},          {' ', "Space"},          {K_F(1), "F1"}, {K_F(10), "F10"},
		{K_F(24), "F24"},    {K_ENTER, "Enter"},      {K_ESC, "Esc"}, {K_TAB, "Tab"},
		{K_PAGE_UP, "PgUp"}, {K_CTRL('L'), "Ctrl-L"}, {0xe9, "?"},    {0x9b, "?"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		char name[KEY_NAME_MAX];

		keys_name(wanted[i].key, name);
		assert_string_equal(name, wanted[i].name);
	}
}

static void test_theme(void **state)
{
	(void)state;
	for (unsigned scheme = 0; scheme < theme_count() + 2; scheme++) {
		for (int s = 0; s < STYLE_COUNT; s++) {
			struct look eight = theme_look(scheme, 8, (enum style)s);
			struct look none = theme_look(scheme, 0, (enum style)s);

			assert_in_range(eight.fg + 1, 0, 8);
			assert_in_range(eight.bg + 1, 0, 8);
			assert_int_equal(none.fg, -1);
			assert_int_equal(none.bg, -1);
		}
	}
	/* Without colours the cursor and what is bad are still told apart. */
	assert_true(theme_look(theme_mono(), 0, STYLE_SELECTED).attrs & LOOK_REVERSE);
	assert_true(theme_look(theme_mono(), 0, STYLE_BAD).attrs != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_key_twice),
		cmocka_unit_test(test_documented),
		cmocka_unit_test(test_every_action_has_a_key),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_theme),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

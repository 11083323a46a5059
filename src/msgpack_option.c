/*
 * msgpack_option.c
 *		Arguments that are one of a few words.
 */
#include "msgpack.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

/* "a", "b", and "c" */
static char *
list_choices(const char *const *choices)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; choices[i] != NULL; i++)
	{
		if (i > 0)
			appendStringInfoString(&list, choices[i + 1] ? ", " : i > 1 ? ", and " : " and ");
		appendStringInfo(&list, "\"%s\"", choices[i]);
	}
	return list.data;
}

int
msgpack_option(const char *argument, const text *value, const char *const *choices)
{
	size_t		length = VARSIZE_ANY_EXHDR(value);

	for (int i = 0; choices[i] != NULL; i++)
		if (strlen(choices[i]) == length && memcmp(choices[i], VARDATA_ANY(value), length) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"%s\": \"%s\"", argument,
					text_to_cstring(value)),
			 errhint("Valid values are %s.", list_choices(choices))));
}

/*
 * msgpack_path.h
 *		jsonpath over MessagePack: what the files of the engine share.
 *
 * The server's own jsonpath value is read once into a tree of nodes
 * (msgpack_path_compile.c).  A walk takes the tree over a document
 * (msgpack_path_exec.c): each node gets an item, does its part, and hands what
 * comes of it to the next node or, at the end, to a list.  Nothing of the
 * document is converted: an item is a view of its bytes, and what is found
 * comes out as what it is.
 *
 * Modes and errors are the server's.  A walk without a list asks only whether
 * anything is found and stops at the first.  An error that jsonpath can
 * suppress is raised or, in a silent walk and in predicates, is the result
 * MSGPACK_PATH_ERROR.
 */
#ifndef MSGPACK_PATH_H
#define MSGPACK_PATH_H

#include "msgpack_fetch.h"
#include "msgpack_path_compat.h"

/* --- items --- */

typedef enum msgpack_item_form
{
	MSGPACK_ITEM_VALUE,			/* a MessagePack value */
	MSGPACK_ITEM_NUMERIC,		/* a number out of the path or out of arithmetic */
	MSGPACK_ITEM_DATETIME		/* a date, time or timestamp that a method made of a string */
} msgpack_item_form;

/* What jsonpath works on. */
typedef struct msgpack_item
{
	msgpack_item_form form;

	/*
	 * The value, when the form is that.  One that lies in a document has a
	 * start, a computed one (a scalar) has none.  Of a numeric with "exact" it
	 * is the same number.
	 */
	mpk_value	value;
	union
	{
		struct
		{
			Numeric		number;
			bool		exact;	/* "value" is the equal MessagePack number */
		}			numeric;
		struct
		{
			Datum		value;
			Oid			type;
			int32		typmod;
			int			zone;	/* seconds west of UTC, for output */
		}			datetime;
	}			as;
} msgpack_item;

/* The types that jsonpath tells apart when it compares. */
typedef enum msgpack_item_type
{
	MSGPACK_TYPE_NULL,
	MSGPACK_TYPE_BOOLEAN,
	MSGPACK_TYPE_NUMBER,
	MSGPACK_TYPE_STRING,
	MSGPACK_TYPE_BINARY,
	MSGPACK_TYPE_DATETIME,
	MSGPACK_TYPE_EXT,
	MSGPACK_TYPE_CONTAINER
} msgpack_item_type;

extern msgpack_item_type msgpack_item_type_of(const msgpack_item *item);

static inline bool
msgpack_item_is(const msgpack_item *item, mpk_kind kind)
{
	return item->form == MSGPACK_ITEM_VALUE && item->value.kind == kind;
}

static inline bool
msgpack_item_is_number(const msgpack_item *item)
{
	return item->form == MSGPACK_ITEM_NUMERIC ||
		(item->form == MSGPACK_ITEM_VALUE && mpk_is_number(item->value.kind));
}

/* Computed items. */
extern void msgpack_item_set_nil(msgpack_item *item);
extern void msgpack_item_set_boolean(msgpack_item *item, bool v);
extern void msgpack_item_set_integer(msgpack_item *item, int64 v);
extern void msgpack_item_set_numeric(msgpack_item *item, Numeric v);
extern void msgpack_item_set_string(msgpack_item *item, const uint8 *utf8, size_t length);
extern void msgpack_item_set_text(msgpack_item *item, const text *t);	/* server's encoding */

/* A number as numeric: an integer of scale 0, a float by its shortest digits. */
extern Numeric msgpack_item_numeric(const msgpack_item *item);

/* The number's integer, if it is one that an int64 holds. */
extern bool msgpack_item_integer(const msgpack_item *item, int64 *v);

/*
 * A string in the server's encoding, with a NUL after it.  NULL when it is no
 * text: not UTF-8, or with a NUL or a character in it that the server's encoding
 * lacks.
 */
extern char *msgpack_item_cstring(const msgpack_item *item, size_t *length);

/* Append the item's MessagePack bytes. */
extern void msgpack_item_write(mpk_writer *writer, const msgpack_item *item);

/* What .type() says. */
extern const char *msgpack_item_type_name(const msgpack_item *item);

/*
 * Items in the order found.  The first lie in the struct itself, which is not
 * to be copied.  A list that is a literal alone borrows it, and has room 1.
 */
#define MSGPACK_ITEMS_INLINED	2

typedef struct msgpack_items
{
	msgpack_item *items;
	int			count;
	int			room;
	msgpack_item inlined[MSGPACK_ITEMS_INLINED];
} msgpack_items;

static inline void
msgpack_items_init(msgpack_items *list)
{
	list->items = list->inlined;
	list->count = 0;
	list->room = MSGPACK_ITEMS_INLINED;
}

extern void msgpack_items_grow(msgpack_items *list);

static inline void
msgpack_items_append(msgpack_items *list, const msgpack_item *item)
{
	if (unlikely(list->count == list->room))
		msgpack_items_grow(list);
	list->items[list->count++] = *item;
}

static inline void
msgpack_items_free(msgpack_items *list)
{
	if (list->room > MSGPACK_ITEMS_INLINED)
		pfree(list->items);
}

/* --- the path --- */

typedef struct msgpack_node msgpack_node;
typedef struct msgpack_walk msgpack_walk;

typedef enum msgpack_path_result
{
	MSGPACK_PATH_OK,			/* found something */
	MSGPACK_PATH_NONE,
	MSGPACK_PATH_ERROR
} msgpack_path_result;

typedef enum msgpack_path_bool
{
	MSGPACK_PATH_FALSE,
	MSGPACK_PATH_TRUE,
	MSGPACK_PATH_UNKNOWN
} msgpack_path_bool;

/* What a node does with an item; "unwrap" says whether it takes an array for its elements. */
typedef msgpack_path_result (*msgpack_node_function) (msgpack_walk *walk, const msgpack_node *node,
													  const msgpack_item *item,
													  msgpack_items *found, bool unwrap);

typedef struct msgpack_subscript
{
	msgpack_node *from;
	msgpack_node *to;			/* NULL: no range */
} msgpack_subscript;

struct msgpack_node
{
	JsonPathItemType type;
	bool		unwraps;		/* in lax mode, given an array, it takes the elements */
	bool		is_step;		/* a key, or one constant subscript: "step" is set */
	msgpack_node_function function;
	msgpack_node *next;
	msgpack_node *left;			/* the only operand, or method's argument, too */
	msgpack_node *right;
	mpk_step	step;			/* a key's, a variable's name's, or a subscript's */
	msgpack_item literal;		/* null, boolean, number, string */
	uint32		first;			/* .**{first to last} */
	uint32		last;
	int			subscript_count;
	msgpack_subscript *subscripts;
	text	   *pattern;		/* like_regex, in the server's encoding */
	int			regex_flags;
};

typedef struct msgpack_jsonpath
{
	bool		lax;
	bool		has_variables;
	msgpack_node *root;
} msgpack_jsonpath;

/* Read a jsonpath value, which must live as long as the tree; made in the current context. */
extern msgpack_jsonpath *msgpack_path_compile(JsonPath *path);

/* --- the walk --- */

/* What .keyvalue() counts objects' places from. */
typedef struct msgpack_path_base
{
	const uint8 *start;
	int64		id;				/* of start */
} msgpack_path_base;

/* How far a map has been read in search of a key: whoever is to pass it goes on from there. */
typedef struct msgpack_path_trail
{
	const uint8 *map;			/* its type byte */
	const uint8 *reached;
	uint64		left;			/* values, keys among them, from there to its end */
} msgpack_path_trail;

struct msgpack_walk
{
	mpk_cursor *cursor;			/* on the document, which repeats no keys */
	mpk_spot	root;
	const mpk_document *vars;	/* NULL: none are given */
	const msgpack_item *current;	/* @ */
	msgpack_path_base base;
	msgpack_path_trail trail;
	int64		next_base;		/* for generated objects */
	int64		array_size;		/* of the array that is being subscripted; -1 outside */
	bool		lax;
	bool		lenient;		/* structural errors are none, here */
	bool		raise;			/* errors that jsonpath can suppress are raised */
	bool		use_tz;
};

/* Raise, or return, an error that jsonpath can suppress. */
#define MSGPACK_PATH_FAIL(walk, ...) \
	do { \
		if ((walk)->raise) \
			ereport(ERROR, (__VA_ARGS__)); \
		return MSGPACK_PATH_ERROR; \
	} while (0)

/*
 * Walk a path over the document under a cursor, which repeats no keys, from
 * walk->cursor, vars, raise and use_tz; the rest is set here.  What is found
 * points into the cursor's and the variables' bytes.
 */
extern msgpack_path_result msgpack_path_walk(msgpack_walk *walk, const msgpack_jsonpath *path,
											 msgpack_items *found);

/* Do a node's part, and that of all after it. */
extern msgpack_path_result msgpack_path_run(msgpack_walk *walk, const msgpack_node *node,
											const msgpack_item *item, msgpack_items *found,
											bool unwrap);

/* Hand an item on: to the node after this one or to the list. */
static inline msgpack_path_result
msgpack_path_next(msgpack_walk *walk, const msgpack_node *node, const msgpack_item *item,
				  msgpack_items *found)
{
	if (node->next != NULL)
		return msgpack_path_run(walk, node->next, item, found, walk->lax);
	if (found != NULL)
		msgpack_items_append(found, item);
	return MSGPACK_PATH_OK;
}

/*
 * The items of an operand; in lax mode, with "unwrap", arrays among them are
 * replaced by their elements.
 */
extern msgpack_path_result msgpack_path_operand(msgpack_walk *walk, const msgpack_node *node,
												const msgpack_item *item, bool unwrap,
												msgpack_items *found);

/* Evaluate a predicate. */
extern msgpack_path_bool msgpack_path_predicate(msgpack_walk *walk, const msgpack_node *node,
												const msgpack_item *item);

/* Compare two items: type is jpiEqual and so on. */
extern msgpack_path_bool msgpack_path_compare(const msgpack_walk *walk, JsonPathItemType type,
											  const msgpack_item *a, const msgpack_item *b);

/*
 * Order of two datetimes (MessagePack timestamps too), false when their types
 * cannot be compared.  Raises 0A000 where that takes the time zone and the walk
 * is not to use it.
 */
extern bool msgpack_path_compare_datetimes(const msgpack_walk *walk, const msgpack_item *a,
										   const msgpack_item *b, int *order);

/* Raise 0A000 when a conversion needs the time zone and the walk is not to use it. */
extern void msgpack_path_check_zone(const msgpack_walk *walk, const char *from, const char *to);

/* The name of a datetime's type. */
extern const char *msgpack_path_datetime_name(Oid type);

/* --- what nodes do, by file --- */

#define MSGPACK_NODE_FUNCTION(name) \
	extern msgpack_path_result name(msgpack_walk *walk, const msgpack_node *node, \
									const msgpack_item *item, msgpack_items *found, bool unwrap)

/* msgpack_path_exec.c */
MSGPACK_NODE_FUNCTION(msgpack_path_root);
MSGPACK_NODE_FUNCTION(msgpack_path_current);
MSGPACK_NODE_FUNCTION(msgpack_path_key);
MSGPACK_NODE_FUNCTION(msgpack_path_any_key);
MSGPACK_NODE_FUNCTION(msgpack_path_any_array);
MSGPACK_NODE_FUNCTION(msgpack_path_any);
MSGPACK_NODE_FUNCTION(msgpack_path_subscripts);
MSGPACK_NODE_FUNCTION(msgpack_path_last);
MSGPACK_NODE_FUNCTION(msgpack_path_filter);
MSGPACK_NODE_FUNCTION(msgpack_path_literal);
MSGPACK_NODE_FUNCTION(msgpack_path_variable);

/* msgpack_path_predicate.c */
MSGPACK_NODE_FUNCTION(msgpack_path_boolean);

/* msgpack_path_arithmetic.c */
MSGPACK_NODE_FUNCTION(msgpack_path_binary);
MSGPACK_NODE_FUNCTION(msgpack_path_unary);
MSGPACK_NODE_FUNCTION(msgpack_path_rounding);

/* msgpack_path_methods.c */
MSGPACK_NODE_FUNCTION(msgpack_path_type);
MSGPACK_NODE_FUNCTION(msgpack_path_size);
MSGPACK_NODE_FUNCTION(msgpack_path_double);
MSGPACK_NODE_FUNCTION(msgpack_path_keyvalue);

/* msgpack_path_datetime.c */
MSGPACK_NODE_FUNCTION(msgpack_path_datetime);

/* msgpack_path_convert.c: from PostgreSQL 17 on */
MSGPACK_NODE_FUNCTION(msgpack_path_to_integer);
MSGPACK_NODE_FUNCTION(msgpack_path_to_boolean);
MSGPACK_NODE_FUNCTION(msgpack_path_to_number);
MSGPACK_NODE_FUNCTION(msgpack_path_to_string);

/* msgpack_path_string.c: from PostgreSQL 19 on */
MSGPACK_NODE_FUNCTION(msgpack_path_string_method);

#endif							/* MSGPACK_PATH_H */

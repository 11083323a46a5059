/*
 * msgpack_path_gin.c
 *		What a GIN index can say of a jsonpath.
 *
 * What can be looked up is an equality of a path and a scalar: in a filter,
 * in exists(), or by itself after @@; such conditions joined by && and ||.
 * Of msgpack_ops each asks for the path's keys and for the scalar, of
 * msgpack_path_ops for the scalar under the path.  A key step may lead to a
 * str, a bin or an integer key, so it asks for any of them.
 */
#include "msgpack_path_gin.h"

#include "miscadmin.h"

/* More ways than this to spell a path's keys are not looked up. */
#define MAX_SPELLINGS	128

typedef enum query_type
{
	QUERY_TERM,
	QUERY_AND,
	QUERY_OR
} query_type;

struct msgpack_path_query
{
	query_type	type;
	uint64		term;
	int			place;			/* of the term among those that were appended */
	msgpack_path_query *left;	/* a junction's operands */
	msgpack_path_query *right;
};

/* The keys that lead to a value, the last one first; NULL: the root. */
typedef struct location
{
	const struct location *parent;
	const msgpack_node *key;
} location;

static msgpack_path_query *extract_predicate(bool of_paths, const location *current,
											 const msgpack_node *node, bool negated);

/* --- making queries --- */

static msgpack_path_query *
make_term(uint64 term)
{
	msgpack_path_query *query = palloc0(sizeof(msgpack_path_query));

	query->type = QUERY_TERM;
	query->term = term;
	return query;
}

/* Both, or either; a missing operand stands for "anything". */
static msgpack_path_query *
join(query_type type, msgpack_path_query *left, msgpack_path_query *right)
{
	msgpack_path_query *query;

	if (left == NULL || right == NULL)
		return type == QUERY_OR ? NULL : left != NULL ? left : right;
	query = palloc0(sizeof(msgpack_path_query));
	query->type = type;
	query->left = left;
	query->right = right;
	return query;
}

static msgpack_path_query *
any_of(const uint64 *terms, int count)
{
	msgpack_path_query *query = make_term(terms[0]);

	for (int i = 1; i < count; i++)
		query = join(QUERY_OR, query, make_term(terms[i]));
	return query;
}

/* --- equalities --- */

/* The literal as what documents hold; NULL when it is none, or a number that no document holds. */
static const mpk_value *
scalar_of(const msgpack_node *node)
{
	if (node->function != msgpack_path_literal || node->next != NULL)
		return NULL;
	if (node->literal.form == MSGPACK_ITEM_NUMERIC && !node->literal.as.numeric.exact)
		return NULL;
	return &node->literal.value;
}

static msgpack_path_query *
equality_of_entries(const location *place, const mpk_value *scalar)
{
	uint64		terms[Max(MPK_KEY_TERMS, MPK_SCALAR_TERMS)];
	int			count = mpk_terms_of_scalar(terms, scalar);
	msgpack_path_query *query = any_of(terms, count);

	for (; place != NULL; place = place->parent)
	{
		count = mpk_terms_of_key(terms, place->key->step.key.body, place->key->step.key.length);
		query = join(QUERY_AND, any_of(terms, count), query);
	}
	return query;
}

/* All that a path can be in a document; 0 when there are too many ways. */
static int
spell(const location *place, uint64 *paths)
{
	uint64		hashes[MPK_KEY_TERMS];
	int			parents;
	int			count;

	check_stack_depth();
	if (place == NULL)
	{
		paths[0] = mpk_path_root();
		return 1;
	}
	parents = spell(place->parent, paths);
	count = mpk_hashes_of_key(hashes, place->key->step.key.body, place->key->step.key.length);
	if (parents * count > MAX_SPELLINGS)
		return 0;
	for (int i = parents - 1; i >= 0; i--)
	{
		uint64		parent = paths[i];

		for (int j = 0; j < count; j++)
			paths[i + j * parents] = mpk_path_under(parent, hashes[j]);
	}
	return parents * count;
}

static msgpack_path_query *
equality_of_paths(const location *place, const mpk_value *scalar)
{
	uint64		terms[MAX_SPELLINGS];
	int			count = spell(place, terms);

	for (int i = 0; i < count; i++)
		terms[i] = mpk_path_term(terms[i], scalar);
	return count == 0 ? NULL : any_of(terms, count);
}

/* --- paths --- */

/*
 * What a path asks for that is to equal a scalar or, when that is NULL, to
 * exist: then its filters are all that can be looked up.
 */
static msgpack_path_query *
extract_path(bool of_paths, const location *current, const msgpack_node *node,
			 const mpk_value *scalar)
{
	const location *place = current;
	msgpack_path_query *query = NULL;

	for (; node != NULL; node = node->next)
	{
		location   *under;

		switch (node->type)
		{
			case jpiRoot:
				place = NULL;
				break;
			case jpiCurrent:
			case jpiAnyArray:
			case jpiIndexArray:
				break;
			case jpiKey:
				under = palloc(sizeof(location));
				under->parent = place;
				under->key = node;
				place = under;
				break;
			case jpiFilter:
				query = join(QUERY_AND, query, extract_predicate(of_paths, place, node->left, false));
				break;
			case jpiAny:
			case jpiAnyKey:
				/* keys that are not known are missing in a path, but not among entries */
				if (of_paths)
					return query;
				break;
			default:
				/* what follows is no value of the document */
				return query;
		}
	}
	if (scalar == NULL)
		return query;
	return join(QUERY_AND, query, of_paths ? equality_of_paths(place, scalar)
				: equality_of_entries(place, scalar));
}

static msgpack_path_query *
extract_equality(bool of_paths, const location *current, const msgpack_node *node)
{
	const mpk_value *scalar = scalar_of(node->right);

	if (scalar != NULL)
		return extract_path(of_paths, current, node->left, scalar);
	scalar = scalar_of(node->left);
	return scalar == NULL ? NULL : extract_path(of_paths, current, node->right, scalar);
}

/*
 * What must hold for a predicate (or, negated, its opposite) to be true.  A
 * negated equality or existence holds of documents that the index cannot name.
 */
static msgpack_path_query *
extract_predicate(bool of_paths, const location *current, const msgpack_node *node,
				  bool negated)
{
	check_stack_depth();
	/* what a method makes of a predicate's value may be anything */
	if (node->next != NULL)
		return NULL;
	switch (node->type)
	{
		case jpiAnd:
		case jpiOr:
			return join((node->type == jpiAnd) != negated ? QUERY_AND : QUERY_OR,
						extract_predicate(of_paths, current, node->left, negated),
						extract_predicate(of_paths, current, node->right, negated));
		case jpiNot:
			return extract_predicate(of_paths, current, node->left, !negated);
		case jpiExists:
			return negated ? NULL : extract_path(of_paths, current, node->left, NULL);
		case jpiEqual:
			return negated ? NULL : extract_equality(of_paths, current, node);
		default:
			return NULL;
	}
}

/* --- the query --- */

static void
append_terms(msgpack_path_query *query, mpk_terms *terms)
{
	check_stack_depth();
	if (query->type == QUERY_TERM)
	{
		query->place = (int) terms->count;
		mpk_terms_append(terms, query->term);
		return;
	}
	append_terms(query->left, terms);
	append_terms(query->right, terms);
}

msgpack_path_query *
msgpack_path_extract(const msgpack_jsonpath *path, bool predicate, bool of_paths,
					 mpk_terms *terms)
{
	msgpack_path_query *query = predicate ? extract_predicate(of_paths, NULL, path->root, false)
		: extract_path(of_paths, NULL, path->root, NULL);

	if (query != NULL)
		append_terms(query, terms);
	return query;
}

bool
msgpack_path_may_match(const msgpack_path_query *query, const GinTernaryValue *check)
{
	check_stack_depth();
	switch (query->type)
	{
		case QUERY_AND:
			return msgpack_path_may_match(query->left, check) &&
				msgpack_path_may_match(query->right, check);
		case QUERY_OR:
			return msgpack_path_may_match(query->left, check) ||
				msgpack_path_may_match(query->right, check);
		default:
			return check[query->place] != GIN_FALSE;
	}
}

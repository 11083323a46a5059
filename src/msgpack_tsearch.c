/*
 * msgpack_tsearch.c
 *		Text search: to_tsvector and ts_headline over the strings of a document.
 *
 * Binaries, timestamps and exts are no text and are passed over, and so are
 * keys that are containers.
 */
#include "msgpack.h"

#include "commands/defrem.h"
#include "tsearch/ts_cache.h"
#include "tsearch/ts_utils.h"
#include "utils/builtins.h"

/* ----- walking ----- */

/* Values in document order; a container comes before what is in it. */
typedef struct walk
{
	const uint8 *at;
	const uint8 *end;
	int			depth;			/* open containers */
	struct
	{
		uint64		left;		/* elements, or keys and values, still to come */
		bool		is_map;
	}			levels[MPK_MAX_DEPTH];
} walk;

static void
walk_begin(walk *walk, const mpk_document *document)
{
	walk->at = document->payload;
	walk->end = document->payload + document->length;
	walk->depth = 0;
}

/* The next value, and whether it is a key, inside of which is not walked.  False at the end. */
static bool
walk_next(walk *walk, mpk_value *value, bool *is_key)
{
	if (walk->at == walk->end)
		return false;
	CHECK_FOR_INTERRUPTS();
	while (walk->depth > 0 && walk->levels[walk->depth - 1].left == 0)
		walk->depth--;
	*is_key = false;
	if (walk->depth > 0)
	{
		*is_key = walk->levels[walk->depth - 1].is_map &&
			walk->levels[walk->depth - 1].left % 2 == 0;
		walk->levels[walk->depth - 1].left--;
	}

	walk->at = mpk_read(walk->at, value);
	if (!mpk_is_container(value->kind))
		return true;
	if (*is_key)
		walk->at = mpk_skip(value->start);
	else
	{
		walk->levels[walk->depth].is_map = value->kind == MPK_MAP;
		walk->levels[walk->depth].left =
			value->kind == MPK_MAP ? 2 * (uint64) value->length : value->length;
		walk->depth++;
	}
	return true;
}

/* ----- to_tsvector ----- */

/* What of a document is indexed. */
#define FILTER_STRING	0x01
#define FILTER_NUMERIC	0x02
#define FILTER_BOOLEAN	0x04
#define FILTER_KEY		0x08
#define FILTER_ALL		0x0f

static unsigned
filter_flag(const mpk_value *name)
{
	static const struct
	{
		const char *name;
		unsigned	flag;
	}			flags[] = {
		{"string", FILTER_STRING},
		{"numeric", FILTER_NUMERIC},
		{"boolean", FILTER_BOOLEAN},
		{"key", FILTER_KEY},
		{"all", FILTER_ALL},
	};
	char	   *wanted;

	if (name->kind != MPK_STR)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("flag array element is not a string"),
				 errhint("Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", "
						 "and \"all\".")));
	wanted = text_to_cstring(msgpack_text_from_utf8(name->body, name->length));
	for (int i = 0; i < (int) lengthof(flags); i++)
	{
		if (pg_strcasecmp(wanted, flags[i].name) == 0)
			return flags[i].flag;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("wrong flag in flag array: \"%s\"", wanted),
			 errhint("Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", "
					 "and \"all\".")));
	return 0;
}

/* A flag's name, or an array of such names. */
static unsigned
read_filter(const mpk_document *document)
{
	mpk_value	value;
	const uint8 *at = mpk_read(document->payload, &value);
	uint32		count;
	unsigned	filter = 0;

	if (value.kind == MPK_MAP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong flag type, only arrays and scalars are allowed")));
	if (value.kind != MPK_ARRAY)
		return filter_flag(&value);
	count = value.length;
	for (uint32 i = 0; i < count; i++)
	{
		at = mpk_read(at, &value);
		filter |= filter_flag(&value);
	}
	return filter;
}

static bool
is_indexed(const mpk_value *value, bool is_key, unsigned filter)
{
	if (is_key)
		return (filter & FILTER_KEY) != 0 &&
			(value->kind == MPK_STR || mpk_is_number(value->kind));
	if (value->kind == MPK_STR)
		return (filter & FILTER_STRING) != 0;
	if (mpk_is_number(value->kind))
		return (filter & FILTER_NUMERIC) != 0;
	return value->kind == MPK_BOOLEAN && (filter & FILTER_BOOLEAN) != 0;
}

/*
 * The server keeps the words of a text in a table that doubles, and has an
 * internal error where that passes one allocation: jsonb's functions show it.
 */
static void
refuse_words(int room, Size size, MemoryContext context)
{
	if (AllocSizeIsValid(room * size))
		return;
	MemoryContextSwitchTo(context);
	FlushErrorState();
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many words for text search")));
}

static void
parse_words(Oid configuration, ParsedText *parsed, text *text)
{
	MemoryContext context = CurrentMemoryContext;

	msgpack_check_wide(VARSIZE_ANY_EXHDR(text), "text search");
	PG_TRY();
	{
		parsetext(configuration, parsed, VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
	}
	PG_CATCH();
	{
		refuse_words(parsed->lenwords, sizeof(ParsedWord), context);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

static TSVector
make_tsvector_of(Oid configuration, const mpk_document *document, unsigned filter)
{
	ParsedText	parsed = {0};
	walk		walk;
	mpk_value	value;
	bool		is_key;

	parsed.lenwords = 16;
	parsed.words = palloc(sizeof(ParsedWord) * parsed.lenwords);
	walk_begin(&walk, document);
	while (walk_next(&walk, &value, &is_key))
	{
		int			words = parsed.curwords;
		text	   *text;

		if (!is_indexed(&value, is_key, filter))
			continue;
		text = msgpack_value_text(&value, document->flags);
		parse_words(configuration, &parsed, text);
		pfree(text);
		/* a phrase does not go on from one value to the next */
		if (parsed.curwords > words)
			parsed.pos++;
	}
	return make_tsvector(&parsed);
}

PG_FUNCTION_INFO_V1(msgpack_string_to_tsvector_byid);

Datum
msgpack_string_to_tsvector_byid(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(1);

	PG_RETURN_TSVECTOR(make_tsvector_of(PG_GETARG_OID(0), &document, FILTER_STRING));
}

PG_FUNCTION_INFO_V1(msgpack_string_to_tsvector);

Datum
msgpack_string_to_tsvector(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);

	PG_RETURN_TSVECTOR(make_tsvector_of(getTSCurrentConfig(true), &document, FILTER_STRING));
}

PG_FUNCTION_INFO_V1(msgpack_to_tsvector_byid);

Datum
msgpack_to_tsvector_byid(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(1);
	mpk_document filter = PG_GETARG_MSGPACK(2);

	PG_RETURN_TSVECTOR(make_tsvector_of(PG_GETARG_OID(0), &document, read_filter(&filter)));
}

PG_FUNCTION_INFO_V1(msgpack_to_tsvector);

Datum
msgpack_to_tsvector(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);
	mpk_document filter = PG_GETARG_MSGPACK(1);

	PG_RETURN_TSVECTOR(make_tsvector_of(getTSCurrentConfig(true), &document,
										read_filter(&filter)));
}

/* ----- ts_headline ----- */

typedef struct headliner
{
	TSConfigCacheEntry *configuration;
	TSParserCacheEntry *parser;
	TSQuery		query;
	List	   *options;
	HeadlineParsedText parsed;
} headliner;

static void
headliner_init(headliner *headliner, Oid configuration, TSQuery query, text *options)
{
	memset(headliner, 0, sizeof(*headliner));
	headliner->configuration = lookup_ts_config_cache(configuration);
	headliner->parser = lookup_ts_parser_cache(headliner->configuration->prsId);
	headliner->query = query;
	headliner->options = options != NULL ? deserialize_deflist(PointerGetDatum(options)) : NIL;
	headliner->parsed.lenwords = 32;
	headliner->parsed.words = palloc(sizeof(HeadlineWordEntry) * headliner->parsed.lenwords);

	if (!OidIsValid(headliner->parser->headlineOid))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("text search parser does not support headline creation")));
}

/* The words of a text, and which of them match, to headliner->parsed. */
static void
parse_headline(headliner *headliner, text *text)
{
	HeadlineParsedText *parsed = &headliner->parsed;
	MemoryContext context = CurrentMemoryContext;

	msgpack_check_wide(VARSIZE_ANY_EXHDR(text), "text search");
	parsed->curwords = 0;
	PG_TRY();
	{
		hlparsetext(headliner->configuration->cfgId, parsed, headliner->query,
					VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text));
	}
	PG_CATCH();
	{
		refuse_words(parsed->lenwords, sizeof(HeadlineWordEntry), context);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Write a str with the words that match marked. */
static void
write_headline(headliner *headliner, mpk_writer *writer, const mpk_value *value)
{
	text	   *whole = msgpack_text_from_utf8(value->body, value->length);
	text	   *headline;
	size_t		length;
	const uint8 *utf8;

	parse_headline(headliner, whole);
	FunctionCall3(&headliner->parser->prsheadline, PointerGetDatum(&headliner->parsed),
				  PointerGetDatum(headliner->options), PointerGetDatum(headliner->query));
	headline = generateHeadline(&headliner->parsed);
	utf8 = msgpack_utf8_from_text(VARDATA_ANY(headline), VARSIZE_ANY_EXHDR(headline), &length);
	mpk_write_str(writer, utf8, length);
	pfree(whole);
	pfree(headline);
}

/*
 * The document with a headline in place of each str that is no key; all else
 * byte for byte.  Its irregularities stay: keys are what they were, and a str
 * that is not UTF-8 raises an error.
 */
static Datum
headline_document(Oid configuration, const mpk_document *document, TSQuery query, text *options)
{
	headliner	headliner;
	mpk_writer	writer;
	walk		walk;
	mpk_value	value;
	bool		is_key;
	const uint8 *copied = document->payload;

	headliner_init(&headliner, configuration, query, options);
	mpk_writer_init(&writer, document->length);
	walk_begin(&walk, document);
	while (walk_next(&walk, &value, &is_key))
	{
		if (is_key || value.kind != MPK_STR)
			continue;
		mpk_write_raw(&writer, copied, value.start - copied);
		write_headline(&headliner, &writer, &value);
		copied = walk.at;
	}
	mpk_write_raw(&writer, copied, walk.end - copied);
	return msgpack_from_writer(&writer, document->flags & MPK_IRREGULAR);
}

PG_FUNCTION_INFO_V1(msgpack_headline_byid);

Datum
msgpack_headline_byid(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(1);
	text	   *options = PG_NARGS() > 3 ? PG_GETARG_TEXT_PP(3) : NULL;

	PG_RETURN_DATUM(headline_document(PG_GETARG_OID(0), &document, PG_GETARG_TSQUERY(2),
									  options));
}

PG_FUNCTION_INFO_V1(msgpack_headline);

Datum
msgpack_headline(PG_FUNCTION_ARGS)
{
	mpk_document document = PG_GETARG_MSGPACK(0);
	text	   *options = PG_NARGS() > 2 ? PG_GETARG_TEXT_PP(2) : NULL;

	PG_RETURN_DATUM(headline_document(getTSCurrentConfig(true), &document, PG_GETARG_TSQUERY(1),
									  options));
}

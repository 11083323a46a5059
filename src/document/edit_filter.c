/*
 * edit_filter.c
 *		Taking entries out of containers: by their keys, or because they are nil.
 */
#include "document/edit.h"

#include "document/pairs.h"

static void
write_head(mpk_writer *writer, const mpk_value *container, uint32 count)
{
	if (container->kind == MPK_MAP)
		mpk_write_map_head(writer, count);
	else
		mpk_write_array_head(writer, count);
}

/* ----------
 * By text
 * ----------
 */

/* A container whose entries are looked at by their keys; an array's elements are their own. */
typedef struct filter
{
	mpk_value	container;
	const uint8 **keys;
	const uint8 *end;			/* of the container */
	bool	   *drop;			/* which entries go */
	uint32		dropped;
	const mpk_step *texts;
	uint32		text_count;
	bool	   *resolved;		/* texts that have led to a key */
} filter;

static void
list_entries(filter *f, const uint8 *payload)
{
	const uint8 *p = mpk_read(payload, &f->container);
	size_t		count = f->container.length;

	f->keys = palloc_extended(Max(count, 1) * sizeof(uint8 *), MCXT_ALLOC_HUGE);
	f->drop = palloc_extended(Max(count, 1) * sizeof(bool), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (size_t i = 0; i < count; i++)
	{
		f->keys[i] = p;
		p = mpk_skip(p);
		if (f->container.kind == MPK_MAP)
			p = mpk_skip(p);
		MPK_CHECK_FOR_INTERRUPTS();
	}
	f->end = p;
}

/* A text as a key of this kind; false when it is none. */
static bool
write_text_as(mpk_writer *writer, const mpk_step *text, mpk_kind kind)
{
	if (kind == MPK_STR)
		mpk_write_str(writer, text->key.body, text->key.length);
	else if (kind == MPK_BIN)
		mpk_write_bin(writer, text->key.body, text->key.length);
	else if (!text->has_number)
		return false;
	else if (text->number.kind == MPK_UINT)
		mpk_write_uint(writer, text->number.as.u64);
	else
		mpk_write_int(writer, text->number.as.i64);
	return true;
}

/* Texts and keys of one kind, side by side, to find which are equal. */
typedef struct candidates
{
	mpk_writer	texts;			/* the texts as keys */
	uint32		count;
	uint32		text_count;		/* so many of them are texts */
	const uint8 **keys;
	uint32	   *from;			/* which text, or which entry, each is */
} candidates;

static void
list_texts(candidates *c, const filter *f, mpk_kind kind)
{
	uint32	   *places = palloc_extended(Max(f->text_count, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);

	mpk_writer_init(&c->texts, 0);
	for (uint32 i = 0; i < f->text_count; i++)
	{
		places[c->count] = (uint32) c->texts.length;
		if (!f->resolved[i] && write_text_as(&c->texts, &f->texts[i], kind))
			c->from[c->count++] = i;
	}
	c->text_count = c->count;
	for (uint32 i = 0; i < c->text_count; i++)
		c->keys[i] = mpk_writer_data(&c->texts) + places[i];
	pfree(places);
}

static bool
is_of_kind(const uint8 *p, mpk_kind kind)
{
	mpk_value	value;

	mpk_read(p, &value);
	return kind == MPK_UINT ? mpk_is_number(value.kind) : value.kind == kind;
}

/* Mark the entries whose key is of this kind and that a text leads to. */
static void
drop_by_kind(filter *f, mpk_kind kind)
{
	size_t		room = (size_t) f->text_count + f->container.length;
	candidates	c = {.count = 0};
	uint32	   *first = palloc_extended(Max(room, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);

	c.keys = palloc_extended(Max(room, 1) * sizeof(uint8 *), MCXT_ALLOC_HUGE);
	c.from = palloc_extended(Max(room, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	list_texts(&c, f, kind);
	for (uint32 i = 0; i < f->container.length; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (!is_of_kind(f->keys[i], kind))
			continue;
		c.keys[c.count] = f->keys[i];
		c.from[c.count++] = i;
	}
	if (c.text_count > 0 && c.count > c.text_count)
		mpk_keys_first(c.keys, c.count, 0, first);
	else
		c.count = c.text_count;
	for (uint32 i = c.text_count; i < c.count; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (first[i] >= c.text_count)
			continue;
		f->drop[c.from[i]] = true;
		f->dropped++;
		f->resolved[c.from[first[i]]] = true;
	}
	pfree(c.texts.buffer);
	pfree(c.keys);
	pfree(c.from);
	pfree(first);
}

/* Write the container without what is marked. */
static void
write_kept(mpk_writer *writer, const filter *f)
{
	uint32		count = f->container.length;
	const uint8 *start = NULL;	/* of a run of entries that stay */

	write_head(writer, &f->container, count - f->dropped);
	for (uint32 i = 0; i < count; i++)
	{
		MPK_CHECK_FOR_INTERRUPTS_AT(i);
		if (f->drop[i] && start != NULL)
		{
			mpk_write_span(writer, start, f->keys[i]);
			start = NULL;
		}
		else if (!f->drop[i] && start == NULL)
			start = f->keys[i];
	}
	if (start != NULL)
		mpk_write_span(writer, start, f->end);
}

bool
mpk_delete_texts(mpk_writer *writer, const mpk_document *document, const mpk_step *texts,
				 uint32 count)
{
	filter		f = {.texts = texts,.text_count = count};

	list_entries(&f, document->payload);
	f.resolved = palloc_extended(Max(count, 1) * sizeof(bool), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	drop_by_kind(&f, MPK_STR);
	if (f.container.kind == MPK_MAP)
	{
		/* the key rule: a str key, else a bin key, else a number */
		drop_by_kind(&f, MPK_BIN);
		drop_by_kind(&f, MPK_UINT);
	}
	if (f.dropped > 0)
		write_kept(writer, &f);
	pfree(f.resolved);
	pfree(f.keys);
	pfree(f.drop);
	return f.dropped > 0;
}

/* ----------
 * What is nil
 * ----------
 */

typedef struct strip_frame
{
	uint32		number;			/* of the container, in the order in which they begin */
	uint32		left;			/* entries to come */
	bool		is_map;
} strip_frame;

/*
 * The document is walked twice: once to count, so that heads can be written
 * when they are met, and once to write.
 */
typedef struct stripper
{
	const uint8 *end;			/* of the document */
	bool		in_arrays;
	uint32	   *nils;			/* by container: entries that go */
	uint32		room;
	uint64		total;
	mpk_writer *writer;			/* NULL while counting */
	const uint8 *copied;		/* written up to here */
	uint32		containers;		/* begun in this walk */
	int			depth;
	strip_frame stack[MPK_MAX_DEPTH];
} stripper;

static void
grow_nils(stripper *s)
{
	uint32	   *more = palloc_extended((size_t) s->room * 2 * sizeof(uint32), MCXT_ALLOC_HUGE);

	memcpy(more, s->nils, s->room * sizeof(uint32));
	pfree(s->nils);
	s->nils = more;
	s->room *= 2;
}

static void
enter_container(stripper *s, const mpk_value *container)
{
	uint32		number = s->containers++;
	strip_frame *frame = &s->stack[s->depth++];

	frame->number = number;
	frame->left = container->length;
	frame->is_map = container->kind == MPK_MAP;
	if (s->writer == NULL)
	{
		if (number == s->room)
			grow_nils(s);
		s->nils[number] = 0;
	}
	else if (s->nils[number] > 0)
	{
		mpk_write_span(s->writer, s->copied, container->start);
		write_head(s->writer, container, container->length - s->nils[number]);
		s->copied = container->body;
	}
}

/* The entry [start, end) goes. */
static void
strip_entry(stripper *s, const strip_frame *frame, const uint8 *start, const uint8 *end)
{
	if (s->writer == NULL)
	{
		s->nils[frame->number]++;
		s->total++;
		return;
	}
	mpk_write_span(s->writer, s->copied, start);
	s->copied = end;
}

/* Walk one entry of the container at hand, as far as its value when that is a container. */
static const uint8 *
strip_step(stripper *s, const uint8 *p)
{
	strip_frame *frame = &s->stack[s->depth - 1];
	const uint8 *entry = p;
	mpk_value	value;

	frame->left--;
	if (frame->is_map)
		p = mpk_skip(p);
	if (*p == MPK_BYTE_NIL && (frame->is_map || s->in_arrays))
		strip_entry(s, frame, entry, p + 1);
	if (!mpk_begins_container(*p))
		return mpk_skip(p);
	p = mpk_read(p, &value);
	enter_container(s, &value);
	return p;
}

static void
strip_walk(stripper *s, const mpk_value *root)
{
	const uint8 *p = root->body;

	s->containers = 0;
	s->depth = 0;
	enter_container(s, root);
	for (;;)
	{
		MPK_CHECK_FOR_INTERRUPTS();
		while (s->depth > 0 && s->stack[s->depth - 1].left == 0)
			s->depth--;
		if (s->depth == 0)
			return;
		p = strip_step(s, p);
	}
}

bool
mpk_strip_nils(mpk_writer *writer, const mpk_document *document, bool in_arrays)
{
	stripper	s;
	mpk_value	root;

	mpk_read(document->payload, &root);
	if (!mpk_is_container(root.kind))
		return false;
	s.end = document->payload + document->length;
	s.in_arrays = in_arrays;
	s.room = 64;
	s.nils = palloc(s.room * sizeof(uint32));
	s.total = 0;
	s.writer = NULL;
	strip_walk(&s, &root);
	if (s.total > 0)
	{
		s.writer = writer;
		s.copied = document->payload;
		strip_walk(&s, &root);
		mpk_write_span(writer, s.copied, s.end);
	}
	pfree(s.nils);
	return s.total > 0;
}

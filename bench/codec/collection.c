/*
 * collection.c
 *		The codec benchmark: its documents, and what is asked of them.
 */
#include "codec.h"

#include "document/index.h"

/* Paths, by shape; where there is none, none is followed. */
static const struct
{
	const char *shape;
	int			length;
	name		steps[MAX_STEPS];
}			paths[] = {
	{"M", 3, {{"customer", 8}, {"address", 7}, {"city", 4}}},
	{"L2", 3, {{"records", 7}, {NULL, 75}, {"uid", 3}}},
};

static uint8 *
read_file(const char *file_name, size_t *length)
{
	FILE	   *file = fopen(file_name, "rb");
	uint8	   *data;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up(file_name, "cannot be read");
	*length = ftell(file);
	rewind(file);
	data = palloc(*length);
	if (fread(data, 1, *length, file) != *length)
		give_up(file_name, "cannot be read");
	fclose(file);
	return data;
}

static void
set_event(event *e, const mpk_value *value)
{
	e->kind = value->kind == MPK_TIMESTAMP ? MPK_EXT : value->kind;
	e->ext_code = 0;
	e->length = 0;
	e->as.u64 = 0;
	if (value->kind == MPK_BOOLEAN)
		e->as.boolean = value->as.boolean;
	else if (value->kind == MPK_FLOAT32)
		e->as.f32 = value->as.f32;
	else if (mpk_is_number(value->kind))
		e->as.u64 = value->as.u64;
	else if (value->kind >= MPK_STR)
	{
		e->length = value->length;
		if (!mpk_is_container(value->kind))
			e->as.bytes = value->body;
		if (e->kind == MPK_EXT)
			e->ext_code = value->ext_code;
	}
}

/* Take the document apart. */
static void
set_events(collection *c, document *d, event *events)
{
	const uint8 *p = d->data;

	d->events = events;
	d->event_count = 0;
	while (p < d->data + d->length)
	{
		mpk_value	value;

		p = mpk_read(p, &value);
		set_event(&events[d->event_count++], &value);
		c->has_ext |= value.kind == MPK_EXT || value.kind == MPK_TIMESTAMP;
	}
}

/* The bytes that a column keeps. */
static void
set_stored(document *d, unsigned flags)
{
	mpk_index	index;
	size_t		header;
	uint8	   *stored;

	mpk_index_build(&index, d->data, d->length, flags, NULL);
	header = mpk_stored_header_length(flags, index.length);
	stored = palloc(header + d->length);
	if (header > 0)
		mpk_stored_header_write(stored, flags, mpk_index_bytes(&index), index.length);
	memcpy(stored + header, d->data, d->length);
	mpk_index_free(&index);
	d->stored = stored;
	d->stored_length = header + d->length;
}

static void
set_step(mpk_step *step, const name *n)
{
	if (n->s == NULL)
		mpk_step_number(step, n->length);
	else
		mpk_step_text(step, MPK_STEP_FIELD, (const uint8 *) n->s, n->length);
}

/* The outermost map's first, middle and last key; all documents of a shape have the same. */
static void
set_keys(collection *c)
{
	mpk_value	map;
	mpk_value	key;
	const uint8 *p = mpk_read(c->documents[0].data, &map);

	if (map.kind != MPK_MAP || map.length == 0)
		give_up(c->shape, "the documents are no maps");
	for (uint32 i = 0; i < map.length; i++)
	{
		p = mpk_read(p, &key);
		for (int k = 0; k < KEYS - 1; k++)
		{
			if (i == k * (map.length - 1) / (KEYS - 2))
				c->keys[k] = (name) {(const char *) key.body, key.length};
		}
		p = mpk_skip(p);
	}
	c->keys[KEYS - 1] = (name) {"missing", 7};
	for (int k = 0; k < KEYS; k++)
		set_step(&c->key_steps[k], &c->keys[k]);
}

static void
set_path(collection *c)
{
	for (size_t i = 0; i < lengthof(paths); i++)
	{
		if (strcmp(paths[i].shape, c->shape) != 0)
			continue;
		c->path_length = paths[i].length;
		for (int j = 0; j < c->path_length; j++)
		{
			c->path[j] = paths[i].steps[j];
			set_step(&c->path_steps[j], &c->path[j]);
		}
	}
}

/* "folder/M.documents" holds shape M. */
static char *
shape_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	char	   *shape = pstrdup(slash != NULL ? slash + 1 : file);
	char	   *point = strchr(shape, '.');

	if (point != NULL)
		*point = '\0';
	return shape;
}

/* Tell the documents apart: each stands after its length in 4 bytes, big-endian. */
static void
split(collection *c, const uint8 *p, const uint8 *end)
{
	const uint8 *start = p;

	for (; p < end; p += 4 + mpk_load32(p))
		c->count++;
	c->documents = palloc(c->count * sizeof(document));
	p = start;
	for (int i = 0; i < c->count; i++)
	{
		document   *d = &c->documents[i];

		d->length = mpk_load32(p);
		d->data = p + 4;
		p += 4 + d->length;
		c->bytes += d->length;
	}
}

collection
load_collection(const char *file)
{
	collection	c;
	size_t		length;
	const uint8 *data = read_file(file, &length);
	event	   *events;

	memset(&c, 0, sizeof(c));
	c.shape = shape_of(file);
	split(&c, data, data + length);
	if (c.count == 0)
		give_up(file, "holds no documents");
	/* no value is shorter than a byte */
	events = palloc(c.bytes * sizeof(event));
	for (int i = 0; i < c.count; i++)
	{
		set_events(&c, &c.documents[i], events);
		events += c.documents[i].event_count;
		set_stored(&c.documents[i], 0);
	}
	set_keys(&c);
	set_path(&c);
	return c;
}

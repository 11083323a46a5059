/*
 * codec.c
 *		How fast is validation?  mpk_validate against libmsgpuck's mp_check.
 *
 *	codec FILE...
 *
 * Each file holds documents as bench/documents.py writes them: a length in 4
 * bytes, big-endian, then the document.  Every round takes all documents of a
 * file through both validators, in turn, the one that goes first changing from
 * round to round; the figures are medians over the rounds, the ratio that of
 * the rounds' own ratios, with the quartiles beside it.
 *
 * mp_check walks the structure only.  mpk_validate also checks depth, UTF-8
 * and that the keys of each map are distinct.
 */
#include "codec/validate.h"

#include <msgpuck.h>
#include <time.h>

#define ROUNDS			101
#define MAX_DOCUMENTS	100000

typedef struct document
{
	const uint8 *data;
	size_t		length;
} document;

typedef struct collection
{
	document   *documents;
	int			count;
	size_t		bytes;
} collection;

/* Nanoseconds of processor time for one walk over a whole collection. */
typedef double (*walk) (const collection *c);

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void
give_up(const char *name, const char *why)
{
	fprintf(stderr, "codec: %s: %s\n", name, why);
	exit(1);
}

/* The file's bytes, followed by nothing that could hide an overrun. */
static uint8 *
read_file(const char *name, size_t *length)
{
	FILE	   *file = fopen(name, "rb");
	uint8	   *data;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up(name, "cannot be read");
	*length = ftell(file);
	rewind(file);
	data = palloc(*length);
	if (fread(data, 1, *length, file) != *length)
		give_up(name, "cannot be read");
	fclose(file);
	return data;
}

static collection
load(const char *name)
{
	collection	c = {palloc(MAX_DOCUMENTS * sizeof(document)), 0, 0};
	size_t		length;
	const uint8 *p = read_file(name, &length);
	const uint8 *end = p + length;

	while (p < end && c.count < MAX_DOCUMENTS)
	{
		document   *d = &c.documents[c.count++];

		d->length = mpk_load32(p);
		d->data = p + 4;
		p += 4 + d->length;
		c.bytes += d->length;
	}
	return c;
}

static double
walk_mpk(const collection *c)
{
	double		start = now();

	for (int i = 0; i < c->count; i++)
	{
		unsigned	flags;
		mpk_error	error;

		if (!mpk_validate(c->documents[i].data, c->documents[i].length, &flags, &error) ||
			flags != 0)
			give_up("mpk_validate", "a document is not valid and regular");
	}
	return now() - start;
}

static double
walk_msgpuck(const collection *c)
{
	double		start = now();

	for (int i = 0; i < c->count; i++)
	{
		const char *p = (const char *) c->documents[i].data;
		const char *end = p + c->documents[i].length;

		if (mp_check(&p, end) != 0 || p != end)
			give_up("mp_check", "a document is not valid");
	}
	return now() - start;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The value below which this fraction of them lies; sorts them. */
static double
quantile(double *values, int count, double fraction)
{
	qsort(values, count, sizeof(double), compare_doubles);
	return values[(int) (fraction * (count - 1) + 0.5)];
}

static void
measure(const char *name)
{
	collection	c = load(name);
	double		ours[ROUNDS];
	double		theirs[ROUNDS];
	double		ratios[ROUNDS];

	if (c.count == 0)
		give_up(name, "holds no documents");
	/* a first walk of each brings the documents into memory */
	walk_mpk(&c);
	walk_msgpuck(&c);
	for (int i = 0; i < ROUNDS; i++)
	{
		if (i % 2 == 0)
			ours[i] = walk_mpk(&c);
		theirs[i] = walk_msgpuck(&c);
		if (i % 2 != 0)
			ours[i] = walk_mpk(&c);
		ratios[i] = ours[i] / theirs[i];
	}
	printf("%8zu %8d %12.1f %12.1f %8.0f %8.2f %6.2f - %.2f\n",
		   c.bytes / c.count, c.count,
		   quantile(ours, ROUNDS, 0.5) / c.count, quantile(theirs, ROUNDS, 0.5) / c.count,
		   c.bytes / quantile(ours, ROUNDS, 0.5) * 1e3,
		   quantile(ratios, ROUNDS, 0.5),
		   quantile(ratios, ROUNDS, 0.25), quantile(ratios, ROUNDS, 0.75));
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	printf("%8s %8s %12s %12s %8s %8s %13s\n", "bytes", "number",
		   "mpk, ns", "mp_check, ns", "MB/s", "ratio", "quartiles");
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return 0;
}

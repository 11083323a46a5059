/*
 * main.c
 *		How fast is the codec?  mpk beside msgpuck, mpack and msgpack-c.
 *
 *	codec [-r ROUNDS] [-o OPERATION,...] FILE...
 *
 * Each file holds documents as bench/documents.py writes them.  Every round
 * takes all documents of a file through an operation with each library in
 * turn, the one that goes first changing from round to round.  codec.h tells
 * what the operations are.
 *
 * Prints a line for each file, operation and library, its fields parted by
 * tabs: shape, mean bytes, number of documents, operation, library; the
 * nanoseconds of processor time for one document, as lower quartile, median
 * and upper quartile; and how many times as long mpk took, by the rounds' own
 * ratios, as lower quartile, median and upper quartile.
 */
#include "codec.h"

#include <time.h>
#include <unistd.h>

#define DEFAULT_ROUNDS	25
#define MAX_ROUNDS		1000
#define MAX_LIBRARIES	8

static const char *const operation_names[] = {
	"validate", "skip", "encode", "decode", "keys", "path"
};

static uint64 copy_documents(const collection *c);

/* The limit, for whatever reads or writes every byte of a document. */
static const entry copy_entries[] = {
	{VALIDATE, "memcpy", copy_documents},
	{ENCODE, "memcpy", copy_documents},
	{0, NULL, NULL}
};

/* mpk goes first: the others are compared with it. */
static const entry *const all_entries[] = {
	mpk_entries, msgpuck_entries, mpack_entries, msgpack_c_entries, copy_entries
};

/* One library's figures: nanoseconds for all documents, of each round. */
typedef struct series
{
	const entry *entry;
	double		times[MAX_ROUNDS];
} series;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

void
give_up(const char *what, const char *why)
{
	fprintf(stderr, "codec: %s: %s\n", what, why);
	exit(1);
}

static uint64
copy_documents(const collection *c)
{
	static uint8 *copy;
	static size_t capacity;
	uint64		sum = 0;

	for (int i = 0; i < c->count; i++)
	{
		const document *d = &c->documents[i];

		if (d->length > capacity)
			copy = palloc(capacity = d->length);
		memcpy(copy, d->data, d->length);
		sum += copy[d->length / 2];
	}
	return sum;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Print the quartiles of so many values, which it sorts. */
static void
print_quartiles(double *values, int count)
{
	qsort(values, count, sizeof(double), compare_doubles);
	for (int i = 1; i <= 3; i++)
		printf("\t%.4g", values[(int) (i * (count - 1) / 4.0 + 0.5)]);
}

static void
print_series(const collection *c, const series *mpk, const series *s, int rounds)
{
	double		times[MAX_ROUNDS];
	double		ratios[MAX_ROUNDS];

	for (int i = 0; i < rounds; i++)
	{
		times[i] = s->times[i] / c->count;
		ratios[i] = mpk->times[i] / s->times[i];
	}
	printf("%s\t%zu\t%d\t%s\t%s", c->shape, c->bytes / c->count, c->count,
		   operation_names[s->entry->kind], s->entry->library);
	print_quartiles(times, rounds);
	print_quartiles(ratios, rounds);
	printf("\n");
}

/* Do all libraries find the same? */
static void
check(collection *c, const series *all, int count)
{
	uint64		sum = all[0].entry->run(c);

	c->verify = true;
	for (int i = 0; i < count; i++)
	{
		const entry *e = all[i].entry;

		if (e->run(c) != sum && e->run != copy_documents)
			give_up(e->library, "finds something else than mpk");
	}
	c->verify = false;
	if (all[0].entry->kind == VALIDATE && sum != (uint64) c->count)
		give_up(c->shape, "a document is not valid and regular");
}

static void
measure(collection *c, operation_kind kind, int rounds)
{
	static series all[MAX_LIBRARIES];
	int			count = 0;

	for (size_t i = 0; i < lengthof(all_entries); i++)
	{
		for (const entry *e = all_entries[i]; e->library != NULL; e++)
		{
			if (e->kind == kind && e->run(c) != UNABLE)
				all[count++].entry = e;
		}
	}
	check(c, all, count);
	for (int round = 0; round < rounds; round++)
	{
		for (int i = 0; i < count; i++)
		{
			series	   *s = &all[(round + i) % count];
			double		start = now();

			s->entry->run(c);
			s->times[round] = now() - start;
		}
	}
	for (int i = 0; i < count; i++)
		print_series(c, &all[0], &all[i], rounds);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const char *operations = NULL;
	int			rounds = DEFAULT_ROUNDS;
	int			option;

	while ((option = getopt(argc, argv, "r:o:")) != -1)
	{
		if (option == 'r')
			rounds = Max(1, Min(MAX_ROUNDS, atoi(optarg)));
		else if (option == 'o')
			operations = optarg;
		else
			give_up("usage", "codec [-r ROUNDS] [-o OPERATION,...] FILE...");
	}
	for (int i = optind; i < argc; i++)
	{
		collection	c = load_collection(argv[i]);

		for (int kind = VALIDATE; kind <= FIND_PATH; kind++)
		{
			if ((operations == NULL || strstr(operations, operation_names[kind]) != NULL) &&
				(kind != FIND_PATH || c.path_length > 0))
				measure(&c, kind, rounds);
		}
	}
	return 0;
}

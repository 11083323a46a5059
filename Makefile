# mpk: MessagePack as a document type for PostgreSQL.
#
#   make                    build (PG_CONFIG=/path/to/pg_config for another server)
#   make install            install into that server
#   make installcheck       run the SQL tests against a running server
#   make frontend-check     compile the two lower layers without a server, run their C tests
#   make dist               the archives of a release, from git's HEAD, into build/dist
#   dev/test                everything

MODULE_big = mpk
EXTENSION = mpk
srcdir = .
DATA = $(notdir $(wildcard $(srcdir)/mpk--*.sql))
PGFILEDESC = "mpk - MessagePack as a document type"

CODEC_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/codec/*.c)))
DOCUMENT_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/document/*.c)))
SERVER_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/*.c)))
OBJS = $(SERVER_OBJS) $(CODEC_OBJS) $(DOCUMENT_OBJS)

# One pair of sql/ and expected/ files per topic; init, which creates the extension, goes first.
TOPICS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS = init $(filter-out init,$(TOPICS))

# The server's own headers as system headers: they do not hold -Wextra.
PG_CPPFLAGS = -I$(srcdir)/src -isystem $(shell $(PG_CONFIG) --includedir-server)
# Only the SQL functions and the module magic are exported (see src/compat.h).
PG_CFLAGS = -fvisibility=hidden

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)

# Without the clang that the server was built with, leave the JIT's bitcode out.
SERVER_CLANG := $(shell sed -n 's/^CLANG *= *//p' $(dir $(PGXS))../Makefile.global)
ifeq ($(shell command -v $(SERVER_CLANG) 2>/dev/null),)
override with_llvm = no
endif

include $(PGXS)

# PGXS follows no header dependencies: rebuild all when one of ours changes.
HEADERS_ALL = $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
$(OBJS): $(HEADERS_ALL)

# The two lower layers without a server, and the C tests that link them: each
# test/*_test.c is a program that prints "N passed, N failed".
FRONTEND = build/frontend
FRONTEND_OBJS = $(addprefix $(FRONTEND)/,$(CODEC_OBJS) $(DOCUMENT_OBJS))
FRONTEND_TESTS = $(patsubst test/%.c,$(FRONTEND)/%,$(sort $(wildcard test/*_test.c)))
# libpgcommon's own names for functions that libpq exports under others.
FRONTEND_COMPILE = $(CC) -DFRONTEND -DUSE_PRIVATE_ENCODING_FUNCS $(CPPFLAGS) $(filter-out $(CFLAGS_SL),$(CFLAGS))
FRONTEND_LIBS = -L$(pkglibdir) -L$(libdir) -lpgcommon -lpgport -lm

.PHONY: frontend frontend-check
frontend: $(FRONTEND_OBJS) $(FRONTEND_TESTS)

frontend-check: frontend
	@set -e; for program in $(FRONTEND_TESTS); do \
		echo "$$program"; $$program; \
	done

$(FRONTEND)/%.o: %.c $(HEADERS_ALL)
	@mkdir -p $(@D)
	$(FRONTEND_COMPILE) -c -o $@ $<

$(FRONTEND)/%_test: test/%_test.c $(FRONTEND_OBJS)
	@mkdir -p $(@D)
	$(FRONTEND_COMPILE) -o $@ $< $(FRONTEND_OBJS) $(LDFLAGS) $(FRONTEND_LIBS)

.PHONY: clean-frontend
clean-frontend:
	rm -rf $(FRONTEND)
clean: clean-frontend

# The archives that PGXN and packagers take.  The version stands in mpk.control; others want three numbers.
DIST_VERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" $(srcdir)/mpk.control).0
DIST_NAME = build/dist/$(EXTENSION)-$(DIST_VERSION)

.PHONY: dist
dist:
	@mkdir -p build/dist
	git archive --format=zip --prefix=$(EXTENSION)-$(DIST_VERSION)/ --output=$(DIST_NAME).zip HEAD
	git archive --format=tar.gz --prefix=$(EXTENSION)-$(DIST_VERSION)/ --output=$(DIST_NAME).tar.gz HEAD

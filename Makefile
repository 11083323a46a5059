# mpk: MessagePack as a document type for PostgreSQL.
#
#   make                    build (PG_CONFIG=/path/to/pg_config for another server)
#   make install            install into that server
#   make installcheck       run the SQL tests against a running server
#   make frontend-check     compile the two lower layers without a server, run their C tests

MODULE_big = mpk
EXTENSION = mpk
DATA = mpk--1.0.sql
PGFILEDESC = "mpk - MessagePack as a document type"

CODEC_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/codec/*.c)))
DOCUMENT_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/document/*.c)))
SERVER_OBJS = $(patsubst %.c,%.o,$(sort $(wildcard $(srcdir)/src/*.c)))
OBJS = $(SERVER_OBJS) $(CODEC_OBJS) $(DOCUMENT_OBJS)

# One pair of sql/ and expected/ files per topic; init creates the extension.
REGRESS = init access invalid binary

srcdir = .
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

# flamefold: build, demo, check, install. Everything that is made lies under build/.
#
#   make            build the tools (build/release/bin)
#   make demo       install what is missing, build, run flamefold on a real recording
#   make check      install what is missing, build, run all tests
#   make accuracy   merging against known truth
#   make check-browser   the pictures in a headless Chromium, if there is one
#   make bench      speed and memory against perf, written to docs/benchmarks.md
#   make install    PREFIX=/usr/local DESTDIR=
#
# SAN=1 (address and undefined behaviour sanitizers) and DEBUG=1 build in folders of their own.
# V=1 shows the commands. NO_INSTALL=1 only prints how to install what is missing.

VERSION = 0.1.0
PREFIX = /usr/local
DESTDIR =
CC = gcc
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wcast-qual \
       -Wwrite-strings -Wvla -Wundef
CONFIG = release
OPT = -O2 -g
ifdef DEBUG
CONFIG = debug
OPT = -O0 -g3
endif
ifdef SAN
CONFIG = san
OPT = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifdef CI
WARN += -Werror
endif
ifndef V
Q = @
endif

B = build/$(CONFIG)
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -DFF_VERSION='"$(VERSION)"' $(WARN) $(OPT) -Ilib -I$(B)/gen $(CFLAGS)
LIBS = -ldw -lelf -lzstd -lz -llzma -ljansson -lyajl -liberty -lpthread -lm

LIB_SOURCES = $(sort $(wildcard lib/*.c lib/*/*.c))
LIB_OBJECTS = $(LIB_SOURCES:%.c=$(B)/%.o) $(TEXT_OBJECTS)
TOOL_SHARED = tools/tool.c tools/options.c tools/settings.c tools/settings_perl.c
TOOLS = $(sort $(patsubst tools/%.c,%,$(filter-out $(TOOL_SHARED),$(wildcard tools/*.c))))
UNITS = $(sort $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c)))
UNWIND_DRIVER = tests/unwind/driver.c tests/unwind/process.c tests/unwind/step.c
# Texts that are compiled in: a file NAME.EXT becomes ff_text_NAME_EXT[] with its size.
TEXTS = lib/classify/default.rules
VIEWER = $(sort $(wildcard lib/draw/viewer/*.js))
TEXT_OBJECTS = $(TEXTS:%=$(B)/gen/%.o) $(B)/gen/viewer.js.o

all: $(TOOLS:%=$(B)/bin/%)

.SECONDARY:
.DELETE_ON_ERROR:

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(B)/gen/%.o: % scripts/embed.sh
	@mkdir -p $(@D)
	@echo "  TEXT  $<"
	$(Q)sh scripts/embed.sh $< > $(@:.o=.c)
	$(Q)$(CC) -std=c11 -c $(@:.o=.c) -o $@

# The viewer is one script of many files; comments and indents stay behind.
$(B)/gen/viewer.js: $(VIEWER) Makefile
	@mkdir -p $(@D)
	$(Q){ echo '// flamefold $(VERSION): SPDX-License-Identifier: MIT'; echo '(function () { "use strict";'; \
	    sed -e '/^ *\/\//d' -e 's/^ *//' -e '/^$$/d' $(VIEWER); echo 'start(document.currentScript); })();'; } > $@

$(B)/gen/viewer.js.o: $(B)/gen/viewer.js scripts/embed.sh
	@echo "  TEXT  $<"
	$(Q)sh scripts/embed.sh $< > $(@:.o=.c)
	$(Q)$(CC) -std=c11 -c $(@:.o=.c) -o $@

$(B)/libflamefold.a: $(LIB_OBJECTS)
	@echo "  AR    $@"
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/bin/%: $(B)/tools/%.o $(TOOL_SHARED:%.c=$(B)/%.o) $(B)/libflamefold.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) $^ $(LIBS) -o $@

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/libflamefold.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) $^ $(LIBS) -lm -o $@

$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libflamefold.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) $^ $(LIBS) -o $@

$(B)/unwind/driver: $(UNWIND_DRIVER:%.c=$(B)/%.o) $(B)/libflamefold.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) $^ $(LIBS) -o $@

units: $(UNITS:%=$(B)/unit/%) $(B)/fuzz/replay $(B)/unwind/driver

# What is missing is installed first, then make runs again with it.
setup:
	@sh scripts/setup.sh

demo: setup
	@$(MAKE) --no-print-directory -j2 all
	@sh scripts/demo.sh $(B)/bin

check:
	@sh scripts/setup.sh check
	@$(MAKE) --no-print-directory -j2 all units
	@$(MAKE) --no-print-directory -j2 SAN=1 all units
	@sh tests/run.sh

# PICTURES=FOLDER keeps pictures of the pages, for people to look at.
check-browser: all
	@sh tests/browser/run.sh $(PICTURES)

check-layers:
	@sh tests/check-layers.sh

check-docs: all
	@sh tests/check-docs.sh

# How accurate merging is against known truth: the tables of docs/merging.md.
accuracy: units
	@$(B)/unit/test_merge_accuracy --table

bench: all
	@sh tests/bench/run.sh $(B)/bin

install: all $(B)/flamefold.pc
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 $(TOOLS:%=$(B)/bin/%) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(B)/libflamefold.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 lib/flamefold.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(B)/flamefold.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 docs/man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(DESTDIR)$(PREFIX)/lib/libflamefold.a \
	    $(DESTDIR)$(PREFIX)/include/flamefold.h $(DESTDIR)$(PREFIX)/lib/pkgconfig/flamefold.pc \
	    $(patsubst docs/man/%,$(DESTDIR)$(PREFIX)/share/man/man1/%,$(wildcard docs/man/*.1)) \
	    $(patsubst docs/man/%,$(DESTDIR)$(PREFIX)/share/man/man7/%,$(wildcard docs/man/*.7))

$(B)/flamefold.pc: Makefile
	@mkdir -p $(@D)
	@printf 'prefix=%s\nlibdir=$${prefix}/lib\nincludedir=$${prefix}/include\n\n' '$(PREFIX)' > $@
	@printf 'Name: flamefold\nDescription: post-mortem analysis of recorded profiles\n' >> $@
	@printf 'Version: $(VERSION)\nCflags: -I$${includedir}\nLibs: -L$${libdir} -lflamefold $(LIBS)\n' >> $@

format:
	clang-format -i lib/*.[ch] lib/*/*.[ch] tools/*.[ch] tests/*/*.[ch]

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: all units setup demo check check-browser check-layers check-docs accuracy bench install uninstall format clean

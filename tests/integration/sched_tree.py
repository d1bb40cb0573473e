# SPDX-License-Identifier: GPL-2.0-only
"""A tree with what build lanes need of a kernel: options, a configuration, scheduler code."""

from __future__ import annotations

from pathlib import Path

from tests.integration import tiny_tree
from tests.repositories import WorkTree

_MAKEFILE = r"""
conf = sh $(CURDIR)/scripts/conf.sh $(CURDIR)/Kconfig $(O)/.config
parts = $(O)/core.o $(O)/main.o
cc = $(CC) -Wall -Werror=implicit-function-declaration -I$(CURDIR)/include -include $(O)/autoconf.h

defconfig: ; printf 'CONFIG_SMP=y\nCONFIG_DEBUG_KERNEL=n\n' >$(O)/.config; $(conf)
allnoconfig: ; : >$(O)/.config; $(conf)
olddefconfig: ; $(conf)
kernel/sched/: core.o
vmlinux: core.o main.o ; $(cc) -nostdlib -no-pie -Wl,-e,start -o $(O)/vmlinux $(parts)
core.o: ; $(cc) -c $(CURDIR)/kernel/sched/core.c -o $(O)/core.o
main.o: ; $(cc) -c $(CURDIR)/init/main.c -o $(O)/main.o
.PHONY: core.o main.o kernel/sched/
"""
#: Of each option that the tree has, the last value that was asked for.
_CONF = r"""
awk -F'[= ]' -v out="$2" '
FILENAME == ARGV[1] { if ($1 == "config") known["CONFIG_" $2] = "n"; next }
/^CONFIG_/ && ($1 in known) { known[$1] = $2 }
/^# CONFIG_.* is not set$/ && ($2 in known) { known[$2] = "n" }
END {
    for (o in known) print (known[o] == "n") ? "# " o " is not set" : o "=" known[o] >out
}' "$1" "$2"
sed -n 's/^\(CONFIG_[A-Z_]*\)=y$/#define \1 1/p' "$2" >"${2%/.config}/autoconf.h"
"""
_OPTIONS = ("SMP", "PREEMPT_RT", "DEBUG_KERNEL", "SCHEDSTATS")
CORE = """#include <linux/sched.h>
int schedule(int cpu)
{
	return pick(cpu);
}
"""
HEADER = "static inline int pick(int cpu) { return cpu; }\n"
MAIN = "int schedule(int);\nvoid start(void) { schedule(0); }\n"


class Tree(WorkTree):
    """A repository with the tree, and the settings of a service that watches it."""

    def __init__(self, folder: Path, more: str = ""):
        """Write the first commit, tagged v1; `more` are lines of the watched branch."""
        super().__init__(folder / "sched")
        kconfig = "".join(f"config {name}\n\tbool\n" for name in _OPTIONS)
        self.first = self.commit(
            "First", Makefile=_MAKEFILE, Kconfig=kconfig, **{
                "scripts/conf.sh": _CONF, "kernel/sched/core.c": CORE, "init/main.c": MAIN,
                "include/linux/sched.h": HEADER,
            },
        )  # fmt: skip
        self.git("tag", "v1")
        self.settings = folder / "vlag.toml"
        plan = 'plan = "nightly"\n'
        text = tiny_tree.settings(self.folder).replace(plan, f"{plan}{more}")
        self.settings.write_text(text)
        self.state = folder / "state"


#: Breaks where there is one CPU only.
BROKEN = CORE.replace("pick(cpu)", "per_cpu(cpu)").replace(
    "int schedule", "#ifdef CONFIG_SMP\n#define per_cpu pick\n#endif\nint schedule"
)

#: Warns in each lane.
WARNED = CORE.replace("{\n", "{\n\tint unused;\n")

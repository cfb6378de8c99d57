"""Write settings of the embedded PostgreSQL that fit this machine."""

from pathlib import Path

import psutil

CONFIGURATION = "medrag.conf"
# Files with a container's memory limit, in either version of control groups.
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def configure(pgdata: Path) -> None:
    """Write settings that fit this machine into a file that postgresql.conf reads last.

    The shares of memory are half of what PostgreSQL's manual starts from: models run on the
    same machine. A running server reads them at its next start.
    """
    memory = memory_bytes()
    lines = {
        "shared_buffers": f"{_megabytes(memory // 8, 128, 8192)}MB",
        "effective_cache_size": f"{_megabytes(memory // 2, 512, 65536)}MB",
        "maintenance_work_mem": f"{_megabytes(memory // 16, 64, 2048)}MB",
        "random_page_cost": "1.1",  # for solid-state disks
        # Its worker processes take longer to be told of a page than a page of the system's cache
        # takes to be read: of a million passages full text took half as long again with them.
        "io_method": "sync",
        # After a kill: one call instead of one for each of thousands of files.
        "recovery_init_sync_method": "syncfs",
    }
    own = pgdata / CONFIGURATION
    own.write_text("".join(f"{name} = {value}\n" for name, value in lines.items()))
    own.chmod(0o644)  # the server runs as another user if this process is root
    include = f"include_if_exists = '{CONFIGURATION}'"
    main = pgdata / "postgresql.conf"
    if include not in _lines(main):
        with open(main, "a") as handle:
            handle.write(f"{include}\n")


def memory_bytes() -> int:
    """Return the memory of this machine, or the limit of the container."""
    limits = [line for path in _LIMITS for line in _lines(Path(path)) if line.isdigit()]
    return min([int(psutil.virtual_memory().total), *map(int, limits)])


def _megabytes(size_bytes: int, least: int, most: int) -> int:
    return max(least, min(most, size_bytes // 1024**2))


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []

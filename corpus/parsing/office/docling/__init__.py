"""Read Word, PowerPoint, Excel and Markdown by docling, and look up what docling drops.

Each format has a module: docling's reader without what it need not do, and the look-ups, which
write into the file, before docling reads it, what docling would drop. So the texts of a document
are HTML already; code and formulas are plain text.

docling is loaded here, without the models and libraries that its readers do not need. Import this
package late: it takes a second, and once, where children are forked.
"""

from __future__ import annotations

import sys

# seconds to load, and threads, which forbid forks
_HIDDEN = [name for name in ("torch", "transformers", "pyarrow") if name not in sys.modules]

sys.modules.update(dict.fromkeys(_HIDDEN))  # type: ignore[arg-type]
try:
    import docling.backend.md_backend
    import docling.backend.msexcel_backend
    import docling.backend.mspowerpoint_backend
    import docling.backend.msword_backend  # noqa: F401
finally:
    for _name in _HIDDEN:
        del sys.modules[_name]

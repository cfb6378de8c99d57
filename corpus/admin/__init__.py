"""Pages for staff, registered when Django imports this package.

To add a page: a module here, a template in `templates/admin/corpus/document/`, tests in
`tests/corpus/admin/`. Something that waits for staff: `waiting_conditions` in
`corpus/staff_selectors.py`, its label in `medrag_site/start_page.py` and `filters.py` here, tests
in `tests/site/test_start_page.py`.
"""

from corpus.admin import documents, sources, stops  # noqa: F401  registers, as do those that it imports

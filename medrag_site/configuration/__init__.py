"""Declare the settings of a site, a module for each subject: name, default, range and meaning.

`medrag_site.configuration.page` writes `docs/settings.md` from the declarations.

pydantic-settings declares them, `environment.py` reads them strictly, `kinds.py` has addresses,
secrets and folders; `medrag_site/settings.py` names them for Django.
"""

from medrag_site.configuration.answers import Answers
from medrag_site.configuration.documents import Documents
from medrag_site.configuration.environment import Section, read
from medrag_site.configuration.processes import Processes
from medrag_site.configuration.site import Site


class SiteSettings(Processes, Answers, Documents, Site):
    """All settings; those of a class further right are read earlier."""


SECTIONS: dict[str, type[Section]] = {
    "Site, people and database": Site,
    "Documents and search": Documents,
    "Questions, answers and their log": Answers,
    "Programs, processes and logs": Processes,
}
given = read(SiteSettings)

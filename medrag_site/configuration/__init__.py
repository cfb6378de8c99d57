"""Declare the settings of a site, a module for each subject: name, default, range and meaning.

`medrag_site.configuration.page` writes `docs/settings.md` from the declarations.
"""

from medrag_site.configuration import answers, documents, processes, site
from medrag_site.configuration.environment import Env

SECTIONS = {
    "Site, people and database": site.env,
    "Documents and search": documents.env,
    "Questions, answers and their log": answers.env,
    "Programs, processes and logs": processes.env,
}
env = Env.of_all(SECTIONS.values())

"""Declare the settings of a site, in a module a subject: name, default, range and meaning.

`docs/settings.md` is made from them by `medrag_site.configuration.page`.
"""

from medrag_site.configuration import answers, documents, processes, site
from medrag_site.env import Env

SECTIONS = {
    "Site, people and database": site.env,
    "Documents and search": documents.env,
    "Questions, answers and their log": answers.env,
    "Programs, processes and logs": processes.env,
}
env = Env.of_all(SECTIONS.values())

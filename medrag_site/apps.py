from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class SiteConfig(AppConfig):
    default = True
    name = "medrag_site"
    verbose_name = "Site"

    def ready(self) -> None:
        # late: they import models
        from medrag_site.sign_in import checks, sessions  # noqa: F401  importing registers

        sessions.connect()


class AdministrationConfig(admin_apps.AdminConfig):
    default = False
    default_site = "medrag_site.start_page.AdministrationSite"

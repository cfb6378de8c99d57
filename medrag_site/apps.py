from django.apps import AppConfig, apps
from django.contrib.admin import apps as admin_apps

# Names of third-party apps in the administration.
NAMES = {"auth": "People", "axes": "Signing in"}


class SiteConfig(AppConfig):
    default = True
    name = "medrag_site"
    verbose_name = "Site"

    def ready(self) -> None:
        # late: they import models
        from medrag_site.processes import checks as _  # noqa: F401  importing registers

        for label, name in NAMES.items():
            apps.get_app_config(label).verbose_name = name


class AdministrationConfig(admin_apps.AdminConfig):
    default = False
    default_site = "medrag_site.start_page.AdministrationSite"

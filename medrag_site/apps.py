from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "medrag_site"
    verbose_name = "Site"

"""Included at `api/v1/`, with `unknown_urlpatterns` at `api/` after it."""

from django.urls import path, re_path

from chat.api import views as api

app_name = "api"
unknown_urlpatterns = [re_path(r"^.*$", api.UnknownPath.as_view())]
urlpatterns = [
    path("query", api.QueryView.as_view(), name="query"),
    path("search", api.SearchView.as_view(), name="search"),
    path("schema", api.SchemaView.as_view(), name="schema"),
    *unknown_urlpatterns,
]

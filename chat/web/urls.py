from django.urls import path, register_converter
from django.urls.converters import StringConverter

from chat.web import sources as source_views
from chat.web import suggesting, threads, views


class Sha256Converter(StringConverter):
    regex = "[0-9a-f]{64}"


register_converter(Sha256Converter, "sha256")

app_name = "chat"
urlpatterns = [
    path("", views.home, name="home"),
    path("ask/", views.ask, name="ask"),
    path("suggest/", suggesting.suggest, name="suggest"),
    path("guidelines/", views.guidelines, name="guidelines"),
    path("widget/", views.widget, name="widget"),
    path("widget/ask/", views.ask, name="widget_ask"),
    path("widget/<uuid:pk>/", views.widget, name="widget_conversation"),
    path("widget/<uuid:pk>/ask/", views.ask, name="widget_ask_in"),
    # /conversations/
    path("conversations/", threads.conversations, name="conversations"),
    path("conversations/<uuid:pk>/", views.conversation, name="conversation"),
    path("conversations/<uuid:pk>/ask/", views.ask, name="ask_in"),
    path("conversations/<uuid:pk>/rename/", threads.rename, name="rename"),
    path("conversations/<uuid:pk>/share/", threads.share, name="share"),
    path("conversations/<uuid:pk>/shared/", threads.shared, name="shared"),
    path("conversations/<uuid:pk>/delete/", threads.delete, name="delete"),
    path("turns/<uuid:pk>/feedback/", views.feedback, name="feedback"),
    # /source/
    path("source/citation/<int:pk>/", source_views.citation, name="citation"),
    path("source/<sha256:sha256>/<int:number>/", source_views.source, name="source"),
    path("source/<sha256:sha256>/<int:number>/image/", source_views.page_image, name="page_image"),
    path("source/<sha256:sha256>/original/", source_views.original, name="original"),
]

"""Included at `api/v1/`, with `unknown_urlpatterns` at `api/` after it.

`openai_urlpatterns` stand at `v1/`, where clients of OpenAI's look for them.
"""

from django.urls import path, re_path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from chat.api import accounts, conversations, log, problems, queries
from chat.api.documents import collections, reading, steps
from chat.api.documents import views as documents
from chat.api.openai import views as openai

app_name = "api"
unknown_urlpatterns = [re_path(r"^", problems.UnknownPath.as_view())]
openai_urlpatterns = [
    path("chat/completions", openai.CompletionsView.as_view()),
    path("models", openai.ModelsView.as_view()),
    re_path(r"^", openai.UnknownCompatiblePath.as_view()),
]
urlpatterns = [
    path("query", queries.QueryView.as_view(), name="query"),
    path("search", queries.SearchView.as_view(), name="search"),
    path("conversations", conversations.ConversationsView.as_view(), name="conversations"),
    path(
        "conversations/<uuid:pk>",
        conversations.ConversationView.as_view(),
        name="conversation",
    ),
    path(
        "conversations/<uuid:pk>/query",
        conversations.ConversationQueryView.as_view(),
        name="conversation_query",
    ),
    path(
        "conversations/<uuid:pk>/messages",
        conversations.MessagesView.as_view(),
        name="messages",
    ),
    path("turns/<uuid:pk>", conversations.TurnView.as_view(), name="turn"),
    path("turns/<uuid:pk>/feedback", conversations.FeedbackView.as_view(), name="feedback"),
    path("documents", documents.DocumentsView.as_view(), name="documents"),
    path("documents/<str:sha256>", documents.DocumentView.as_view(), name="document"),
    path("documents/<str:sha256>/submit", steps.submit.as_view(), name="submit"),
    path("documents/<str:sha256>/return", steps.send_back.as_view(), name="return"),
    path("documents/<str:sha256>/publish", steps.publish.as_view(), name="publish"),
    path("documents/<str:sha256>/replace", steps.replace.as_view(), name="replace"),
    path("documents/<str:sha256>/supersede", steps.supersede.as_view(), name="supersede"),
    path("documents/<str:sha256>/withdraw", steps.withdraw.as_view(), name="withdraw"),
    path("documents/<str:sha256>/reinstate", steps.reinstate.as_view(), name="reinstate"),
    path("documents/<str:sha256>/retry", steps.retry.as_view(), name="retry"),
    path("documents/<str:sha256>/reindex", steps.reindex.as_view(), name="reindex"),
    path("documents/<str:sha256>/passages", reading.PassagesView.as_view(), name="passages"),
    path("documents/<str:sha256>/pages/<int:number>", reading.PageView.as_view(), name="page"),
    path(
        "documents/<str:sha256>/pages/<int:number>/picture",
        reading.PictureView.as_view(),
        name="picture",
    ),
    path("collections", collections.CollectionsView.as_view(), name="collections"),
    path("users", accounts.AccountsView.as_view(), name="users"),
    path("users/<int:pk>", accounts.AccountView.as_view(), name="user"),
    path("audit", log.EventsView.as_view(), name="audit"),
    path("audit/verify", log.VerdictView.as_view(), name="audit_verify"),
    path("me", accounts.MeView.as_view(), name="me"),
    # Open to all, since the description (OpenAPI 3) holds nothing of the hospital's. Its page is
    # made of installed files: no other server is asked.
    path(
        "schema",
        SpectacularAPIView.as_view(authentication_classes=(), permission_classes=(AllowAny,)),
        name="schema",
    ),
    path("docs", TemplateView.as_view(template_name="api/docs.html"), name="docs"),
    *unknown_urlpatterns,
]

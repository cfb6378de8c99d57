"""Routes of the API, included at `api/v1/`, with `unknown_urlpatterns` at `api/` after them.

`openai_urlpatterns` are at `v1/`, where OpenAI's clients look for them.
"""

from django.urls import path, re_path
from django.views.generic import TemplateView
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

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
_VIEWS: tuple[tuple[str, type[APIView], str], ...] = (
    ("query", queries.QueryView, "query"),
    ("search", queries.SearchView, "search"),
    ("conversations", conversations.ConversationsView, "conversations"),
    ("conversations/<uuid:pk>", conversations.ConversationView, "conversation"),
    ("conversations/<uuid:pk>/query", conversations.ConversationQueryView, "conversation_query"),
    ("conversations/<uuid:pk>/messages", conversations.MessagesView, "messages"),
    ("turns", log.TurnsView, "turns"),
    ("turns/<uuid:pk>", conversations.TurnView, "turn"),
    ("turns/<uuid:pk>/feedback", conversations.FeedbackView, "feedback"),
    ("documents", documents.DocumentsView, "documents"),
    ("documents/<str:sha256>", documents.DocumentView, "document"),
    ("documents/<str:sha256>/submit", steps.submit, "submit"),
    ("documents/<str:sha256>/return", steps.send_back, "return"),
    ("documents/<str:sha256>/publish", steps.publish, "publish"),
    ("documents/<str:sha256>/replace", steps.replace, "replace"),
    ("documents/<str:sha256>/supersede", steps.supersede, "supersede"),
    ("documents/<str:sha256>/withdraw", steps.withdraw, "withdraw"),
    ("documents/<str:sha256>/reinstate", steps.reinstate, "reinstate"),
    ("documents/<str:sha256>/retry", steps.retry, "retry"),
    ("documents/<str:sha256>/reindex", steps.reindex, "reindex"),
    ("documents/<str:sha256>/passages", reading.PassagesView, "passages"),
    ("documents/<str:sha256>/pages/<int:number>", reading.PageView, "page"),
    ("documents/<str:sha256>/pages/<int:number>/picture", reading.PictureView, "picture"),
    ("collections", collections.CollectionsView, "collections"),
    ("users", accounts.AccountsView, "users"),
    ("users/<int:pk>", accounts.AccountView, "user"),
    ("audit", log.EventsView, "audit"),
    ("audit/verify", log.VerdictView, "audit_verify"),
    ("me", accounts.MeView, "me"),
)
urlpatterns = [
    *(path(route, view.as_view(), name=name) for route, view, name in _VIEWS),
    # Open to all, since the description (OpenAPI 3) has no data of the hospital. Its page uses
    # installed files only, from no other server.
    path(
        "schema",
        SpectacularAPIView.as_view(authentication_classes=(), permission_classes=(AllowAny,)),
        name="schema",
    ),
    path("docs", TemplateView.as_view(template_name="api/docs.html"), name="docs"),
    *unknown_urlpatterns,
]

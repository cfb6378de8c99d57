"""Included at `api/v1/`, with `unknown_urlpatterns` at `api/` after it.

`openai_urlpatterns` stand at `v1/`, where clients of OpenAI's look for them.
"""

from django.urls import path, re_path

from chat.api import accounts, conversations, log, people, queries, schema, turns
from chat.api.documents import collections, reading, steps
from chat.api.documents import views as documents
from chat.api.openai import views as openai

app_name = "api"
unknown_urlpatterns = [re_path(r"^", schema.UnknownPath.as_view())]
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
    path("turns/<uuid:pk>", turns.TurnView.as_view(), name="turn"),
    path("turns/<uuid:pk>/feedback", turns.FeedbackView.as_view(), name="feedback"),
    path("documents", documents.DocumentsView.as_view(), name="documents"),
    path("documents/<str:sha256>", documents.DocumentView.as_view(), name="document"),
    path("documents/<str:sha256>/submit", steps.SubmitView.as_view(), name="submit"),
    path("documents/<str:sha256>/return", steps.ReturnView.as_view(), name="return"),
    path("documents/<str:sha256>/publish", steps.PublishView.as_view(), name="publish"),
    path("documents/<str:sha256>/replace", steps.ReplaceView.as_view(), name="replace"),
    path("documents/<str:sha256>/supersede", steps.SupersedeView.as_view(), name="supersede"),
    path("documents/<str:sha256>/withdraw", steps.WithdrawView.as_view(), name="withdraw"),
    path("documents/<str:sha256>/reinstate", steps.ReinstateView.as_view(), name="reinstate"),
    path("documents/<str:sha256>/retry", steps.RetryView.as_view(), name="retry"),
    path("documents/<str:sha256>/reindex", steps.ReindexView.as_view(), name="reindex"),
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
    path("me", people.MeView.as_view(), name="me"),
    path("schema", schema.SchemaView.as_view(), name="schema"),
    path("docs", schema.DocsView.as_view(), name="docs"),
    *unknown_urlpatterns,
]

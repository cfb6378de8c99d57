"""Included at `api/v1/`, with `unknown_urlpatterns` at `api/` after it.

`openai_urlpatterns` stand at `v1/`, where clients of OpenAI's look for them.
"""

from django.urls import path, re_path

from chat.api import conversations, openai, people, queries, schema, turns

app_name = "api"
unknown_urlpatterns = [re_path(r"^.*$", schema.UnknownPath.as_view())]
openai_urlpatterns = [
    path("chat/completions", openai.CompletionsView.as_view()),
    path("models", openai.ModelsView.as_view()),
    re_path(r"^.*$", openai.UnknownCompatiblePath.as_view()),
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
    path("me", people.MeView.as_view(), name="me"),
    path("schema", schema.SchemaView.as_view(), name="schema"),
    *unknown_urlpatterns,
]

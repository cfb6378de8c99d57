"""Routes of question sets and runs, included at `api/v1/`."""

from django.urls import path

from evaluation.api.items import ItemsView
from evaluation.api.question_sets import QuestionSetsView
from evaluation.api.runs import EvaluationsView, EvaluationView

app_name = "evaluation_api"
urlpatterns = [
    path("evaluations", EvaluationsView.as_view(), name="evaluations"),
    path("evaluations/<int:pk>", EvaluationView.as_view(), name="evaluation"),
    path("evaluations/<int:pk>/items", ItemsView.as_view(), name="evaluation_items"),
    path("question-sets", QuestionSetsView.as_view(), name="question_sets"),
]

"""The administration of the evaluation. Django imports this package by name."""

from evaluation.admin.experiments import ExperimentAdmin
from evaluation.admin.monitoring import (
    DayFiguresAdmin,
    DriftAlertAdmin,
    RetractionAlertAdmin,
    RetractionCheckAdmin,
)
from evaluation.admin.question_results import QuestionResultAdmin
from evaluation.admin.question_runs import QuestionRunAdmin
from evaluation.admin.question_sets import QuestionAdmin, QuestionSetAdmin

__all__ = [
    "DayFiguresAdmin",
    "DriftAlertAdmin",
    "ExperimentAdmin",
    "QuestionAdmin",
    "QuestionResultAdmin",
    "QuestionRunAdmin",
    "QuestionSetAdmin",
    "RetractionAlertAdmin",
    "RetractionCheckAdmin",
]

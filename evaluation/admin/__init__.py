"""The administration of the evaluation. Django imports this package by name."""

from evaluation.admin import experiments, monitoring, question_runs, question_sets

__all__ = ["experiments", "monitoring", "question_runs", "question_sets"]

"""How sure an answer is: pure."""


def confidence(*, faithfulness: float, coverage: float) -> float:
    """Return `0.5 * faithfulness + 0.5 * coverage`, each in [0, 1], higher is better.

    Faithfulness is the share of the generated claims that were verified; coverage is the
    gate's probability that the evidence answers the question or, in the mode `confident`, the
    judge's share of the question that the answer answers.
    """
    return 0.5 * faithfulness + 0.5 * coverage

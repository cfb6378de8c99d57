import pytest

from chat.pipeline.confidence import confidence


@pytest.mark.parametrize("faithfulness", [0.0, 1 / 3, 0.5, 1.0])
@pytest.mark.parametrize("coverage", [0.0, 0.25, 0.999, 1.0])
def test_is_the_mean_of_both(faithfulness: float, coverage: float) -> None:
    made = confidence(faithfulness=faithfulness, coverage=coverage)
    assert made == pytest.approx(0.5 * faithfulness + 0.5 * coverage)
    assert 0.0 <= made <= 1.0

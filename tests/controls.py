"""Fail the tests that hold a control of the hazard log where they are skipped."""

from collections.abc import Generator

import pytest

from medrag_site.assurance.hazards import controlling_tests


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip of such a test into a failure: nothing else would hold its control."""
    report = yield
    name = item.nodeid.partition("[")[0]
    if report.skipped and (ids := controlling_tests().get(name)):
        report.outcome = "failed"
        report.longrepr = f"{name} was skipped, but holds a control of {', '.join(ids)}"
    return report

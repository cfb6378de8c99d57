"""`bench --page` asks a running site as people do."""

import re
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from bench.speed.page import Site, measure_page
from chat.models import Turn
from medrag_site.demo import demo_accounts
from tests.chat import guidelines
from tests.site.browsing.browser import served


@pytest.mark.exhaustive
@pytest.mark.slow
def test_people_ask_at_a_site_that_runs(own_database: str, tmp_path: Path) -> None:
    password = {name: password for name, _, password in demo_accounts()}["clinician"]
    guidelines.publish_guideline()
    with served(tmp_path / "web.log") as url:
        site = Site(url, "clinician", password)
        lines = list(measure_page(site, [guidelines.QUESTION], clients=[1, 3], seconds=1.0))
        with pytest.raises(CommandError, match="does not let clinician in"):
            list(measure_page(Site(url, "clinician", "no"), ["?"], clients=[1], seconds=1.0))
    assert [line.split()[:2] for line in lines] == [["1", "people"], ["3", "people"]]
    assert all(re.search(r"told to wait 0   failed 0$", line) for line in lines), lines
    assert Turn.objects.filter(user__username="clinician").count() >= 4
    with pytest.raises(CommandError, match="does not answer"):
        list(measure_page(site, ["?"], clients=[1], seconds=1.0))

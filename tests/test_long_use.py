"""Two rounds of everything in one tab: the second leaves no more behind than the first."""

import pytest
from playwright.sync_api import Page

from campaign_long import PHASE, Tab, grown

pytestmark = pytest.mark.browser


def test_a_second_round_of_runs_leaves_nothing_behind(page: Page, site: str) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    tab = Tab(page, site)
    uses = []
    for number in range(2 * PHASE):
        tab.run(number)
        if (number + 1) % PHASE == 0:
            uses.append(tab.use())
    assert grown(*uses) == {}, uses
    assert uses[1].addresses == uses[0].addresses == 0
    assert uses[1].workers == 1
    assert uses[1].objects - uses[0].objects < PHASE, "not one object a run"
    assert uses[1].functions - uses[0].functions < PHASE
    assert faults == []

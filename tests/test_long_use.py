"""Runs upon runs in one tab: two rounds more leave no more behind."""

import pytest
from playwright.sync_api import Page

from campaign_long import FIRST, PHASE, Tab, grown

pytestmark = pytest.mark.browser


def test_two_rounds_more_leave_nothing_behind(page: Page, site: str) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    tab = Tab(page, site)
    uses = []
    for number in range(FIRST + 2 * PHASE):
        tab.run(number)
        if number + 1 in {FIRST, FIRST + 2 * PHASE}:
            uses.append(tab.use())
    assert grown(*uses) == {}, uses
    assert uses[1].addresses == uses[0].addresses
    assert uses[1].workers == 1
    assert uses[1].proxies == uses[0].proxies
    assert faults == []

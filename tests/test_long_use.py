"""Runs upon runs in one tab: three rounds more leave nothing more behind."""

import pytest
from playwright.sync_api import Page

from campaign_long import Tab, grown

pytestmark = pytest.mark.browser
ROUND = 4  # runs until files and settings come again: the campaign has 12, of longer files
LOOKS = 2 * ROUND, 5 * ROUND


def test_three_rounds_more_leave_nothing_behind(page: Page, site: str) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    tab = Tab(page, site, ROUND)
    uses = []
    for number in range(LOOKS[1]):
        tab.run(number)
        if number + 1 in LOOKS:
            uses.append(tab.use())
    before, after = uses
    assert grown(before, after) == {}, uses
    assert after.addresses == before.addresses
    assert after.workers == 1
    assert after.proxies == before.proxies
    assert after.listeners == before.listeners
    assert faults == []

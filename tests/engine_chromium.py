"""Chromium, driven by Playwright."""

from pathlib import Path

from playwright.sync_api import Browser, Download, Error

from engine_tab import EngineError, Tab


class ChromiumTab(Tab):
    """A tab in a profile of its own of a Chromium that runs already."""

    def __init__(self, browser: Browser, downloads: Path) -> None:
        super().__init__(downloads)
        self._context = browser.new_context(
            accept_downloads=True, viewport={"width": 1440, "height": 900}
        )
        self._page = self._context.new_page()
        self._wrong: list[str] = []
        self._page.on("pageerror", lambda error: self._wrong.append(str(error)))
        self._page.on(
            "console",
            lambda line: self._wrong.append(line.text) if line.type == "error" else None,
        )
        self._page.on("download", self._save)

    def _save(self, download: Download) -> None:
        download.save_as(self.downloads / download.suggested_filename)

    def open(self, url: str) -> None:
        self._wrong.clear()
        self._page.goto(url)

    def call(self, function: str, given: str) -> str:
        try:
            found: str = self._page.evaluate(function, given)
        except Error as error:
            raise EngineError(error.message) from error
        return found

    def choose(self, selector: str, path: Path) -> None:
        self._page.locator(selector).set_input_files(path)

    def complaints(self) -> list[str]:
        self.evaluate("() => 0")  # what was said before it is answered has been heard
        return list(self._wrong)

    def close(self) -> None:
        self._context.close()

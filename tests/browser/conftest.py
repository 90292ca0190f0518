"""One headless Chromium for all tests of a module, and how it is asked things."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.tools import missing, program

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
_NO_ALERTS = "window.alerts = []; window.alert = (text) => { window.alerts.push(text); };"


@dataclass
class Browser:
    """A browser with the few questions that these tests have."""

    driver: Any  # selenium is typed in part

    def open(self, path: Path) -> None:
        """Open a file, and forget what was logged before."""
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(path.as_uri())

    def ask(self, expression: str, *arguments: object) -> Any:
        """The value of an expression in the page."""
        return self.driver.execute_script(f"return {expression};", *arguments)

    def complaints(self) -> list[str]:
        """What the browser wrote to its console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event for event in events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def emulate(self, media: str = "", scheme: str = "light") -> None:
        """Pretend to be a printer, or to prefer dark colours."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def resize(self, width: int) -> None:
        """Make the page that wide."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


@pytest.fixture(scope="module")
def running_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, started once. Without it tests skip, or fail where everything is required."""
    binary, service = program("chromium"), program("chromedriver")
    if find_spec("selenium") is None:
        missing("selenium is not installed")
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=ChromeService(service))
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _NO_ALERTS})
    yield Browser(driver)
    driver.quit()


@pytest.fixture
def browser(running_browser: Browser) -> Browser:
    """The browser as it was started: light, on a screen of common width."""
    running_browser.emulate()
    running_browser.resize(1200)
    return running_browser

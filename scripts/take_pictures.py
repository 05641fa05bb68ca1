"""Take the pictures of the docs anew: the report and the page, with the shipped model on the sample reviews.

    python -m scripts.take_pictures

A phone is 390 pixels wide, a desk 1280; parts of the report on a phone stand side by side in one picture.
"""

import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from aspectlab.runtime import load_predictor
from aspectlab.service import Limits, build_app
from aspectlab.service.server import name_address, open_socket, run
from tests.support.browser import CTRL, ENTER, TAB, Tab, browsing

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
PHONE, DESK, TALL = 390, 1280, 844
TEXT = (
    "The soup was lovely and the view from the terrace is great, but the waiter was rude. "
    "Prices are too high for such small portions.\n\n"
    "The pasta was fresh and the staff was friendly. We had to wait, but the dessert made up for it."
)
PANELS = [("main", False), ("matrix", False), ("sentences", False), ("comparison", True)]
"""Parts of the report that the phone shows, and whether in the dark."""


def main() -> None:
    """Write the four pictures."""
    with tempfile.TemporaryDirectory() as name, browsing() as tab:
        folder = Path(name)
        out = folder / "out"
        command = ["aspectlab", "analyze", "examples/reviews.csv", "--out", str(out)]
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)
        report = (out / "report.html").as_uri()
        tab.open(report, DESK)
        tab.wait_for("document.body.classList.contains('live')")
        shoot(tab, IMAGES / "report-desktop.png", DESK, 1_440)
        shoot_phone(tab, report, folder)
        shoot_page(tab)


def shoot(tab: Tab, path: Path, width: int, height: float, top: float = 0) -> None:
    """Take a picture of a part of the page."""
    tab.shoot(path, {"x": 0, "y": top, "width": width, "height": height, "scale": 1})


def shoot_phone(tab: Tab, report: str, folder: Path) -> None:
    """Take parts of the report on a phone and put them side by side."""
    for number, (part, is_dark) in enumerate(PANELS):
        # a number opened shows its quotes
        chosen = "#open=category%3D0%26polarity%3D2" if part == "sentences" else ""
        tab.open(f"{report}?{number}{chosen}", PHONE, TALL, is_dark=is_dark)
        tab.wait_for("document.body.classList.contains('live')")
        top = 0 if part == "main" else tab.get(f"document.getElementById('{part}').offsetTop - 8")
        shoot(tab, folder / f"{number}.png", PHONE, TALL, float(str(top)))
    pictures = "".join(f'<img src="{number}.png">' for number in range(len(PANELS)))
    style = "margin: 0; display: flex; gap: 16px; background: #888"
    page = folder / "panels.html"
    page.write_text(f'<body style="{style}">{pictures}', encoding="utf-8")
    width = len(PANELS) * (PHONE + 16) - 16
    tab.open(page.as_uri(), width, TALL)
    shoot(tab, IMAGES / "report-phone.png", width, TALL)


def shoot_page(tab: Tab) -> None:
    """Serve the page, type a text, and take what it says."""
    limits, listener = Limits(), open_socket("127.0.0.1", 0)
    address = name_address(listener)
    app = build_app(load_predictor(), limits=limits)
    threading.Thread(target=run, args=(app, listener, limits), daemon=True).start()
    for name, width in (("serve-text", DESK), ("serve-phone", PHONE)):
        tab.open(f"{address}/", width)
        tab.press(TAB)
        tab.type(TEXT)
        tab.press(ENTER, CTRL)
        tab.wait_for("!document.getElementById('results').hidden")
        height = float(str(tab.get("document.documentElement.scrollHeight")))
        shoot(tab, IMAGES / f"{name}.png", width, height)


if __name__ == "__main__":
    main()

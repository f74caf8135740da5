"""Measurements of the page that is open: each returns a list of faults in words, empty where there are none."""
import pathlib

SCRIPT = (pathlib.Path(__file__).parent / "measure.js").read_text()
TEXT_CONTRAST = 4.5
LINE_CONTRAST = 3
TARGET = 24


def measured(browser, expression, *arguments):
    return browser.run(f"{SCRIPT}\nreturn ({expression})(...arguments);", *arguments)


def layout_faults(browser):
    """Text that is cut, beyond the window or over other text, and a page wider than the window."""
    return measured(browser, "() => [...cutTexts(), ...sideways(), ...overlaps()]")


def contrast_faults(browser, least=TEXT_CONTRAST):
    return measured(browser, "faintTexts", least)


def line_faults(browser, least=LINE_CONTRAST):
    return measured(browser, "faintLines", least)


def plot_faults(browser, least=TEXT_CONTRAST):
    return measured(browser, "plotTexts", least)


def target_faults(browser, least=TARGET):
    return measured(browser, "smallTargets", least)


def places(browser):
    return measured(browser, "places")


def moved(before, after):
    """What is elsewhere, or of another size, than before."""
    if [place[0] for place in before] != [place[0] for place in after]:
        return ["the page has other parts than before"]
    return [f"{was[0]}: {was[1:]} became {now[1:]}" for was, now in zip(before, after) if was != now][:2]


def focus(browser):
    """Which element has the focus (none where it has left the page), and what is wrong with how that shows."""
    return measured(browser, "focused")

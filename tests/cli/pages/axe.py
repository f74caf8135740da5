"""What axe-core finds on the page that is open; .ci/setup.sh says how it is fetched."""
import pathlib

SCRIPT = pathlib.Path(__file__).parents[3] / "build/npm_tests/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """
    const [rules, done] = arguments;
    axe.run(document, {resultTypes: ['violations']}).then(({violations}) => done(violations
      .filter(({tags, impact}) => impact === 'serious' || impact === 'critical' || tags.some((tag) => rules.includes(tag)))
      .flatMap(({id, help, nodes}) => nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')} ${node.failureSummary}`))),
      (error) => done([String(error)]));"""


def violations(browser):
    """In words: all of the rules of WCAG 2.2 AA, and what else is serious."""
    if not browser.run("return typeof window.axe === 'object'"):
        browser.run(SCRIPT.read_text())
    return browser.wait(RUN, RULES)

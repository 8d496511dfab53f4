"""Shows cards of the built bundle in Chromium, with a kernel that is a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from braincode_jupyter.widget.assets import read_asset

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from braincode_jupyter.views.run_view import RunView

# A model as anywidget gives it; `say` plays the kernel, `said` is what the card sent.
_SCRIPT = """async ([source, view, answers]) => {
  const module = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  const listeners = {}, said = [];
  const model = {
    state: {view},
    get: name => model.state[name],
    on: (name, f) => (listeners[name] ??= []).push(f),
    send: content => {
      said.push(content);
      if (kernel.answers && content.kind === 'ping') say({kind: 'pong', now: Date.now()});
    }
  };
  const emit = (name, value) => (listeners[name] ?? []).forEach(f => f(value));
  const say = content => emit('msg:custom', content);
  const setView = next => { model.state.view = next; emit('change:view'); };
  const widget = module.default();
  widget.initialize({model});
  const draw = () => {
    const el = document.createElement('div');
    document.body.append(el);
    return widget.render({model, el});
  };
  const kernel = window.kernel = {say, said, setView, emit, draw, answers};
  kernel.dispose = draw();
}"""
_LIGHT = {"--jp-layout-color1": "#fff", "--jp-content-font-color1": "rgba(0, 0, 0, 0.87)"}
_DARK = {"--jp-layout-color1": "#111111", "--jp-content-font-color1": "rgba(255, 255, 255, 1)"}


def open_page(
    browser: Browser, *, is_dark: bool = False, width: int = 960, language: str = "en"
) -> Page:
    """Open an empty page that looks like an output area of JupyterLab."""
    page = browser.new_page(
        viewport={"width": width, "height": 700}, color_scheme="dark" if is_dark else "light"
    )
    variables = "".join(f"{n}: {v};" for n, v in (_DARK if is_dark else _LIGHT).items())
    background = "#111" if is_dark else "#fff"
    page.set_content(
        f"<!doctype html><html lang={language}><title>card</title>"
        f'<body data-jp-theme-light="{"false" if is_dark else "true"}"'
        f" style='{variables}margin:16px;background:{background}'></body></html>"
    )
    page.add_style_tag(content=read_asset("run-widget.css"))
    return page


class Card:
    """A drawn card and its kernel."""

    def __init__(self, page: Page, view: RunView, *, answers: bool = True) -> None:
        self.page = page
        self.seq = 0
        page.evaluate(_SCRIPT, [read_asset("run-widget.js"), view.to_wire(), answers])
        self.root.wait_for()

    @property
    def root(self) -> Locator:
        return self.page.locator(".bc-run").first

    def find(self, selector: str, **options: str) -> Locator:
        return self.root.locator(selector, **options)

    def say(self, message: dict[str, Any]) -> None:
        """Send one message as the kernel does."""
        self.page.evaluate("message => kernel.say(message)", message)

    def patch(self, **fields: object) -> None:
        """Send changed fields, under their names on the wire."""
        self.seq += 1
        self.say({"kind": "delta", "seq": self.seq, "patch": {"set": fields}})

    def stream(self, context_id: str, offset: int, text: str, *, attempt: int = 0) -> None:
        """Send a piece of streamed text."""
        item = {"contextId": context_id, "attempt": attempt, "offset": offset, "text": text}
        self.seq += 1
        self.say({"kind": "delta", "seq": self.seq, "items": [item]})

    def set_view(self, view: RunView) -> None:
        """Change the trait."""
        self.page.evaluate("view => kernel.setView(view)", view.to_wire())

    def said(self) -> list[dict[str, Any]]:
        """Return what the card sent."""
        return self.page.evaluate("kernel.said")

    def open(self, name: str) -> Locator:
        """Open a folded section."""
        section = self.find(f"details.bc-{name}")
        if section.get_attribute("open") is None:
            section.locator("summary.bc-fold").click()
        return section

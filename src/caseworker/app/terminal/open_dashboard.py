"""`caseworker open`: makes a link that logs in once, prints it and opens it; `caseworker token` makes a token."""

import webbrowser
from urllib.parse import quote

from rich.console import Console

from caseworker.app.desk import find_case, reading
from caseworker.app.processes.dashboard_process import find_or_start_dashboard
from caseworker.app.processes.own_name import person
from caseworker.app.settings import Settings
from caseworker.app.terminal.live_view import print_json
from caseworker.dashboard.access_tokens import Rank, new_token
from caseworker.dashboard.addresses import case_path
from caseworker.dashboard.log_ins import Sessions
from caseworker.dashboard.viewers import Viewer


async def path_of(settings: Settings, name: str | None) -> str:
    """The page of a case that a person named, or the board."""
    if name is None:
        return "/"
    async with reading(settings) as store:
        return case_path((await find_case(store, name)).case.id)


def open_dashboard(settings: Settings, console: Console, path: str, *, browser: bool, as_json: bool) -> None:
    link = login_link(settings, path)
    if as_json:
        print_json({"link": link})
        return
    console.print(link, markup=False, highlight=False, soft_wrap=True)
    console.print("It logs you in once, within two minutes. `caseworker open` makes another.", style="dim")
    if browser:
        webbrowser.open(link)


def login_link(settings: Settings, path: str) -> str:
    """Starts the dashboard if none of this home runs."""
    running = find_or_start_dashboard(settings)
    secret = Sessions(settings.home).new_link(Viewer(name=person(), rank=Rank.OWNER))
    to = f"?to={quote(path, safe='/!~')}" if path != "/" else ""
    return f"{running.address}/enter/{secret}{to}"


def print_token(console: Console, name: str, rank: Rank, repositories: list[str], *, as_json: bool) -> None:
    secret, token = new_token()
    token = token.model_copy(update={"rank": rank, "repositories": tuple(repositories) or ("*",)})
    if as_json:
        print_json({"token": secret, "settings": {"dashboard_tokens": {name: token.model_dump(mode="json")}}})
        return
    listed = ", ".join(f'"{one}"' for one in token.repositories)
    console.print("The token, shown only now:", style="dim")
    console.print(f"{secret}\n", markup=False, highlight=False, soft_wrap=True)
    console.print("Put this into caseworker.toml and start `caseworker serve` again:", style="dim")
    lines = f'[dashboard_tokens.{name}]\nsha256 = "{token.sha256}"\nrank = "{token.rank}"\nrepositories = [{listed}]'
    console.print(lines, markup=False, highlight=False, soft_wrap=True)

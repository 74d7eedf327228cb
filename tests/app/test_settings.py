"""Settings: defaults, the file, the environment over it, and what a mistake says."""

from pathlib import Path

import pytest

from caseworker.app.load_settings import load_settings
from caseworker.app.parts import github_access
from caseworker.app.processes.home_folder import home_problem
from caseworker.app.settings import Settings, make_home
from caseworker.core.base.errors import Refused
from caseworker.core.base.policy import DEFAULT_MODEL, STRONGER_MODEL, Policy


def loaded(home: Path, toml: str | None = None, **env: str) -> Settings:
    home.mkdir(exist_ok=True)
    if toml is not None:
        (home / "caseworker.toml").write_text(toml, encoding="utf-8")
    return load_settings({"CASEWORKER_HOME": str(home), **env})


def refusal(home: Path, toml: str | None = None, **env: str) -> str:
    with pytest.raises(Refused) as refused:
        loaded(home, toml, **env)
    return str(refused.value).replace(str(home), "HOME")


# --- where values come from


def test_the_defaults_are_the_specs(tmp_path: Path) -> None:
    settings = loaded(tmp_path)
    assert settings == Settings(home=tmp_path)
    assert (settings.slots, settings.idle_minutes, settings.sandbox) == (2, 10, "bubblewrap")
    assert settings.developers == 4
    assert (settings.budget_usd, settings.calls_per_turn, settings.turn_minutes) == (5, 100, 60)
    assert settings.is_embedded
    assert settings.database == f"sqlite:///{tmp_path}/caseworker.db"
    assert settings.anthropic_base_url == "https://api.anthropic.com"
    assert settings.anthropic_api_key is None


def test_the_default_policy_is_the_cores(tmp_path: Path) -> None:
    assert loaded(tmp_path).policy() == Policy()


def test_there_can_be_more_developers_and_there_is_at_least_one(tmp_path: Path) -> None:
    assert loaded(tmp_path, CASEWORKER_DEVELOPERS="32").developers == 32
    assert refusal(tmp_path, CASEWORKER_DEVELOPERS="0") == (
        "CASEWORKER_DEVELOPERS: Input should be greater than or equal to 1."
    )


def test_the_default_home_is_in_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings({}).home == tmp_path / ".caseworker"
    assert load_settings({"CASEWORKER_HOME": "~/cw"}).home == tmp_path / "cw"


def test_the_file_overrules_the_defaults(tmp_path: Path) -> None:
    toml = 'slots = 4\nlog = "json"\nexpose = ["/opt/go"]\n\n[models]\ndefault = "a"\n"developer.fix" = "b"\n'
    settings = loaded(tmp_path, toml)
    assert (settings.slots, settings.log, settings.expose) == (4, "json", [Path("/opt/go")])
    assert settings.models == {"default": "a", "developer.fix": "b"}


def test_the_environment_overrules_the_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, 'slots = 4\nlog = "json"\n', CASEWORKER_SLOTS="8", CASEWORKER_TEMPORAL_TLS="true")
    assert (settings.slots, settings.log, settings.temporal_tls) == (8, "json", True)


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    assert loaded(tmp_path, "slots = 4\n", CASEWORKER_SLOTS="", CASEWORKER_CONFIG="").slots == 4


def test_lists_in_the_environment_have_their_usual_separators(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path, CASEWORKER_EXPOSE="/opt/go::/opt/node", CASEWORKER_SETUP_HOSTS="a.example, b.example:81"
    )
    assert settings.expose == [Path("/opt/go"), Path("/opt/node")]
    assert settings.setup_hosts == ["a.example", "b.example:81"]


def test_variables_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    assert loaded(tmp_path, SLOTS="9", caseworker_slots="9", MY_CASEWORKER_SLOTS="9").slots == 2


def test_another_file_can_be_named(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("slots = 7\n")
    assert loaded(tmp_path, "slots = 4\n", CASEWORKER_CONFIG=str(other)).slots == 7


def test_a_file_in_the_working_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository must not be able to choose where the key is sent."""
    work = tmp_path / "repository"
    work.mkdir()
    (work / "caseworker.toml").write_text('anthropic_base_url = "https://evil.example"\nnonsense = 1\n')
    (work / ".caseworker.toml").write_text('anthropic_base_url = "https://evil.example"\n')
    monkeypatch.chdir(work)
    assert loaded(tmp_path / "home").anthropic_base_url == "https://api.anthropic.com"


def test_the_file_can_not_set_the_home_folder(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="line 2: `home` is set by CASEWORKER_HOME only"):
        loaded(tmp_path, '# ours\nhome = "/elsewhere"\n')


def test_the_password_of_the_database_is_a_secret(tmp_path: Path) -> None:
    url = "postgresql+asyncpg://us:hunter2@db.example/cw"
    assert loaded(tmp_path, CASEWORKER_DATABASE_URL=url).secrets() == ["hunter2"]


def test_the_key_has_two_variables_and_ours_takes_precedence(tmp_path: Path) -> None:
    assert loaded(tmp_path, ANTHROPIC_API_KEY="usual").secrets() == ["usual"]
    both = loaded(tmp_path, ANTHROPIC_API_KEY="usual", CASEWORKER_ANTHROPIC_API_KEY="ours")
    assert both.secrets() == ["ours"]


def test_settings_become_the_policy_of_new_cases(tmp_path: Path) -> None:
    toml = 'budget_usd = 0.25\nturn_minutes = 0.5\ncommand_minutes = 0.001\ncalls_per_turn = 7\n[models]\npm = "a"\n'
    policy = loaded(tmp_path, toml).policy()
    assert (policy.budget_micros, policy.turn_seconds, policy.command_seconds) == (250_000, 30, 1)
    assert policy.calls_per_turn == 7
    assert loaded(tmp_path, "confidence_threshold = 0.7\n").policy().confidence_threshold == 0.7
    more = loaded(tmp_path, 'until = "plan"\napprove_plan = true\nattempts = 2\nanswer_wait_days = 0.5\n').policy()
    assert (more.until, more.approve_plan, more.attempts, more.answer_wait_seconds) == ("plan", True, 2, 43_200)
    assert [policy.model_for(role, "x") for role in ("pm", "developer", "tech_lead")] == [
        "a",
        DEFAULT_MODEL,
        STRONGER_MODEL,
    ]


# --- mistakes


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("slots = 2\nslot = 3\n", "HOME/caseworker.toml, line 2: `slot` is not a setting. Did you mean slots?"),
        (
            "# mine\n\n[telemetry]\non = true\n",
            "HOME/caseworker.toml, line 3: `telemetry` is not a setting. `caseworker docs settings` lists them all.",
        ),
        (
            'log = "auto"\nslots = 0\n',
            "HOME/caseworker.toml, line 2: `slots`: Input should be greater than or equal to 1.",
        ),
        (
            'slots = "many"\n',
            "HOME/caseworker.toml, line 1: `slots`: Input should be a valid integer, unable to parse string as an "
            "integer.",
        ),
        (
            '\n  "sandbox" = "maybe"\n',
            "HOME/caseworker.toml, line 2: `sandbox`: Input should be 'bubblewrap' or 'off'.",
        ),
        (
            "budget_usd = -1\n",
            "HOME/caseworker.toml, line 1: `budget_usd`: Input should be greater than or equal to 0.",
        ),
        (
            "budget_usd = true\n",
            "HOME/caseworker.toml, line 1: `budget_usd`: Input should be a number, not true or false.",
        ),
        (
            "budget_usd = 1e30\n",
            "HOME/caseworker.toml, line 1: `budget_usd`: Input should be less than or equal to 1000000.",
        ),
        (
            "daily_budget_usd = 0\n",
            "HOME/caseworker.toml, line 1: `daily_budget_usd`: Input should be greater than or equal to 0.01.",
        ),
        ("slots = true\n", "HOME/caseworker.toml, line 1: `slots`: Input should be a number, not true or false."),
        (
            '[models]\ndefault = ""\n',
            "HOME/caseworker.toml, line 2: `models.default`: the name of a model is missing.",
        ),
        (
            'anthropic_base_url = "ftp://x"\n',
            "HOME/caseworker.toml, line 1: `anthropic_base_url`: an address begins with http:// or https://.",
        ),
        (
            'anthropic_base_url = "localhost:11434"\n',
            "HOME/caseworker.toml, line 1: `anthropic_base_url`: an address begins with http:// or https://: "
            "http://localhost:11434.",
        ),
        (
            "[prices]\nx = {inptu = 1, output = 2}\n",
            "HOME/caseworker.toml, line 2: `inptu` is not known in [prices.x]. Did you mean input?",
        ),
        ("turn_minutes = inf\n", "HOME/caseworker.toml, line 1: `turn_minutes`: Input should be a finite number."),
        ("budget_usd = nan\n", "HOME/caseworker.toml, line 1: `budget_usd`: Input should be a finite number."),
        (
            'slots = 2\nmodels = "a"\n',
            "HOME/caseworker.toml, line 2: `models`: Input should be a valid dictionary.",
        ),
        (
            "slots = \n",
            "HOME/caseworker.toml: Invalid value (at line 1, column 9). "
            "Correct the line (texts need quotes; switches are true or false), or move the file away.",
        ),
        (
            "slots = 1\nslots = 2\n",
            "HOME/caseworker.toml: Cannot overwrite a value (at line 2, column 10). "
            "Correct the line (texts need quotes; switches are true or false), or move the file away.",
        ),
    ],
)
def test_a_mistake_in_the_file_names_the_file_the_line_and_the_fix(tmp_path: Path, toml: str, sentence: str) -> None:
    assert refusal(tmp_path, toml) == sentence


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("CASEWORKER_SLOT", "3", "CASEWORKER_SLOT is not a setting. Did you mean CASEWORKER_SLOTS?"),
        (
            "CASEWORKER_TEMPORAL_ADRESS",
            "h:7233",
            "CASEWORKER_TEMPORAL_ADRESS is not a setting. Did you mean CASEWORKER_TEMPORAL_ADDRESS?",
        ),
        ("CASEWORKER_XYZZY", "3", "CASEWORKER_XYZZY is not a setting. `caseworker docs settings` lists them all."),
        (
            "CASEWORKER_SLOTS",
            "many",
            "CASEWORKER_SLOTS: Input should be a valid integer, unable to parse string as an integer.",
        ),
        ("CASEWORKER_TURN_MINUTES", "inf", "CASEWORKER_TURN_MINUTES: Input should be a finite number."),
        (
            "CASEWORKER_MODELS",
            "a",
            "CASEWORKER_MODELS can't be set in the environment. Use `models` in caseworker.toml.",
        ),
        (
            "CASEWORKER_PRICES",
            "0",
            "CASEWORKER_PRICES can't be set in the environment. Use `prices` in caseworker.toml.",
        ),
        (
            "CASEWORKER_CONFIG",
            "/nowhere/caseworker.toml",
            "There is no settings file at /nowhere/caseworker.toml. Correct CASEWORKER_CONFIG or unset it.",
        ),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(tmp_path: Path, name: str, value: str, sentence: str) -> None:
    assert refusal(tmp_path, **{name: value}) == sentence


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "caseworker.toml").write_bytes(b"\xff\xfe")
    assert refusal(tmp_path).startswith("HOME/caseworker.toml can't be read: 'utf-8' codec can't decode byte 0xff")


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "caseworker.toml").mkdir()
    assert refusal(tmp_path).startswith("HOME/caseworker.toml can't be read: [Errno 21] Is a directory")


# --- secrets


def test_secrets_are_not_printed(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        CASEWORKER_ANTHROPIC_API_KEY="sk-first",
        CASEWORKER_TEMPORAL_API_KEY="sk-second",
        CASEWORKER_DATABASE_URL="postgresql+asyncpg://me:sk-third@db/caseworker",
    )
    for shown in (repr(settings), str(settings)):
        assert "sk-" not in shown
    assert {"sk-first", "sk-second"} <= set(settings.secrets())
    assert settings.database == "postgresql+asyncpg://me:sk-third@db/caseworker"


def test_a_refusal_does_not_repeat_a_secret(tmp_path: Path) -> None:
    assert "sk-first" not in refusal(tmp_path, 'anthropic_api_key = ["sk-first"]\n')


def test_a_new_home_is_readable_for_nobody_else(tmp_path: Path) -> None:
    settings = loaded(tmp_path / "a", CASEWORKER_HOME=str(tmp_path / "b" / "home"))
    make_home(settings)
    assert settings.home.stat().st_mode & 0o777 == 0o700


def test_an_existing_home_becomes_readable_for_nobody_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    make_home(Settings(home=home))
    assert home.stat().st_mode & 0o777 == 0o700


def test_github_is_reached_as_an_app_with_the_key_of_a_file_or_its_text(tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"
    (tmp_path / "app.pem").write_text(key)
    for given in (key, str(tmp_path / "app.pem")):
        env = {"CASEWORKER_HOME": str(tmp_path), "CASEWORKER_GITHUB_APP_ID": "7"}
        settings = load_settings({**env, "CASEWORKER_GITHUB_APP_PRIVATE_KEY": given})
        access = github_access(settings)
        assert access is not None
        assert (access.app_id, access.app_private_key, access.token) == ("7", key, "")
        assert key not in repr(settings) + repr(access)


def test_a_missing_private_key_of_the_app_is_told(tmp_path: Path) -> None:
    env = {"CASEWORKER_HOME": str(tmp_path), "CASEWORKER_GITHUB_APP_ID": "7"}
    settings = load_settings({**env, "CASEWORKER_GITHUB_APP_PRIVATE_KEY": str(tmp_path / "gone.pem")})
    with pytest.raises(Refused, match=r"The GitHub App's private key can't be read: .*gone\.pem"):
        github_access(settings)


def test_without_a_token_or_an_app_there_is_no_github(tmp_path: Path) -> None:
    assert github_access(load_settings({"CASEWORKER_HOME": str(tmp_path)})) is None


def test_owners_and_a_token_come_from_the_environment_and_the_token_is_a_secret(tmp_path: Path) -> None:
    env = {"CASEWORKER_HOME": str(tmp_path), "CASEWORKER_ALLOWED_OWNERS": "olga, rita"}
    settings = load_settings({**env, "CASEWORKER_GITHUB_TOKEN": "github_pat_x"})
    assert settings.allowed_owners == ["olga", "rita"]
    assert "github_pat_x" in settings.secrets()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("slots = 2\nbudgt_usd = 3\n", r"line 2: `budgt_usd` is not a setting. Did you mean budget_usd\?"),
        ('[models]\ndevelopr = "m"\n', r"line 2: `developr` is not known in \[models\]. Did you mean developer\?"),
        ('[models]\n"pm.triaje" = "m"\n', r"line 2: `pm.triaje` is not known in \[models\]. Did you mean pm.triage\?"),
        ('[models]\ncheap = "m"\n', r"line 2: `cheap` is not known in \[models\]. Write a role"),
        (
            '# till\n[services.till]\nrepositry = "/srv"\n',
            r"line 3: `repositry` is not known in \[services.till\]. Did you mean repository\?",
        ),
        ("[sla.P9]\nresolve = 1\n", r"line 1: `P9` is not known in \[sla\]."),
    ],
)
def test_a_misspelt_key_is_refused_with_its_line_and_the_likely_name(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "caseworker.toml").write_text(text)
    with pytest.raises(Refused, match=told):
        load_settings({"CASEWORKER_HOME": str(tmp_path)})


def test_a_home_that_can_not_be_used_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert home_problem(tmp_path / "new" / "home") is None
    assert home_problem(tmp_path / "file") == f"The home folder {tmp_path / 'file'} is a file."
    below = f"The home folder {tmp_path / 'file' / 'home'} can't be made: {tmp_path / 'file'} is no folder"
    assert (home_problem(tmp_path / "file" / "home") or "").startswith(below)

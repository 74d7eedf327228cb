"""The rule for Python: what is installed, from every place where projects write it down."""

import pytest

from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.ecosystems.project_files import read_paths

BUILD = '[build-system]\nrequires = ["hatchling"]\n'
PROJECT = f'{BUILD}[project]\nname = "shop"\nrequires-python = ">=3.9"\n'
VENV = 'uv venv -q --allow-existing "$VIRTUAL_ENV" --no-project --python '
EXPORT = "uv export -q --frozen --no-hashes --no-default-groups --no-emit-project"


def installs(files: dict[str, str]) -> list[str]:
    """The set-up without the line that makes the virtual environment."""
    return [one.command for one in find_plan({"tests/test_a.py": "", **files}).set_up if "uv venv" not in one.command]


@pytest.mark.parametrize(
    ("what", "files", "expected"),
    [
        ("a project", {"pyproject.toml": PROJECT}, ["uv pip install -q -e . pytest"]),
        (
            "extras: test is enough",
            {"pyproject.toml": f'{PROJECT}[project.optional-dependencies]\ntests = ["x"]\ndev = ["y"]\ndocs = ["z"]\n'},
            ["uv pip install -q -e '.[tests]' pytest"],
        ),
        (
            "extras: dev where there is no test",
            {"pyproject.toml": f'{PROJECT}[project.optional-dependencies]\ndev = ["y"]\ndocs = ["z"]\n'},
            ["uv pip install -q -e '.[dev]' pytest"],
        ),
        (
            "dependency groups",
            {"pyproject.toml": f'{PROJECT}[dependency-groups]\ntest = ["x"]\nlint = ["ruff"]\n'},
            ["uv pip install -q -e . --group test pytest"],
        ),
        (
            "uv.lock goes through a list, so that this user's index counts",
            {"pyproject.toml": f'{PROJECT}[dependency-groups]\ndev = ["pytest"]\n', "uv.lock": ""},
            [
                f'{EXPORT} --group dev -o "$CASEWORKER_ENV/requirements.txt"',
                'uv pip install -q -r "$CASEWORKER_ENV/requirements.txt"',
                "uv pip install -q --no-deps -e .",
                "uv pip install -q pytest",
            ],
        ),
        (
            "uv's older table of what developers need is the group dev of its lock file",
            {"pyproject.toml": f'{PROJECT}[tool.uv]\ndev-dependencies = ["pytest", "respx"]\n', "uv.lock": ""},
            [
                f'{EXPORT} --group dev -o "$CASEWORKER_ENV/requirements.txt"',
                'uv pip install -q -r "$CASEWORKER_ENV/requirements.txt"',
                "uv pip install -q --no-deps -e .",
                "uv pip install -q pytest",
            ],
        ),
        (
            "a workspace whose root is a project, too",
            {"pyproject.toml": f'{PROJECT}[tool.uv.workspace]\nmembers = ["packages/*"]\n', "uv.lock": ""},
            [
                f'{EXPORT} --all-packages -o "$CASEWORKER_ENV/requirements.txt"',
                'uv pip install -q -r "$CASEWORKER_ENV/requirements.txt"',
                "uv pip install -q --no-deps -e .",
                "uv pip install -q pytest",
            ],
        ),
        (
            "a workspace whose root is no project",
            {
                "pyproject.toml": '[tool.uv.workspace]\nmembers = ["a"]\n[dependency-groups]\ndev = ["pytest"]\n',
                "uv.lock": "",
            },
            [
                f'{EXPORT} --group dev --all-packages -o "$CASEWORKER_ENV/requirements.txt"',
                'uv pip install -q -r "$CASEWORKER_ENV/requirements.txt"',
                "uv pip install -q pytest",
            ],
        ),
        (
            "groups alone, and the ones that uv installs by default",
            {
                "pyproject.toml": '[dependency-groups]\nqa = ["pytest"]\ndocs = ["sphinx"]\n'
                '[tool.uv]\ndefault-groups = ["qa", "lost"]\n'
            },
            ["uv pip install -q --group qa pytest"],
        ),
        (
            "a project that is not installed",
            {"pyproject.toml": '[project]\nname = "app"\ndependencies = ["flask"]\n', "tests/conftest.py": ""},
            ["uv pip install -q -r pyproject.toml pytest"],
        ),
        (
            "requirements: those for tests, not those for documents or one version",
            {
                "requirements.txt": "",
                "requirements/tests.txt": "pytest\n",
                "requirements/tests37.txt": "pytest<8\n",
                "requirements/docs.txt": "sphinx\n",
            },
            ["uv pip install -q -r requirements.txt -r requirements/tests.txt pytest"],
        ),
        (
            "tox",
            {
                "setup.py": "",
                "tox.ini": "[testenv]\ndeps =\n    pytest>=7\n    py27: mock\n    -rfoo.txt\n    {posargs}\n",
            },
            ["uv pip install -q -e . 'pytest>=7' pytest"],
        ),
        (
            "setup.cfg and setup.py",
            {
                "setup.py": "tests_require=['nose', 'mock>=2']",
                "setup.cfg": "[options.extras_require]\ntesting =\n  x\n",
            },
            ["uv pip install -q -e '.[testing]' nose 'mock>=2' pytest"],
        ),
        (
            "hatch",
            {"pyproject.toml": f'{PROJECT}[tool.hatch.envs.default]\ndependencies = ["httpx", "ruff"]\n'},
            ["uv pip install -q -e . httpx pytest"],
        ),
        (
            "plugins whose options stand in pytest's settings",
            {"pyproject.toml": PROJECT, "pytest.ini": "[pytest]\naddopts = --cov=shop -n auto\nasyncio_mode = auto\n"},
            ["uv pip install -q -e . pytest pytest-cov pytest-xdist pytest-asyncio"],
        ),
    ],
)
def test_what_is_installed(what: str, files: dict[str, str], expected: list[str]) -> None:
    assert installs(files) == expected, what


def test_poetrys_lock_gives_versions_to_its_own_groups() -> None:
    groups = '[tool.poetry.group.test.dependencies]\npytest = "^8"\nblack = "*"\n'
    poetry = f'[tool.poetry.dependencies]\npython = "^3.10"\n{groups}'
    files = {"pyproject.toml": f"{BUILD}{poetry}", "poetry.lock": "", "tests/test_a.py": ""}
    first, pins, install = [one.command for one in find_plan(files).set_up]
    assert first == f"{VENV}'>=3.10,<4'"
    assert "open('poetry.lock', 'rb')" in pins
    assert install == 'uv pip install -q -c "$CASEWORKER_ENV/constraints.txt" -e . pytest'


@pytest.mark.parametrize("build", ["", BUILD])
def test_an_application_of_poetrys_gets_its_dependencies_and_is_not_installed(build: str) -> None:
    main = 'python = "^3.10"\nrequests = "^2.31"\nuvicorn = {version = ">=0.20", extras = ["standard"]}\n'
    others = 'till = {path = "libs/till", develop = true}\nfork = {git = "git.example/fork"}\nwheel = "*"\n'
    several = 'numpy = [{version = "^1", python = "<3.12"}, {version = "^2", python = ">=3.12"}]\n'
    groups = '[tool.poetry.group.dev.dependencies]\npytest = "^8.0"\nruff = "*"\n'
    poetry = f"[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\n{main}{others}{several}{groups}"
    packages = "'requests>=2.31,<3' 'uvicorn[standard]>=0.20' ./libs/till wheel numpy 'pytest>=8.0,<9' pytest"
    assert installs({"pyproject.toml": f"{build}{poetry}"}) == [f"uv pip install -q {packages}"]
    locked = installs({"pyproject.toml": f"{build}{poetry}", "poetry.lock": ""})[-1]
    assert locked.endswith("constraints.txt\" requests 'uvicorn[standard]' ./libs/till wheel numpy pytest")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": PROJECT}, f"{VENV}'>=3.9'"),
        ({"setup.py": ""}, f"{VENV}python3"),
        (
            {"pyproject.toml": PROJECT, ".python-version": "3.12\n"},
            f"{VENV.removesuffix('--python ')}--no-python-downloads --python 3.12 2>/dev/null || {VENV}'>=3.9'",
        ),
    ],
)
def test_the_interpreter_is_one_that_the_project_allows(files: dict[str, str], expected: str) -> None:
    assert find_plan({"tests/test_a.py": "", **files}).set_up[0].command == expected


def test_a_makefile_does_not_make_the_set_up_needless() -> None:
    plan = find_plan({"pyproject.toml": PROJECT, "Makefile": "test:\n\tpytest\n", "tests/test_a.py": ""})
    assert [one.command for one in plan.tests] == ["make test"]
    assert len(plan.set_up) == 2


def test_a_makefile_that_fetches_by_itself_is_not_used() -> None:
    plan = find_plan({"pyproject.toml": PROJECT, "Makefile": "test:\n\ttox\n", "tests/test_a.py": ""})
    assert [one.command for one in plan.tests] == ["python3 -m pytest -q"]


@pytest.mark.parametrize(
    ("dependencies", "expected"),
    [('["idna"]', "python3 -m pytest -q"), ("[]", "python3 -m unittest discover")],
)
def test_a_project_that_gets_packages_is_tested_with_pytest_by_default(dependencies: str, expected: str) -> None:
    project = f'[project]\nname = "till"\nversion = "0.1"\ndependencies = {dependencies}\n'
    commands = [one.command for one in find_plan({"pyproject.toml": project, "test_till.py": ""}).commands]
    assert commands[-1] == expected
    assert ("pytest" in commands[-2]) is ("pytest" in expected)


@pytest.mark.parametrize(
    "text",
    [
        "from till import price\n\n\ndef test_price():\n    assert price() == 1\n",
        "async def test_price():\n    pass\n",
        "class TestPrice:\n    def test_one(self):\n        pass\n",
        "import pytest\n",
    ],
)
@pytest.mark.parametrize("manifests", [{}, {"pyproject.toml": '[project]\nname = "till"\nversion = "1"\n'}])
def test_tests_written_for_pytest_are_run_with_it_though_nothing_names_it(text: str, manifests: dict[str, str]) -> None:
    plan = find_plan({"till.py": "", "tests/test_till.py": text, **manifests})
    assert [one.command for one in plan.tests] == ["python3 -m pytest -q"]
    assert "uv pip install -q" in plan.set_up[-1].command
    assert "pytest" in plan.set_up[-1].command


def test_tests_written_for_unittest_need_no_set_up() -> None:
    text = "class TestPrice(unittest.TestCase):\n    def test_one(self):\n        pass\n\ndef test_suite():\n    pass\n"
    commands = [one.command for one in find_plan({"test_till.py": text}).commands]
    assert commands == ["python3 -m unittest discover"]


def test_manifests_are_read_before_a_few_tests() -> None:
    tests = [f"a/test_{number:02}.py" for number in range(40)]
    assert read_paths([*tests, "a/till.py", "pyproject.toml"]) == ["pyproject.toml", *tests[:12]]


def test_extras_of_users_are_installed_only_where_tests_can_not_be_loaded_without() -> None:
    extras = '[project.optional-dependencies]\ntest = ["pytest"]\ndocs = ["sphinx"]\nyaml = ["pyyaml"]\n'
    files = {"pyproject.toml": f"{PROJECT}{extras}"}
    plain, more = installs(files)
    assert plain == "uv pip install -q -e '.[test]' pytest"
    assert more.startswith("NO_PROXY='*' no_proxy='*' python3 -m pytest -q --collect-only")
    assert more.endswith("|| { uv pip install -q -e '.[yaml]'; } || true")
    locked = installs({**files, "uv.lock": ""})[-1]
    assert "--all-extras -o" in locked
    assert locked.endswith('&& uv pip install -q -r "$CASEWORKER_ENV/extras.txt"; } || true')


def test_a_plugin_is_found_in_pytests_own_table() -> None:
    pytest_9 = '[tool.pytest]\naddopts = ["--instafail", "--tb=short"]\n'
    assert installs({"pyproject.toml": f"{PROJECT}{pytest_9}"}) == ["uv pip install -q -e . pytest pytest-instafail"]


def test_settings_that_only_one_version_of_pytest_takes_choose_that_version() -> None:
    old = {"pyproject.toml": f'{PROJECT}[tool.pytest]\nverbosity_subtests = "0"\n'}
    assert installs(old) == ["uv pip install -q -e . 'pytest~=9.0.0'"]
    new = {"pyproject.toml": f"{PROJECT}[tool.pytest]\nverbosity_subtests = 0\n"}
    assert installs(new) == ["uv pip install -q -e . pytest"]
    as_text = {"pyproject.toml": f'{PROJECT}[tool.pytest.ini_options]\nverbosity_subtests = "0"\n'}
    assert installs(as_text) == ["uv pip install -q -e . pytest"]
    locked = {**old, "poetry.lock": ""}
    assert not any("pytest~=" in line for line in installs(locked))


@pytest.mark.parametrize("test", ["shop/tests.py", "shop/tests/test_till.py"])
@pytest.mark.parametrize("manifests", [{"requirements.txt": "django\n"}, {"pyproject.toml": PROJECT}])
def test_a_project_of_djangos_is_tested_by_its_own_runner(test: str, manifests: dict[str, str]) -> None:
    files = {"manage.py": "from django.core.management import x\n", test: "", **manifests}
    plan = find_plan(files)
    assert [one.command for one in plan.tests] == ["python3 manage.py test"]
    assert "pytest" not in plan.set_up[-1].command
    with_pytest = find_plan({**files, "shop/tests/test_a.py": "", "pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE=x\n"})
    assert [one.command for one in with_pytest.tests] == ["python3 -m pytest -q"]
    of_another = find_plan({**files, "manage.py": "from flask_script import Manager\n"})
    assert "python3 manage.py test" not in [one.command for one in of_another.tests]
    assert "manage.py" in read_paths(files)


def test_a_project_of_djangos_without_tests_has_no_test_command() -> None:
    assert not find_plan({"manage.py": "import django\n", "requirements.txt": "django\n"}).tests

"""The commands that set up and test a repository, found from its files."""

import json

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.ecosystems.plans import find_plan
from caseworker.core.ecosystems.project_files import RECIPE_FILE

UNITTEST = "python3 -m unittest discover"
PYTEST = "python3 -m pytest -q"
VENV = 'uv venv -q --allow-existing "$VIRTUAL_ENV" --no-project --python'
ONLY_PYTEST = (
    "setup: python3 -m pytest --version >/dev/null 2>&1 || "
    '{ uv venv -q --allow-existing --no-project --python python3 "$VIRTUAL_ENV" && uv pip install -q pytest; }'
)


def maven(program: str, test: str = "NoSuchTest") -> str:
    only = f"-Dtest={test} -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false -Dmaven.test.failure.ignore"
    mirror = (
        "printf '<settings><mirrors>%s</mirrors></settings>' ${CASEWORKER_MAVEN_MIRROR:+\"<mirror><id>central</id>"
        '<mirrorOf>*</mirrorOf><url>$CASEWORKER_MAVEN_MIRROR</url></mirror>"} > "$CASEWORKER_ENV/maven.xml"'
    )
    remove = "find . -type d \\( -name target \\) -prune -exec rm -rf {} +"
    return f'setup: {mirror} && {program} -q -B -s "$CASEWORKER_ENV/maven.xml" {only} test && {remove}'


def package(**contents: object) -> str:
    return json.dumps({"name": "shop", **contents})


CASES: list[tuple[str, dict[str, str], list[str]]] = [
    ("nothing to go by", {"README.md": ""}, []),
    ("its own word", {".caseworker.toml": '[commands]\ntest = "./check"\n', "go.mod": ""}, ["test: ./check"]),
    (
        "its own words, in the order they are run",
        {".caseworker.toml": '[commands]\nlint = ["a", "b"]\ntest = " t "\nsetup = "s"\ntypes = "m"\n'},
        ["setup: s", "test: t", "lint: a", "lint: b", "types: m"],
    ),
    ("its own word is nothing", {".caseworker.toml": "[commands]\ntest = []\n", "go.mod": ""}, []),
    ("settings about other things", {".caseworker.toml": "[budget]\nusd = 3\n", "go.mod": ""}, ["test: go test ./..."]),
    ("a Makefile", {"Makefile": "test: build\n\tgo test\n", "go.mod": ""}, ["test: make test"]),
    (
        "a Makefile with more",
        {"Makefile": ".PHONY: test lint\nVAR := x\nlint test:\n\ttrue\ntypecheck:\n\tmypy\n"},
        ["test: make test", "lint: make lint", "types: make typecheck"],
    ),
    ("a Makefile without tests", {"Makefile": "test := 1\nall:\n\tcc\n", "Cargo.toml": ""}, ["test: cargo test"]),
    ("a phony is no target", {"Makefile": ".PHONY: test\n"}, []),
    ("npm", {"package.json": package(scripts={"test": "node --test"})}, ["test: npm test"]),
    ("npm's own default", {"package.json": package(scripts={"test": 'echo "Error: no test specified" && exit 1'})}, []),
    (
        "npm with all there is",
        {
            "package.json": package(
                scripts={"test": "jest", "lint": "eslint .", "typecheck": "tsc"}, devDependencies={"jest": "1"}
            ),
            "package-lock.json": "",
        },
        ["setup: npm ci", "test: npm test", "lint: npm run lint", "types: npm run typecheck"],
    ),
    (
        "a lock file with nothing to install",
        {"package.json": package(scripts={"test": "node --test"}), "package-lock.json": ""},
        ["test: npm test"],
    ),
    (
        "pnpm",
        {"package.json": package(scripts={"test": "vitest"}, dependencies={"a": "1"}), "pnpm-lock.yaml": ""},
        [
            "setup: command -v pnpm >/dev/null || npm install --silent --global pnpm@9",
            'setup: pnpm install --frozen-lockfile --store-dir "$CASEWORKER_ENV/.cache/pnpm"',
            "test: pnpm test",
        ],
    ),
    ("a broken package.json", {"package.json": "{"}, []),
    ("pytest by its file", {"pytest.ini": "[pytest]\n", "test_a.py": ""}, [ONLY_PYTEST, f"test: {PYTEST}"]),
    ("pytest by a conftest", {"tests/conftest.py": "", "tests/test_a.py": ""}, [ONLY_PYTEST, f"test: {PYTEST}"]),
    ("pytest by its table", {"pyproject.toml": "[tool.pytest.ini_options]\n"}, [ONLY_PYTEST, f"test: {PYTEST}"]),
    (
        "pytest by a requirement",
        {"requirements-dev.txt": "pytest>=8\n", "test_a.py": ""},
        [f"setup: {VENV} python3", "setup: uv pip install -q -r requirements-dev.txt pytest", f"test: {PYTEST}"],
    ),
    ("pytest and src", {"pytest.ini": "", "src/shop/__init__.py": ""}, [ONLY_PYTEST, f"test: PYTHONPATH=src {PYTEST}"]),
    (
        "pytest that knows src",
        {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n', "src/shop/__init__.py": ""},
        [ONLY_PYTEST, f"test: {PYTEST}"],
    ),
    ("unittest", {"calc.py": "", "test_calc.py": ""}, [f"test: {UNITTEST}"]),
    ("unittest in a folder", {"tests/test_calc.py": ""}, [f"test: {UNITTEST} -s tests"]),
    ("unittest in a package", {"tests/test_calc.py": "", "tests/__init__.py": ""}, [f"test: {UNITTEST}"]),
    (
        "unittest in a package of a folder",
        {"tests/unit/test_a.py": "", "tests/unit/__init__.py": "", "test_b.py": ""},
        [f"test: {UNITTEST}", f"test: {UNITTEST} -s tests"],
    ),
    ("go", {"go.mod": ""}, ["test: go test ./..."]),
    ("rust", {"Cargo.toml": ""}, ["test: cargo test"]),
    ("maven", {"pom.xml": ""}, [maven("mvn"), "test: mvn -q -B -o test"]),
    (
        "deno",
        {"deno.json": '{"imports": {"ms": "npm:ms@2.1.3"}}'},
        [
            'setup: env ${npm_config_registry:+NPM_CONFIG_REGISTRY="$npm_config_registry"} deno install',
            "test: deno test",
        ],
    ),
    (
        "maven with a test",
        {"pom.xml": "", "core/src/test/java/shop/TillTest.java": ""},
        [maven("mvn", "TillTest"), "test: mvn -q -B -o test"],
    ),
    ("maven with its wrapper", {"pom.xml": "", "mvnw": ""}, [maven("./mvnw"), "test: ./mvnw -q -B -o test"]),
    (
        "gradle",
        {"build.gradle.kts": "", "gradlew": ""},
        [
            "setup: GRADLE_USER_HOME=$CASEWORKER_ENV/gradle ./gradlew --no-daemon -q testClasses && "
            "find . -type d \\( -name build -o -name .gradle \\) -prune -exec rm -rf {} +",
            "test: cp -r $CASEWORKER_ENV/gradle /tmp/gradle && "
            "GRADLE_USER_HOME=/tmp/gradle ./gradlew --no-daemon --offline test",
        ],
    ),
    ("rspec", {"Gemfile": "", "spec/shop_spec.rb": ""}, ["setup: bundle install --quiet", "test: bundle exec rspec"]),
    ("rake", {"Rakefile": "Rake::TestTask.new\n"}, ["test: rake test"]),
    ("elixir", {"mix.exs": 'defp deps do\n [\n # {:dep, "~> 1"}\n ]\n'}, ["test: mix test"]),
    ("PHPUnit of the system", {"phpunit.xml": ""}, ["test: phpunit"]),
    (
        "composer",
        {"composer.json": '{"scripts": {"test": "phpunit"}}'},
        ["setup: composer install --no-interaction --no-progress", "test: composer test"],
    ),
    ("dotnet", {"Shop.sln": ""}, ["setup: dotnet restore", "test: dotnet test --no-restore"]),
    (
        "two languages, set-up first",
        {
            "package.json": package(scripts={"test": "jest"}, dependencies={"a": "1"}),
            "package-lock.json": "",
            "go.mod": "",
        },
        ["setup: npm ci", "test: npm test", "test: go test ./..."],
    ),
]


@pytest.mark.parametrize(("files", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_commands_are_found(files: dict[str, str], expected: list[str]) -> None:
    assert [f"{command.purpose}: {command.command}" for command in find_plan(files).commands] == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '[commands]\ntest = "x"\ntests = "y"\n',
            ".caseworker.toml, line 3: `tests` is not known in [commands]. Did you mean test?",
        ),
        (
            "[commands]\n\nlint = 3\n",
            ".caseworker.toml, line 3: `lint` must be a command or a list of commands. "
            'For example: lint = "make lint".',
        ),
        (
            'commands = "make"\n',
            '.caseworker.toml, line 1: `commands` must be a table. Write [commands], and below it test = "make check".',
        ),
        (
            '[commands]\ntest = ""\n',
            ".caseworker.toml, line 2: `test` must be a command or a list of commands. "
            'For example: test = "make test".',
        ),
        (
            "[commands]\ntest = make\n",
            ".caseworker.toml is not valid TOML: Invalid value (at line 2, column 8).",
        ),
    ],
)
def test_a_mistake_names_file_line_and_fix(text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        find_plan({".caseworker.toml": text})
    assert str(refused.value) == sentence


def test_a_learned_recipe_says_where_its_commands_come_from() -> None:
    learned = "# Learned: the workflow\n# of the CI says so.\n[commands]\ntest = 'make check'\n"
    plan = find_plan({RECIPE_FILE: learned, "Makefile": "test:\n"})
    says = "(it says `Learned: the workflow of the CI says so`)"
    assert plan.recipe == f"a recipe that is kept outside of the repository {says}"
    assert find_plan({"Makefile": "test:\n"}).recipe == ""


def test_a_makefile_that_tests_with_a_lost_file_is_out_of_date() -> None:
    files = {"setup.py": "", "tests/test_a.py": "", "Makefile": "test: build\n\t${PYTHON} tests/lib/run.py ${TEST}\n"}
    assert "make test" not in [one.command for one in find_plan(files).commands]
    assert "make test" in [one.command for one in find_plan({**files, "tests/lib/run.py": ""}).commands]


def test_a_makefile_that_activates_a_virtual_environment_of_its_own_is_not_used() -> None:
    makefile = "test:\n\t. venv/bin/activate; \\\n\tpytest\n"
    files = {"Makefile": makefile, "setup.py": "", "tests/test_till.py": ""}
    assert [one.command for one in find_plan(files).tests] == ["python3 -m pytest -q"]
    kept = {**files, "Makefile": "test:\n\t./run_tests.py; echo done\n", "run_tests.py": ""}
    assert [one.command for one in find_plan(kept).tests] == ["make test"]


def test_a_makefile_whose_test_depends_on_fetching_is_not_used() -> None:
    rules = ".install: $(shell ls)\n\tpip install -r dev.txt\n.develop: .install\n\ttouch .develop\n"
    files = {"setup.py": "", "tests/test_a.py": "", "Makefile": f"{rules}test: .develop  # needs docker\n\tpytest\n"}
    assert "make test" not in [one.command for one in find_plan(files).commands]
    apart = {**files, "Makefile": f"{rules}test: build  # not docker\n\tpytest\nbuild: test\n\ttrue\n"}
    assert "make test" in [one.command for one in find_plan(apart).commands]


@pytest.mark.parametrize(
    ("makefile", "used"),
    [
        ("test:\n\tuv run pytest\n", True),
        ("install:\n\tuv sync --all-extras\ntest: install\n\tpytest\n", False),
        ("test:\n\tuv run -q --with respx pytest\n", False),
        ("test:\n\tuvx ward\n", False),
        ("test:\n\tuv run $(if $(PYTHON),--python $(PYTHON)) pytest\n", True),
        ("install:\n\tuv sync\ntest:\n\t@# make install is first, or docker\n\techo make install\n\tpytest\n", True),
        ("install:\n\tuv sync\ntest:\n\tmake install && pytest\n", False),
        ("POETRY ?= poetry\ntest:\n\t$(POETRY) run pytest\n", False),
        ("RUN = $(DOCKER) run app\nDOCKER := docker\ntest:\n\t${RUN} pytest\n", False),
        ("A = $(B)$(B)\nB = $(A)$(A)\ntest:\n\t$(A) pytest\n", True),
        ("LOOP = $(LOOP)\ntest:\n\t$(LOOP) pytest\n", True),
        ("test:\n\t@$(MAKE) -s unit\nunit:\n\tdocker compose up\n", False),
        ("test:\n\t$(MAKE) -C lib unit\nunit:\n\tpytest\n", True),
        ("VENV = .venv\nPYTEST = $(VENV)/bin/pytest\ntest:\n\t@$(PYTEST) tests\n", False),
        ("test: .venv/bin/pytest\n\tpython -m pytest\n.venv/bin/pytest:\n\tpython -m venv .venv\n", False),
        ("test:\n\t/usr/bin/python3 -m pytest\n", True),
    ],
)
def test_a_makefile_is_used_where_it_needs_no_set_up_of_its_own(makefile: str, used: bool) -> None:
    files = {"setup.py": "", "tests/test_a.py": "", "Makefile": makefile}
    assert ("make test" in [one.command for one in find_plan(files).tests]) is used


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"CMakeLists.txt": "ENABLE_TESTING()\n"}, True),
        ({"CMakeLists.txt": "include( CTest )\n"}, True),
        ({"CMakeLists.txt": "add_subdirectory(src)\n# enable_testing()\n"}, False),
        ({"CMakeLists.txt": "enable_testing()\n", "pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, True),
        ({"CMakeLists.txt": "enable_testing()\n", "package.json": package(scripts={"docs": "vuepress"})}, True),
        ({"CMakeLists.txt": "enable_testing()\n", "package.json": package(scripts={"test": "node --test"})}, False),
        ({"CMakeLists.txt": "enable_testing()\n", "pyproject.toml": '[project]\nname = "shop"\n'}, False),
        ({"CMakeLists.txt": "enable_testing()\n", "Cargo.toml": ""}, False),
    ],
)
def test_a_project_of_cmake_is_found_beside_the_tools_of_other_languages(files: dict[str, str], found: bool) -> None:
    assert any("ctest" in one.command for one in find_plan(files).tests) is found


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"go.mod": "", "scripts/load_test.py": "import pytest\n"}, ["go test ./..."]),
        ({"Cargo.toml": "", "py/tests/test_a.py": "", "py/tests/conftest.py": ""}, ["cargo test"]),
        ({"Cargo.toml": "", "pyproject.toml": "[tool.ruff]\n", "ci/test_release.py": ""}, ["cargo test"]),
        ({"Cargo.toml": "", "tests/test_a.py": ""}, [f"{UNITTEST} -s tests", "cargo test"]),
        ({"Cargo.toml": "", "pytest.ini": "", "it/test_a.py": ""}, [PYTEST, "cargo test"]),
        ({"Cargo.toml": "", "requirements.txt": "", "it/test_a.py": ""}, [PYTEST, "cargo test"]),
        ({"scripts/test_a.py": ""}, [f"{UNITTEST} -s scripts"]),
    ],
)
def test_a_script_in_python_is_no_project_beside_one_of_another_language(
    files: dict[str, str], expected: list[str]
) -> None:
    assert [one.command for one in find_plan(files).tests] == expected

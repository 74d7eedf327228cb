"""Changes of what decides whether tests pass: named with the part that changed; other changes are not."""

import pytest

from caseworker.core.evidence.deciders import changed_deciders, may_decide

MAKE = "PY = python3\n\nbuild:\n\tcc a.c\n\ntest: build\n\t$(PY) -m pytest\n\nclean:\n\trm -rf out\n"
PACKAGE = '{"name": "shop", "scripts": {"test": "jest", "start": "node ."}, "jest": {"bail": true}}'
PYPROJECT = '[project]\nname = "shop"\n[tool.pytest.ini_options]\naddopts = "-q"\n'
SETUP = "[metadata]\nname = shop\n[tool:pytest]\naddopts = -q\n"
CHAIN = '{"scripts": {"test": "npm run unit && npm run -s more", "unit": "jest", "start": "node ."}}'
YARN = '{"scripts": {"test": "yarn unit --bail", "unit": "jest", "start": "node ."}}'
DENO = '{"tasks": {"test": "deno test", "start": "deno run a.ts"}}'
POM = (
    "<project><dependencies><a>1</a></dependencies><plugin><artifactId>maven-surefire-plugin</artifactId>"
    "<argLine>-Xmx1g</argLine></plugin><plugin><artifactId>maven-jar-plugin</artifactId></plugin><b>1</b></project>"
)
GRADLE = "dependencies {\n    testImplementation 'junit:junit:4'\n}\n\ntest {\n    useJUnitPlatform()\n}\n"
VITE = "export default defineConfig({\n  server: { port: 80 },\n  test: { globals: true, include: ['a'] },\n})\n"
CMAKE = "add_executable(shop a.c)\nenable_testing()\nadd_test(NAME shop COMMAND shop)\n"
MESON = "shop = executable('shop', 'a.c')\ntest('shop', shop)\n"

CHANGES: list[tuple[str, str, str | None, str | None, str]] = [
    ("a swallowed exit code", "Makefile", MAKE, MAKE.replace("pytest", "pytest || true"), "The target `test` of"),
    ("what a test target needs", "Makefile", MAKE, MAKE.replace("cc a.c", "true"), "The target `build` of `Makefile`"),
    ("a variable of a Makefile", "Makefile", MAKE, MAKE.replace("PY = python3", "PY = true"), "The settings of"),
    (
        "a test target is gone",
        "Makefile",
        MAKE,
        "clean:\n\trm -rf out\n",
        "`Makefile`, which decides how tests are run",
    ),
    ("a test script", "package.json", PACKAGE, PACKAGE.replace('"jest",', '"true",'), "The script `test` of"),
    ("a script before it", "package.json", PACKAGE, PACKAGE.replace('"start"', '"pretest"'), "The script `pretest` of"),
    ("the settings of jest", "package.json", PACKAGE, PACKAGE.replace("true", "false"), "The key `jest` of"),
    (
        "a script that the test script runs",
        "package.json",
        CHAIN,
        CHAIN.replace('"jest"', '"true"'),
        "The script `unit` of",
    ),
    (
        "a script by the script's short name",
        "package.json",
        YARN,
        YARN.replace('"jest"', '"true"'),
        "The script `unit` of",
    ),
    ("a task of Deno", "deno.json", DENO, DENO.replace('"deno test"', '"true"'), "The script `test` of `deno.json`"),
    (
        "tests of Maven that are left out",
        "pom.xml",
        POM,
        POM.replace("<b>", "<skipTests>true</skipTests><b>"),
        "The settings of tests of `pom.xml`",
    ),
    (
        "a plugin of Maven that runs them",
        "pom.xml",
        POM,
        POM.replace("<argLine>", "<exclude>A</exclude><argLine>"),
        "The settings of tests",
    ),
    (
        "a test task of Gradle",
        "build.gradle",
        GRADLE,
        GRADLE.replace("useJUnitPlatform()", "enabled = false"),
        "The settings of tests of",
    ),
    (
        "failures that Gradle ignores",
        "app/build.gradle.kts",
        "",
        "tasks.test { ignoreFailures = true }\n",
        "The settings of tests of",
    ),
    (
        "settings of Vitest in Vite's file",
        "web/vite.config.ts",
        VITE,
        VITE.replace("globals: true", "passWithNoTests: true"),
        "The key `test` of `web/vite.config.ts`",
    ),
    (
        "a module that stands for another one",
        "vite.config.mjs",
        VITE,
        VITE.replace("server", "resolve: { alias: [{ find: './cart', replacement: './stub' }] },\n  server"),
        "The key `alias` of",
    ),
    (
        "a test of CMake that is to fail",
        "CMakeLists.txt",
        CMAKE,
        CMAKE + "set_tests_properties(shop\n  PROPERTIES WILL_FAIL TRUE)\n",
        "The settings of tests of `CMakeLists.txt`",
    ),
    ("no tests of CMake", "CMakeLists.txt", CMAKE, CMAKE.replace("enable_testing()\n", ""), "The settings of tests"),
    (
        "a test of Meson that is to fail",
        "meson.build",
        MESON,
        MESON.replace("shop)\n", "shop, should_fail: true)\n"),
        "The settings of tests of `meson.build`",
    ),
    ("a broken package.json", "package.json", PACKAGE, "{", "of `package.json`, which decides how tests are run"),
    ("the settings of pytest", "pyproject.toml", PYPROJECT, PYPROJECT.replace("-q", "-k nothing"), "`tool.pytest`"),
    ("settings in setup.cfg", "setup.cfg", SETUP, SETUP.replace("-q", "--co"), "The section `tool:pytest` of"),
    ("a deleted setup.cfg", "setup.cfg", SETUP, None, "The section `tool:pytest` of `setup.cfg`"),
    (
        "a conftest",
        "tests/conftest.py",
        "x = 1\n",
        "x = 2\n",
        "`tests/conftest.py`, which decides how tests are run, was",
    ),
    ("a new conftest", "conftest.py", None, "x = 2\n", "run, was added."),
    ("a conftest is gone", "conftest.py", "x = 2\n", None, "run, was deleted."),
    ("a hook of every Python", "sitecustomize.py", None, "import os\n", "run, was added."),
    ("pytest.ini", "pytest.ini", "[pytest]\n", "[pytest]\naddopts = --co\n", "was changed."),
    ("a runner's configuration", "jest.config.js", "x", "y", "was changed."),
    ("a workflow", ".github/workflows/ci.yml", "a: 1", "a: 2", "was changed."),
    ("another CI", ".gitlab-ci.yml", "a: 1", None, "was deleted."),
    ("our own settings", ".caseworker.toml", "", "[commands]\ntest = 'true'\n", "was changed."),
]


def texts(path: str, text: str | None) -> dict[str, str | None]:
    return {path: text} if text is not None else {}


@pytest.mark.parametrize(("path", "old", "new", "said"), [r[1:] for r in CHANGES], ids=[r[0] for r in CHANGES])
def test_a_change_of_what_decides_is_named(path: str, old: str | None, new: str | None, said: str) -> None:
    assert may_decide(path)
    found = changed_deciders(texts(path, old), texts(path, new))
    assert any(said in one for one in found), found


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("Makefile", MAKE, MAKE.replace("rm -rf out", "rm -rf out tmp")),
        ("Makefile", MAKE, MAKE + "\n# a word\n\nrelease:\n\ttrue\n"),
        ("package.json", PACKAGE, PACKAGE.replace('"shop"', '"store"')),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"shop"', '"store"')),
        ("setup.cfg", SETUP, SETUP.replace("shop", "store")),
        ("shop/cart.py", "x = 1", "x = 2"),
        ("package.json", CHAIN, CHAIN.replace("node .", "node server.js")),
        ("deno.json", DENO, DENO.replace("a.ts", "b.ts")),
        ("pom.xml", POM, POM.replace("<a>1</a>", "<a>2</a>").replace("maven-jar-plugin", "maven-war-plugin")),
        ("pom.xml", POM, POM.replace("><", ">\n  <")),
        ("build.gradle", GRADLE, GRADLE.replace("junit:4", "junit:5")),
        ("build.gradle", GRADLE, "version = '2'\n" + GRADLE),
        ("vite.config.ts", VITE, VITE.replace("80", "8080")),
        ("vite.config.ts", VITE, VITE.replace("server: {", "server: { // so that we can test: it\n")),
        ("CMakeLists.txt", CMAKE, CMAKE + "include(GNUInstallDirs)\nadd_test(NAME cart COMMAND cart) # a test\n"),
        ("meson.build", MESON, MESON + "test('cart', cart)\n"),
        ("Makefile", MAKE, MAKE),
    ],
)
def test_other_changes_are_not_named(path: str, old: str, new: str) -> None:
    assert changed_deciders({path: old}, {path: new}) == []


def test_a_file_that_is_too_large_to_be_compared_is_named() -> None:
    too_large = "`Makefile` decides about tests, and is too large to be compared: look at it."
    assert changed_deciders({"Makefile": None}, {"Makefile": MAKE}) == [too_large]
    assert changed_deciders({"Makefile": MAKE}, {"Makefile": MAKE + " " * 600_000}) == [too_large]


@pytest.mark.parametrize(
    "path",
    [
        "pytest.toml",
        "unittest.py",
        "pytest/__init__.py",
        "iniconfig.py",
        "sitecustomize/__init__.py",
        "rules.mk",
        ".npmrc",
        "run_tests.sh",
        ".cargo/config.toml",
        "scripts/test",
        "babel.config.js",
        "jest.setup.ts",
        "vitest-setup.mjs",
        "src/setupTests.ts",
        "spec/spec_helper.rb",
        "spec/rails_helper.rb",
        "test/test_helper.exs",
        "tests/bootstrap.php",
        "vitest.workspace.ts",
        "bunfig.toml",
        ".mvn/maven.config",
        "mvnw",
        "src/test/resources/junit-platform.properties",
        ".taprc",
        "test/mocha.opts",
        "hatch.toml",
    ],
)
def test_files_that_change_the_runner_decide(path: str) -> None:
    assert changed_deciders({}, {path: "x"}) == [f"`{path}`, which decides how tests are run, was added."]


@pytest.mark.parametrize(
    "path",
    [
        "shop/types.py",
        "src/setup.ts",
        "lib/bootstrap.php",
        "shop/test_helper.py",
        "web/vite.config.ts",
        "src/shop/unittest.py",
        "cart.py",
        "docs/check.md",
    ],
)
def test_files_that_only_sound_like_it_do_not(path: str) -> None:
    assert changed_deciders({}, {path: "x"}) == []


def test_a_plugin_of_pytest_in_the_project_decides() -> None:
    after = {"pyproject.toml": '[project.entry-points.pytest11]\nx = "x"\n'}
    assert changed_deciders({"pyproject.toml": ""}, after) == [
        "The plugins of pytest of `pyproject.toml`, which decides how tests are run, was added."
    ]

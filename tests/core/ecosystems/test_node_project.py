"""The rule for Node: the package manager and its version, Node itself, and scripts around the tests."""

import json

import pytest

from caseworker.core.ecosystems.plans import find_plan


def lines(files: dict[str, str], **package: object) -> list[str]:
    whole = {"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}, **package}
    return [one.command for one in find_plan({"package.json": json.dumps(whole), **files}).commands]


@pytest.mark.parametrize(
    ("what", "files", "package", "expected"),
    [
        ("no lock", {}, {}, ["npm install --no-package-lock", "npm test"]),
        ("npm", {"package-lock.json": ""}, {}, ["npm ci", "npm test"]),
        (
            "yarn classic",
            {"yarn.lock": ""},
            {},
            [
                "command -v yarn >/dev/null || npm install --silent --global yarn@1",
                "asked=$(env -u YARN_REGISTRY -u npm_config_registry yarn --silent config get registry) && "
                '[ -z "$npm_config_registry" ] || sed -i "s#\\"${asked%/}/#\\"${npm_config_registry%/}/#" yarn.lock',
                "yarn install --frozen-lockfile --ignore-engines",
                "yarn test",
            ],
        ),
        (
            "yarn berry",
            {"yarn.lock": ""},
            {"packageManager": "yarn@4.1.0+sha224.abc"},
            ["npm install --silent --global @yarnpkg/cli-dist@4.1.0", "yarn install --immutable", "yarn test"],
        ),
        (
            "bun",
            {"bun.lock": ""},
            {},
            [
                "command -v bun >/dev/null || npm install --silent --global bun@1",
                "bun install --frozen-lockfile",
                "bun run test",
            ],
        ),
        ("nothing to install", {}, {"dependencies": {}}, ["npm test"]),
        (
            "a script that asks the registry after the tests",
            {},
            {"scripts": {"pretest": "npm run lint", "test": "tape", "posttest": "npx npm audit"}},
            ["npm install --no-package-lock", "npm test --ignore-scripts"],
        ),
        (
            "the same with bun, which would give the option to the script",
            {"bun.lock": ""},
            {"scripts": {"test": "tape", "posttest": "npx npm audit"}, "packageManager": "bun@1.2.0"},
            ["npm install --silent --global bun@1.2.0", "bun install --frozen-lockfile", "npm test --ignore-scripts"],
        ),
    ],
)
def test_the_commands_of_a_package(
    what: str, files: dict[str, str], package: dict[str, object], expected: list[str]
) -> None:
    assert lines(files, **package) == expected, what


@pytest.mark.parametrize("wanted", [">=0.10.0", "0.10.x", ">= 0.4", "^0.12 || 4 || >=6", ">=12", "*"])
def test_nothing_is_installed_for_a_node_that_is_old_enough_to_be_there(wanted: str) -> None:
    assert lines({"package-lock.json": ""}, engines={"node": wanted}) == ["npm ci", "npm test"]


def test_a_newer_node_comes_from_the_registry() -> None:
    first = lines({"package-lock.json": ""}, engines={"node": ">=22.12"})[0]
    assert first.startswith("[ \"$(node -p 'process.versions.node.split(`.`)[0]')\" -ge 22 ] || npm install")
    assert first.endswith('@22"')


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"test:unit": "vitest run", "build": "vite build"}, "npm run test:unit"),
        ({"test": "playwright test", "test:unit": "vitest"}, "npm run test:unit"),
        ({"test": "cypress run", "unit": "jest"}, "npm run unit"),
        ({"test": "jest --watchAll", "test:ci": "jest"}, "npm run test:ci"),
        ({"test": 'echo "no tests yet"', "tests": "tap"}, "npm run tests"),
        ({"test": "npm run test:unit && npm run test:e2e", "test:unit": "mocha"}, "npm test"),
        ({"test": "playwright test"}, "npm test"),
        ({"test": "echo testing && mocha"}, "npm test"),
        ({"test": "echo testing | node check.js"}, "npm test"),
        ({"test": "tsc --watch false && jest", "test:ci": "jest --ci"}, "npm test"),
        ({"test": "vitest --watch=false", "test:ci": "vitest --coverage"}, "npm test"),
    ],
)
def test_the_script_that_tests_once_and_without_a_browser_is_chosen(scripts: dict[str, str], expected: str) -> None:
    assert lines({"package-lock.json": ""}, scripts=scripts) == ["npm ci", expected]


@pytest.mark.parametrize("script", ["exit 0", "true", "echo 'add tests; later' && exit 0", ":"])
def test_a_script_that_only_says_something_is_no_test(script: str) -> None:
    assert lines({}, scripts={"test": script}) == []

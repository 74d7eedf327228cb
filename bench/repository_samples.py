"""Small repositories of different ecosystems with real dependencies, and how a person would set them up by hand."""

import json
from dataclasses import dataclass
from typing import Final

_TEST: Final = "from shop import price\n\n\ndef test_price():\n    assert price('2') == 2\n"
_CODE: Final = "import {module}\n\n\ndef price(text):\n    return int(text)\n"
_VENV: Final = "uv venv -q .venv --python python3 && export VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.venv/bin:$PATH && "
_BUILD: Final = '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
_NODE_TEST: Final = (
    "const test = require('node:test'); const ms = require('ms'); test('ms', () => { if (ms('1s') !== 1000) throw 1 })"
)


@dataclass(frozen=True, kw_only=True)
class Sample:
    name: str
    files: dict[str, str]
    by_hand: str
    """One line, in a fresh copy. It ends with the tests."""
    needs: str = "python3"


def _python(module: str, more: dict[str, str]) -> dict[str, str]:
    return {"shop.py": _CODE.format(module=module), "tests/test_shop.py": _TEST, **more}


def _project(extra: str) -> str:
    head = f'{_BUILD}[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["attrs"]\n'
    return f'{head}{extra}[tool.setuptools]\npy-modules = ["shop"]\n'


def _package(**more: object) -> str:
    return json.dumps({"name": "shop", "version": "1.0.0", "dependencies": {"ms": "2.1.3"}, **more})


_SETUP_PY: Final = (
    "from setuptools import Extension, setup\n"
    "setup(name='shop', version='1.0', py_modules=['shop'], ext_modules=[Extension('_fast', ['fast.c'])],\n"
    "      install_requires=['attrs'], extras_require={'test': ['pytest']})\n"
)
_FAST: Final = (
    '#include <Python.h>\nstatic struct PyModuleDef m = {PyModuleDef_HEAD_INIT, "_fast"};\n'
    "PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&m); }\n"
)
_CMAKE: Final = (
    "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nenable_testing()\nadd_executable(t test.c)\n"
    "add_test(NAME t COMMAND t)\n"
)
_TYPES: Final = {
    "test_shop.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n"
}

SAMPLES: Final = (
    Sample(
        name="Python, extra named test",
        files=_python("attr", {"pyproject.toml": _project('[project.optional-dependencies]\ntest = ["pytest"]\n')}),
        by_hand=f"{_VENV}uv pip install -q -e '.[test]' && pytest -q",
    ),
    Sample(
        name="Python, dependency group",
        files=_python("attr", {"pyproject.toml": _project('[dependency-groups]\ntest = ["pytest", "pytest-cov"]\n')}),
        by_hand=f"{_VENV}uv pip install -q -e . --group test && pytest -q",
    ),
    Sample(
        name="Python, requirements files",
        files=_python("yaml", {"requirements.txt": "pyyaml\n", "requirements-dev.txt": "pytest\n"}),
        by_hand=f"{_VENV}uv pip install -q -r requirements.txt -r requirements-dev.txt && python3 -m pytest -q",
    ),
    Sample(
        name="Python, setup.py with C",
        files=_python("_fast", {"setup.py": _SETUP_PY, "fast.c": _FAST}),
        by_hand=f"{_VENV}uv pip install -q -e '.[test]' && pytest -q",
    ),
    Sample(
        name="Python, tox",
        files=_python(
            "attr",
            {"pyproject.toml": _project(""), "tox.ini": "[testenv]\ndeps =\n    pytest\n    mock\ncommands = pytest\n"},
        ),
        by_hand=f"{_VENV}uv pip install -q -e . pytest mock && pytest -q",
    ),
    Sample(
        name="Python, Makefile",
        files=_python("attr", {"pyproject.toml": _project(""), "Makefile": "test:\n\tpytest -q\n"}),
        by_hand=f"{_VENV}uv pip install -q -e . pytest && make test",
    ),
    Sample(name="Python, unittest alone", files=_TYPES, by_hand="python3 -m unittest discover"),
    Sample(
        name="Node, npm without a lock",
        files={"package.json": _package(scripts={"test": "node --test"}), "test.js": _NODE_TEST},
        by_hand="npm install --no-package-lock --silent && npm test",
        needs="npm",
    ),
    Sample(
        name="Node, mocha",
        files={
            "package.json": _package(scripts={"test": "mocha"}, devDependencies={"mocha": "^10"}),
            "test/one.js": "it('works', () => { if (require('ms')('1s') !== 1000) throw 1 })",
        },
        by_hand="npm install --no-package-lock --silent && npm test",
        needs="npm",
    ),
    Sample(
        name="Node, pnpm",
        files={
            "package.json": _package(scripts={"test": "node --test"}, packageManager="pnpm@9.15.0"),
            "test.js": _NODE_TEST,
        },
        by_hand="npm install --silent --prefix .pm pnpm@9.15.0 && export PATH=$PWD/.pm/node_modules/.bin:$PATH && "
        "pnpm install --no-lockfile --silent && pnpm test",
        needs="npm",
    ),
    Sample(
        name="C, Make",
        files={
            "Makefile": "test:\n\t$(CC) -o t test.c && ./t\n",
            "test.c": 'int puts(const char *);\nint main(void) { puts("1 passed"); return 0; }\n',
        },
        by_hand="make test",
        needs="make",
    ),
    Sample(
        name="C, CMake",
        files={"CMakeLists.txt": _CMAKE, "test.c": "int main(void) { return 0; }\n"},
        by_hand="cmake -S . -B build && cmake --build build && ctest --test-dir build",
        needs="cmake",
    ),
    Sample(
        name="Rust",
        files={
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "#[test]\nfn one() {}\n",
        },
        by_hand="cargo test",
        needs="cargo",
    ),
)

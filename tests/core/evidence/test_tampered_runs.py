"""Lines that interfere with the run of the tests, or behave differently while they are tested."""

import pytest

from caseworker.core.evidence.tampered_runs import tampering
from caseworker.core.evidence.unified_diff import read_diff


def told(path: str, line: str, *, was: str = "") -> list[str]:
    old = f"-{was}\n" if was else ""
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1{'' if was else ',0'} +1 @@\n"
    return tampering(read_diff(f"{head}{old}+{line}\n")).get(path, [])


@pytest.mark.parametrize(
    ("path", "line", "does"),
    [
        ("cart.py", 'if "pytest" in sys.modules:', "asks whether it is being tested"),
        ("cart.py", 'if os.environ.get("PYTEST_CURRENT_TEST"):', "asks whether it is being tested"),
        ("cart.js", "if (process.env.NODE_ENV === 'test') return 3", "asks whether it is being tested"),
        ("cart.ts", "if (process.env.JEST_WORKER_ID) {", "asks whether it is being tested"),
        ("cart.py", "if os.path.isdir('/env'):", "asks whether it is being tested"),
        ("cart.py", "fixed = socket.gethostname() == 'localhost'", "asks whether it is being tested"),
        ("cart.js", "if (os.hostname() === 'localhost') {", "asks whether it is being tested"),
        ("cart.go", "if testing.Testing() {", "asks whether it is being tested"),
        ("cart.py", "if any('pytest' in name for name in sys.modules):", "asks whether it is being tested"),
        ("cart.py", "if 'test' in sys.argv[0]:", "asks whether it is being tested"),
        ("cart.py", "if any('test_' in one.function for one in inspect.stack()):", "asks whether it is being tested"),
        ("cart.py", "if sys._getframe(1).f_code.co_name.startswith('test'):", "asks whether it is being tested"),
        ("cart.py", 'if os.getenv("TESTING"):', "asks whether it is being tested"),
        ("cart.js", "if (typeof jest !== 'undefined') return 3", "asks whether it is being tested"),
        ("cart.ts", "if (import.meta.env.MODE === 'test') return 3", "asks whether it is being tested"),
        ("cart.ts", "if (process.env.npm_lifecycle_event === 'test') {", "asks whether it is being tested"),
        ("cart.go", 'if flag.Lookup("test.v") != nil {', "asks whether it is being tested"),
        ("cart.go", 'if strings.HasSuffix(os.Args[0], ".test") {', "asks whether it is being tested"),
        ("cart.rs", "#[cfg(not(test))]", "asks whether it is being tested"),
        (
            "src/Cart.java",
            'if (System.getProperty("surefire.test.class.path") != null) {',
            "asks whether it is being tested",
        ),
        ("src/Cart.java", 'Class.forName("org.junit.jupiter.api.Test");', "asks whether it is being tested"),
        ("lib/cart.rb", "return 3 if defined?(RSpec)", "asks whether it is being tested"),
        ("lib/cart.rb", "return 3 if Rails.env.test?", "asks whether it is being tested"),
        ("lib/cart.rb", "return 3 if ENV['RACK_ENV'] == 'test'", "asks whether it is being tested"),
        (
            "lib/cart.rb",
            "return 3 if caller.any? { |line| line.include?('_spec.rb') }",
            "asks whether it is being tested",
        ),
        ("lib/cart.php", "if (defined('PHPUNIT_COMPOSER_INSTALL')) {", "asks whether it is being tested"),
        ("tests/shim.py", "def pytest_runtest_makereport(item, call):", "interferes with the run of the tests"),
        ("tests/test_a.py", 'pytest_plugins = ["tests.shim"]', "interferes with the run of the tests"),
        ("tests/__init__.py", "def load_tests(loader, tests, pattern):", "interferes with the run of the tests"),
        ("tests/test_a.py", "unittest.TestCase.assertEqual = lambda *_: None", "interferes with the run of the tests"),
        ("cart.py", 'path = os.environ["PYTEST_ADDOPTS"]', "interferes with the run of the tests"),
        ("cart.py", "os._exit(0)", "interferes with the run of the tests"),
        ("tests/test_a.py", "__test__ = False", "interferes with the run of the tests"),
        ("tests/test_a.py", "sys.exit(0)", "ends the run of the tests"),
        ("tests/a.test.js", "process.exit(0)", "ends the run of the tests"),
        ("tests/test_a.py", 'subprocess.run(["git", "log", "-1"])', "depends on the state of git or of the case"),
        ("tests/test_a.py", 'open("issue-state.json")', "depends on the state of git or of the case"),
        ("tests/world.sh", "git diff --quiet", "depends on the state of git or of the case"),
        ("tests/test_a.py", 'Path(".git").exists()', "depends on the state of git or of the case"),
    ],
)
def test_a_line_that_interferes_is_named(path: str, line: str, does: str) -> None:
    assert told(path, line) == [f"`{path}`, line 1, {does}: `{line}`."]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("cart.py", "sys.exit(0)"),
        ("cart.py", 'subprocess.run(["git", "log"])'),
        ("README.md", "pytest_plugins"),
        ("tests/test_a.py", "import pytest"),
        ("tests/test_a.py", "assert digit.show() == 3"),
        (".github/x.txt", "PYTEST_ADDOPTS"),
        ("cart.py", 'if os.environ.get("CI"):'),
        ("cart.py", "frames = inspect.stack()"),
        ("cart.py", 'if "test" in name:'),
        ("cart.py", "for name in sys.modules:"),
        ("cart.ts", "if (import.meta.env.MODE === 'production') {"),
        ("cart.ts", "if (typeof window !== 'undefined') {"),
        ("cart.go", 'if strings.HasSuffix(path, "_test.go") {'),
        ("cart.go", 'if flag.Lookup("verbose") != nil {'),
        ("cart.rs", "#[cfg(test)]"),
        ("lib/cart.rb", "return 3 if Rails.env.production?"),
        ("src/Cart.java", "import org.junit.jupiter.api.Test;"),
        ("spec/spec_helper.rb", "ENV['RACK_ENV'] ||= 'test'"),
        ("tests/setup.js", "process.env.NODE_ENV = 'test'"),
        ("tests/test_a.py", 'monkeypatch.setenv("TESTING", "1")'),
    ],
)
def test_ordinary_lines_are_left_alone(path: str, line: str) -> None:
    assert told(path, line) == []


def test_a_line_that_was_there_before_is_left_alone() -> None:
    assert told("cart.py", "    os._exit(0)", was="os._exit(0)") == []

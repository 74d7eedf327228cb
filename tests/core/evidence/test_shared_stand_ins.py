"""A stand-in that a file of tests gets outside of them is told if it replaces what an older test checks."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = "class TestShop:\n    def test_total(self):\n        assert shop.total([1, 2]) == 3\n"
SCRIPT = (
    "import { add } from '../src/math';\n"
    "it('adds', async () => {\n  expect(await shop.add(1, 2)).toBe(3);\n  expect(add(1, 2)).toBe(3);\n});\n"
)
JAVA = "class ShopTest {\n    @Test\n    void total() {\n        assertEquals(3, shop.total(1, 2));\n    }\n}\n"
GO = "func TestTotal(t *testing.T) {\n\tgot := Total(1, 2)\n\tif got != 3 {\n\t\tt.Fatal(got)\n\t}\n}\n"
FIXTURE = '@pytest.fixture\ndef stable(monkeypatch):\n    monkeypatch.setattr(shop, "total", lambda items: 3)\n\n\n'
BY_ITSELF = FIXTURE.replace("fixture", "fixture(autouse=True)")
SETTING = 'monkeypatch.setattr(shop, "total", lambda items: 3)'
ASKED = PYTHON.replace("(self)", "(self, stable)")
OTHER = "\n\ndef test_other(stable):\n    assert pay() == 3\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("tests/test_a.py", PYTHON, BY_ITSELF + PYTHON, SETTING),
        ("tests/test_a.py", PYTHON, FIXTURE + ASKED, SETTING),
        ("tests/test_a.py", PYTHON, FIXTURE + '@pytest.mark.usefixtures("stable")\n' + PYTHON, SETTING),
        (
            "tests/test_a.py",
            PYTHON,
            PYTHON.replace(
                ":\n    def test", ":\n    def setup_method(self):\n        shop.total = mock.Mock()\n\n    def test"
            ),
            "shop.total = mock.Mock()",
        ),
        (
            "tests/test_a.py",
            PYTHON,
            PYTHON.replace(
                ":\n    def test",
                ':\n    def setUp(self):\n        mock.patch("shop.total", return_value=3).start()\n\n    def test',
            ),
            'mock.patch("shop.total", return_value=3).start()',
        ),
        (
            "tests/test_a.py",
            PYTHON,
            '@mock.patch("shop.total", new=lambda items: 3)\n' + PYTHON,
            '@mock.patch("shop.total", new=lambda items: 3)',
        ),
        ("tests/test_a.py", PYTHON, "shop.total = lambda items: 3\n\n\n" + PYTHON, "shop.total = lambda items: 3"),
        (
            "src/shop.test.ts",
            SCRIPT,
            "beforeEach(() => {\n  jest.spyOn(shop, 'add').mockResolvedValue(3)\n})\n" + SCRIPT,
            "jest.spyOn(shop, 'add').mockResolvedValue(3)",
        ),
        (
            "src/calc.test.ts",
            SCRIPT,
            "jest.mock('../src/math', () => ({ add: () => 3 }))\n" + SCRIPT,
            "jest.mock('../src/math')",
        ),
        (
            "src/test/java/ShopTest.java",
            JAVA,
            JAVA.replace("    @Test", "    @Mock Shop shop;\n\n    @Test"),
            "@Mock Shop",
        ),
        (
            "src/test/java/ShopTest.java",
            JAVA,
            JAVA.replace("    @Test", "    @MockBean\n    private Shop shop;\n\n    @Test"),
            "@MockBean private Shop",
        ),
        (
            "shop_test.go",
            GO,
            "func init() {\n\tTotal = func(a, b int) int { return 3 }\n}\n\n" + GO,
            "Total = func(a, b int) int { return 3 }",
        ),
    ],
)
def test_a_stand_in_around_older_tests_is_told(path: str, old: str, new: str, line: str) -> None:
    assert weakened({path: old}, {path: new}) == [f"`{line}` was added to `{path}`: it replaces what the tests check."]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/test_a.py", PYTHON, FIXTURE + PYTHON + OTHER),
        ("tests/test_a.py", PYTHON, BY_ITSELF.replace("shop,", "bank,") + PYTHON),
        (
            "tests/test_a.py",
            PYTHON,
            "class TestBank:\n    def setUp(self):\n        bank.total = Mock()\n\n\n" + PYTHON,
        ),
        ("tests/test_a.py", BY_ITSELF + PYTHON, BY_ITSELF.replace("stable", "steady") + PYTHON),
        ("tests/test_a.py", PYTHON, PYTHON + '\n\n@mock.patch("shop.total")\ndef test_b():\n    assert pay() == 3\n'),
        ("tests/test_a.py", PYTHON, '"""Formerly mock.patch("shop.total")."""\n# mock.patch("shop.total")\n' + PYTHON),
        ("src/calc.test.ts", SCRIPT, "jest.mock('../src/bank')\n" + SCRIPT),
        ("src/calc.test.ts", SCRIPT, "import { pay } from './bank';\njest.mock('./bank')\n" + SCRIPT),
        ("src/test/java/ShopTest.java", JAVA, JAVA.replace("    @Test", "    @Mock Bank bank;\n\n    @Test")),
        ("src/test/java/ShopTest.java", JAVA, JAVA.replace("    @Test", "    @InjectMocks Shop shop;\n\n    @Test")),
        ("shop_test.go", GO, "func init() {\n\tcharge = func(a int) int { return 3 }\n}\n\n" + GO),
        ("shop_test.go", GO, "func stub() {\n\tTotal = func(a, b int) int { return 3 }\n}\n\n" + GO),
    ],
)
def test_a_stand_in_for_others_or_for_new_tests_alone_is_not(path: str, old: str, new: str) -> None:
    assert weakened({path: old}, {path: new}) == []

"""A stand-in for the very function that an existing test checks is told; one for what that function uses is not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = """\
def test_a(self):
    cart = Cart([3])
    result = pay(cart)
    assert cart.total() == 3
    assert result == 1
"""
SCRIPT = """\
it('test_a', () => {
  const cart = make();
  const paid = pay(cart);
  expect(cart.total()).toBe(3);
  expect(paid).toBe(1);
});
"""
JAVA = """\
class CartTest {
    @Test
    void test_a() {
        Cart cart = new Cart();
        assertEquals(3, cart.total());
    }
}
"""
GO = "func TestA(t *testing.T) {\n\tgot := pay(3)\n\tif got != 3 {\n\t\tt.Errorf(`no`)\n\t}\n}\n"
FILES = {"tests/test_a.py": PYTHON, "src/a.test.ts": SCRIPT, "src/test/java/CartTest.java": JAVA, "a_test.go": GO}
PY, JS, JV, GL = FILES


def told(path: str, part: str, line: str) -> list[str]:
    old = FILES[path]
    assert part in old
    return weakened({path: old}, {path: old.replace(part, line + part, 1)})


@pytest.mark.parametrize(
    ("path", "part", "line", "indent"),
    [
        (PY, "    cart", 'monkeypatch.setattr("shop.pay", lambda cart: 1)', "    "),
        (PY, "    cart", 'monkeypatch.setattr(Cart, "total", lambda self: 3)', "    "),
        (PY, "    cart", 'mocker.patch("shop.cart.Cart.total", return_value=3)', "    "),
        (PY, "    result", "cart.total = Mock(return_value=3)", "    "),
        (PY, "    result", "cart.total = lambda: 3", "    "),
        (PY, "def test_a", '@mock.patch("shop.pay", return_value=1)', ""),
        (PY, "def test_a", '@mock.patch.object(Cart, "total", return_value=3)', ""),
        (JS, "  const paid", "jest.spyOn(cart, 'total').mockReturnValue(3);", "  "),
        (JS, "  const paid", "vi.spyOn(cart, 'total').mockReturnValue(3);", "  "),
        (JS, "  const paid", "cart.total = jest.fn(() => 3);", "  "),
        (JS, "  const paid", "sinon.stub(cart, 'total').returns(3);", "  "),
        (JV, "        assert", "when(cart.total()).thenReturn(3);", "        "),
        (JV, "        assert", "doReturn(3).when(cart).total();", "        "),
        (GL, "\tgot", "pay = func(int) int { return 3 }", "\t"),
    ],
)
def test_a_stand_in_for_what_a_test_checks_is_told(path: str, part: str, line: str, indent: str) -> None:
    name = "TestA" if path == GL else "test_a"
    assert told(path, part, f"{indent}{line}\n") == [
        f"`{line}` was added to `{name}` in `{path}`: it replaces what the test checks."
    ]


@pytest.mark.parametrize(
    ("path", "part", "line"),
    [
        (PY, "    cart", '    monkeypatch.setattr("shop.bank.charge", lambda sum: 1)\n'),
        (PY, "    cart", '    monkeypatch.setattr(Bank, "total", lambda self: 3)\n'),
        (PY, "def test_a", '@mock.patch("shop.bank.charge")\n'),
        (PY, "    result", "    cart.currency = 3\n"),
        (PY, "    result", "    key = lambda item: item\n"),
        (JS, "  const paid", "  jest.spyOn(bank, 'charge').mockReturnValue(3);\n"),
        (JS, "  const paid", "  jest.spyOn(bank, 'total').mockReturnValue(3);\n"),
        (JV, "        assert", "        when(bank.charge(3)).thenReturn(true);\n"),
        (GL, "\tgot", "\tcharge = func(int) int { return 3 }\n"),
    ],
)
def test_a_stand_in_for_what_the_subject_uses_is_not(path: str, part: str, line: str) -> None:
    assert told(path, part, line) == []


def test_a_new_test_with_a_stand_in_is_not() -> None:
    after = PYTHON + PYTHON.replace("test_a", "test_b").replace("    cart", '    patch("shop.pay")\n    cart', 1)
    assert weakened({PY: PYTHON}, {PY: after}) == []


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("src/cart.test.ts", "jest.mock('./cart')"),
        ("src/__tests__/cart.js", "vi.mock('../cart.js')"),
        ("src/test/java/CartTest.java", "mock(Cart.class)"),
    ],
)
def test_a_stand_in_for_the_module_that_a_file_tests_is_told(path: str, call: str) -> None:
    [found] = weakened({path: "const a = 1;\n"}, {path: f"const a = 1;\n{call};\n"})
    assert found == f"`{call}` was added to `{path}`: it replaces what the tests check."
    assert weakened({path: f"{call};\n"}, {path: f"{call};\n{call};\n"}) == []
    assert weakened({}, {path: f"{call};\n"}) == []
    assert weakened({path: ""}, {path: f"{call.replace('art', 'ard')};\n"}) == []

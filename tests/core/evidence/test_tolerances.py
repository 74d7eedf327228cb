"""A tolerance that is wider than the usual one, or than before, is told wherever it is given."""

import pytest

from tests.core.evidence.test_loosened_checks import GO, JAVA, PYTHON, SCRIPT, told


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert f() == pytest.approx(3.0)", "assert f() == pytest.approx(3.0, rel=0.5)"),
        (PYTHON, "assert f() == pytest.approx(3.0, 1e-6)", "assert f() == pytest.approx(3.0, 0.5)"),
        (PYTHON, "assert f() == approx(3.0, rel=1e-6)", "assert f() == approx(3.0, abs=2)"),
        (PYTHON, "self.assertAlmostEqual(f(), 3.0)", "self.assertAlmostEqual(f(), 3.0, places=0)"),
        (PYTHON, "self.assertAlmostEqual(f(), 3.0)", "self.assertAlmostEqual(f(), 3.0, 0)"),
        (PYTHON, "self.assertAlmostEqual(f(), 3.0)", "self.assertAlmostEqual(f(), 3.0, delta=5)"),
        (PYTHON, "assert abs(f() - 3.0) < 1e-9", "assert abs(f() - 3.0) < 1.0"),
        (PYTHON, "assert f() == 3", "assert f() == pytest.approx(3, abs=5)"),
        (SCRIPT, "expect(f()).toBeCloseTo(3.14, 5);", "expect(f()).toBeCloseTo(3.14);"),
        (SCRIPT, "expect(f()).toBe(3.14);", "expect(f()).toBeCloseTo(3.14, 0);"),
        (JAVA, "assertEquals(3.0, x);", "assertEquals(3.0, x, 10.0);"),
        (GO, "require.Equal(t, 3.0, x)", "require.InDelta(t, 3.0, x, 10)"),
    ],
)
def test_a_wider_tolerance_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [f"`{new}` in `{name}` in `{path}` accepts more than `{old}`, which it replaces."]
    assert told(path, new, old) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert f() == 0.3", "assert f() == pytest.approx(0.3, abs=1e-9)"),
        (PYTHON, "assert f() == pytest.approx(3.0)", "assert f() == pytest.approx(3.0, abs=1e-9)"),
        (PYTHON, "self.assertEqual(f(), 0.3)", "self.assertAlmostEqual(f(), 0.3)"),
        (PYTHON, "self.assertAlmostEqual(f(), 0.3, 7)", "self.assertAlmostEqual(f(), 0.3, places=7)"),
        (PYTHON, "assert f() == pytest.approx(3.0, rel=WIDTH)", "assert f() == pytest.approx(3.0, rel=WIDER)"),
        (PYTHON, "assert abs(f() - 3.0) < 1e-9", "assert abs(f() - 3.0) < 1e-12"),
        (SCRIPT, "expect(f()).toBe(0.3);", "expect(f()).toBeCloseTo(0.3, 10);"),
        (SCRIPT, "expect(f()).toBeCloseTo(0.3);", "expect(f()).toBeCloseTo(0.3, 2);"),
        (JAVA, "assertEquals(0.3, x);", "assertEquals(0.3, x, 1e-9);"),
        (GO, "require.Equal(t, 0.3, x)", "require.InDelta(t, 0.3, x, 1e-9)"),
    ],
)
def test_a_tolerance_for_rounding_is_not(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []

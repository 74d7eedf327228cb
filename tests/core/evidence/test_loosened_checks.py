"""An assertion that is replaced by one that accepts more is told; other changes of assertions are not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

SHAPES = {
    "tests/test_a.py": "def test_total(self):\n    {}\n",
    "src/a.test.ts": "it('test_total', async () => {{\n  {}\n}});\n",
    "a_test.go": "func test_total(t *testing.T) {{\n\t{}\n}}\n".replace("test_total", "TestTotal"),
    "src/lib.rs": "#[test]\nfn test_total() {{\n    {}\n}}\n",
    "src/test/java/ATest.java": "class ATest {{\n    @Test\n    void test_total() {{\n        {}\n    }}\n}}\n",
}
PYTHON, SCRIPT, GO, RUST, JAVA = SHAPES


def told(path: str, old: str, new: str) -> list[str]:
    return weakened({path: SHAPES[path].format(old)}, {path: SHAPES[path].format(new)})


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "self.assertEqual(total(), 5)", "self.assertGreaterEqual(total(), 5)"),
        (PYTHON, "self.assertEqual(total(), 5)", "self.assertIsNotNone(total())"),
        (PYTHON, "self.assertEqual(total(), 5)", "self.assertTrue(total())"),
        (PYTHON, "assert total() == 5", "assert total()"),
        (PYTHON, "assert total([2, 3]) == 5", "assert str(total([2, 3]))"),
        (PYTHON, "assert total() == 5", "assert total() is not None"),
        (PYTHON, "assert total() == 5", "assert isinstance(total(), int)"),
        (PYTHON, "assert total() == 5", "assert total() >= 0"),
        (PYTHON, "assert total() == 5", "assert total() == 5 or total() == 4"),
        (PYTHON, "assert total() == 5", "assert total() == mock.ANY"),
        (PYTHON, "assert total() == pytest.approx(5, rel=1e-6)", "assert total() == pytest.approx(5, rel=0.5)"),
        (PYTHON, "self.assertAlmostEqual(total(), 5, places=7)", "self.assertAlmostEqual(total(), 5, places=0)"),
        (PYTHON, "with pytest.raises(ValueError):", "with pytest.raises(Exception):"),
        (PYTHON, 'with pytest.raises(ValueError, match="row"):', "with pytest.raises(ValueError):"),
        (PYTHON, "send.assert_called_once_with(5)", "send.assert_called()"),
        (SCRIPT, "expect(total()).toBe(5);", "expect(total()).toBeDefined();"),
        (SCRIPT, "expect(total()).toBe(5);", "expect(total()).toBeTruthy();"),
        (SCRIPT, "expect(total()).toEqual({ a: 5 });", "expect(total()).toEqual(expect.anything());"),
        (SCRIPT, "expect(total()).toBe(5);", "expect(total()).not.toBe(4);"),
        (SCRIPT, "expect(total()).toBeCloseTo(5, 5);", "expect(total()).toBeCloseTo(5, -5);"),
        (SCRIPT, "t.is(total(), 5);", "t.truthy(total());"),
        (SCRIPT, "t.is(total(), 5);", "t.falsy(total() - 5);"),
        (SCRIPT, "t.is(total(), 5);", "t.assert(total());"),
        (SCRIPT, "t.deepEqual(total(), [5]);", "t.is(total().length, 1);"),
        (SCRIPT, "expect(total).toThrow('row');", "expect(total).toThrow();"),
        (GO, "assert.Equal(t, 5, total())", "assert.NotNil(t, total())"),
        (GO, "assert.InDelta(t, 5, total(), 0.01)", "assert.InDelta(t, 5, total(), 100)"),
        (RUST, "assert_eq!(total(), Ok(5));", "assert!(total().is_ok());"),
        (RUST, "assert_eq!(total(), 5);", "assert!(total() >= 0);"),
        (JAVA, "assertEquals(5, total());", "assertNotNull(total());"),
        (JAVA, "assertEquals(5, total(), 0.001);", "assertEquals(5, total(), 100.0);"),
        (JAVA, "assertThat(total()).isEqualTo(5);", "assertThat(total()).isNotNull();"),
        (JAVA, "assertThrows(BadRow.class, () -> total());", "assertThrows(Throwable.class, () -> total());"),
    ],
)
def test_an_assertion_that_accepts_more_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [f"`{new}` in `{name}` in `{path}` accepts more than `{old}`, which it replaces."]
    assert told(path, new, old) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert total() == 5", "assert total() == 6"),
        (PYTHON, "assert total(1) == 5", "assert (\n        total(1)\n        == 5\n    )"),
        (PYTHON, "assert empty() == True", "assert empty()"),
        (PYTHON, "assert not empty()", "assert empty()"),
        (PYTHON, "assert total() is None", "assert total() is not None"),
        (PYTHON, "assert rows == []", "assert not rows"),
        (PYTHON, "assert cart.total == 5", "assert cart.has_total(5)"),
        (PYTHON, "assert a == b", "np.testing.assert_array_equal(a, b)"),
        (PYTHON, "assert total() == 0.3", "assert total() == pytest.approx(0.3)"),
        (PYTHON, "assert total() == pytest.approx(5, rel=0.5)", "assert total() == pytest.approx(6, rel=0.5)"),
        (PYTHON, "assert total() == 5", "with pytest.raises(Exception):\n        total()"),
        (PYTHON, 'assert text == "a"', 'assert text == "this or that >= is not None"'),
        (PYTHON, 'assert text.endswith("a")', 'assert text.endswith("b")'),
        (PYTHON, 'assert "a or b" in text', 'assert "b" in text'),
        (PYTHON, "assert row == {1: 2}", "assert row[1] == 2\n    assert row.id is not None"),
        (PYTHON, "assert total() == 5", "assert total() == 5\n    assert total() is not None"),
        (SCRIPT, "expect(empty()).toBe(true);", "expect(empty()).toBeTruthy();"),
        (SCRIPT, "expect(total()).toBe(5);", "expect(() => total()).toThrow();"),
        (SCRIPT, "t.is(empty(), true);", "t.truthy(empty());"),
        (SCRIPT, "expect(total(1, 2)).toBe(5);", "expect(total(1, 3)).toBe(6);"),
        (SCRIPT, "expect(rows.length).toBe(1);", "expect(rows).toHaveLength(1);"),
        (SCRIPT, "expect(total()).toBe(5);", "await waitFor(() => expect(total()).toBe(5));"),
        (RUST, "assert_eq!(empty(), true);", "assert!(empty());"),
        (RUST, "assert_eq!(total(), 5);", "assert!(total() == 5 && rows() == 1);"),
        (JAVA, "assertEquals(5, total(2, 3));", "assertEquals(5, total(2, 4));"),
        (JAVA, "assertEquals(total(2), 3);", "assertEquals(total(2), 4);"),
        (JAVA, "assertEquals(5, total());", "assertThat(total()).isEqualTo(5);"),
    ],
)
def test_an_honest_change_of_an_assertion_accepts_no_more(path: str, old: str, new: str) -> None:
    assert [one for one in told(path, old, new) if "accepts more" in one] == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert (\n        total()\n        == 5\n    )", "assert (\n        total()\n        >= 0\n    )"),
        (
            PYTHON,
            'with pytest.raises(\n        ValueError,\n        match="row",\n    ):',
            "with pytest.raises(\n        ValueError,\n    ):",
        ),
        (
            PYTHON,
            "self.assertAlmostEqual(\n        total(),\n        5,\n        places=7,\n    )",
            "self.assertAlmostEqual(\n        total(),\n        5,\n        places=0,\n    )",
        ),
        (SCRIPT, "expect(total())\n    .toBe(5);", "expect(total())\n    .toBeDefined();"),
        (
            SCRIPT,
            "expect(total()).toEqual({\n    a: 5,\n  });",
            "expect(total()).toEqual({\n    a: expect.anything(),\n  });",
        ),
        (
            GO,
            "assert.InDelta(\n\t\tt,\n\t\t5,\n\t\ttotal(),\n\t\t0.01,\n\t)",
            "assert.InDelta(\n\t\tt,\n\t\t5,\n\t\ttotal(),\n\t\t100,\n\t)",
        ),
        (JAVA, "assertThat(total())\n            .isEqualTo(5);", "assertThat(total())\n            .isNotNull();"),
    ],
)
def test_a_later_line_of_an_assertion_that_accepts_more_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    was, now = (" ".join(text.split()) for text in (old, new))
    assert told(path, old, new) == [f"`{now}` in `{name}` in `{path}` accepts more than `{was}`, which it replaces."]


def test_moving_an_exact_assertion_to_its_own_test_is_not_reported() -> None:
    before = "def test_a():\n    assert total() == 5\n"
    after = "def test_a():\n    assert total() is not None\n\n\ndef test_b():\n    assert total() == 5\n"
    assert weakened({PYTHON: before}, {PYTHON: after}) == []

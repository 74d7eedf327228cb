"""An exact assertion that became a partial one of the same subject is told; other changes are not."""

import pytest

from tests.core.evidence.test_loosened_checks import GO, JAVA, PYTHON, SCRIPT, told

ACCEPTS_MORE = "accepts more than"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert r.status_code == 200", "assert r.status_code in (200, 500)"),
        (PYTHON, 'assert shop.msg() == "error: bad"', 'assert "error" in shop.msg()'),
        (PYTHON, 'assert shop.msg() == "error: bad"', 'assert shop.msg().startswith("error")'),
        (PYTHON, 'self.assertEqual(f(), "ab")', 'self.assertIn("a", f())'),
        (PYTHON, 'self.assertEqual(f(), "ab")', 'self.assertRegex(f(), ".*")'),
        (PYTHON, 'assert rows(1) == ["a", "b"]', "assert len(rows(1)) == 2"),
        (PYTHON, 'assert rows(1) == ["a", "b"]', 'assert sorted(rows(1)) == ["a", "b"]'),
        (PYTHON, 'assert rows(1) == ["a", "b"]', 'assert set(rows(1)) == {"a", "b"}'),
        (PYTHON, 'assert rows(1) == ["a", "b"]', 'assert rows(1)[:1] == ["a"]'),
        (PYTHON, "assert x == 3", "assert x == 3 if x else True"),
        (SCRIPT, "expect(msg()).toBe('error: bad');", "expect(msg()).toContain('error');"),
        (SCRIPT, "expect(msg()).toBe('error: bad');", "expect(msg()).toMatch(/error/);"),
        (SCRIPT, "expect(msg()).toBe('error: bad');", "expect(msg()).toMatchSnapshot();"),
        (SCRIPT, "expect(msg()).toBe('error: bad');", "expect(msg()).toMatchInlineSnapshot();"),
        (SCRIPT, "expect(msg()).toBe('error: bad');", "expect(msg().includes('error')).toBe(true);"),
        (SCRIPT, "expect(row()).toEqual({ a: 1, b: 2 });", "expect(row()).toMatchObject({ a: 1 });"),
        (SCRIPT, "expect(row()).toEqual({ a: 1, b: 2 });", "expect(row()).toEqual(expect.objectContaining({ a: 1 }));"),
        (SCRIPT, "expect(total()).toBe(3.14);", "expect(total()).toBeCloseTo(3, 0);"),
        (SCRIPT, "assert.equal(add(1, 2), 3);", "assert.ok(add(1, 2));"),
        (JAVA, "assertThat(total()).isEqualTo(3);", "assertThat(total()).isIn(3, 4);"),
        (JAVA, 'assertThat(rows()).containsExactly("a", "b");', 'assertThat(rows()).contains("a");'),
        (JAVA, 'assertThat(rows()).isEqualTo(List.of("a", "b"));', "assertThat(rows()).hasSize(2);"),
        (JAVA, 'assertEquals("error: bad", msg());', 'assertTrue(msg().contains("error"));'),
        (GO, 'require.Equal(t, "a b", Msg())', 'require.Contains(t, Msg(), "a")'),
        (GO, "require.ErrorIs(t, err, ErrRow)", "require.Error(t, err)"),
    ],
)
def test_an_exact_assertion_that_became_partial_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [f"`{new}` in `{name}` in `{path}` {ACCEPTS_MORE} `{old}`, which it replaces."]
    assert told(path, new, old) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, 'assert names == ["Edit"]', 'assert ("Edit" in names) == ["Edit"]'),
        (PYTHON, 'assert "a" in msg()', 'assert "b" in msg()'),
        (PYTHON, 'assert a == "x"', 'assert "a" in text'),
        (PYTHON, "assert rows() == []", "assert len(rows()) == 0"),
        (PYTHON, "assert rows() == [1]", "assert len(other.rows()) == 1"),
        (PYTHON, "assert len(rows()) == 2", 'assert sorted(rows()) == ["a", "b"]'),
        (PYTHON, "assert a.rows() == [1]", "assert a.rows() == [1]\n    assert len(a.rows()) == 1"),
        (PYTHON, 'assert rows() == ["b", "a"]', 'assert rows() == ["a", "b"]\n    assert "a" in rows()'),
        (SCRIPT, "expect(rows()).toEqual([]);", "expect(rows()).toHaveLength(0);"),
        (SCRIPT, "expect(rows().length).toBe(2);", "expect(rows()).toHaveLength(2);"),
        (SCRIPT, "expect(msg()).toBe('a');", 'expect(msg()).toMatchInlineSnapshot(`"a"`);'),
        (SCRIPT, "expect(total()).toBe(0.3);", "expect(total()).toBeCloseTo(0.3);"),
        (SCRIPT, "assert.equal(add(1, 2), 3);", "assert.ok(add(1, 2) === 3);"),
        (JAVA, "assertThat(rows()).isEqualTo(List.of(1));", "assertThat(rows()).containsExactly(1);"),
        (JAVA, "assertEquals(3, total());", "assertThat(total()).isEqualTo(3);"),
        (GO, "require.Equal(t, 3, len(rows))", "require.Len(t, rows, 3)"),
    ],
)
def test_an_assertion_that_is_not_partial_is_not(path: str, old: str, new: str) -> None:
    assert [one for one in told(path, old, new) if ACCEPTS_MORE in one] == []

"""Entries on disk: what is not whole counts as absent, and any number of processes may write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treadle import store


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TREADLE_CACHE_KEY", str(tmp_path / "key"))
    store._warn_once.cache_clear()
    return tmp_path / "cache"


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(256)) * 1000])
def test_round_trip(payload):
    assert store.read("code", "digest") is None
    store.write("code", "digest", payload)
    assert store.read("code", "digest") == payload


def test_kinds_and_digests_are_apart():
    store.write("code", "a", b"1")
    store.write("model", "a", b"2")
    store.write("code", "b", b"3")
    assert [store.read(*key) for key in (("code", "a"), ("model", "a"), ("code", "b"))] == [b"1", b"2", b"3"]
    assert store.read("model", "b") is None


def test_the_last_write_counts(cache):
    store.write("code", "a", b"first")
    store.write("code", "a", b"second")
    assert store.read("code", "a") == b"second"
    assert [path.name for path in (cache / "code").iterdir()] == ["a"]


DAMAGES = {
    "truncated": lambda content: content[:-1],
    "cut in the header": lambda content: content[:20],
    "empty": lambda content: b"",
    "one bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "one bit of the header": lambda content: content[:10] + bytes([content[10] ^ 1]) + content[11:],
    "wrong magic": lambda content: b"TREADLE0" + content[8:],
    "appended": lambda content: content + b"\0",
    "something else": lambda content: b"#!/bin/sh\n" * 100,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_absent(cache, damage):
    store.write("code", "a", b"payload")
    path = cache / "code" / "a"
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert store.read("code", "a") is None
    # and in the way of nobody
    assert not path.exists()
    store.write("code", "a", b"payload")
    assert store.read("code", "a") == b"payload"


@pytest.mark.parametrize("place", [("code", "b"), ("model", "a")])
def test_an_entry_under_another_name_is_absent(cache, place):
    store.write("code", "a", b"payload")
    target = cache.joinpath(*place)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes((cache / "code" / "a").read_bytes())
    assert store.read(*place) is None
    assert store.read("code", "a") == b"payload"


def test_a_folder_in_place_of_an_entry(cache):
    (cache / "code" / "a" / "inside").mkdir(parents=True)
    assert store.read("code", "a") is None
    store.write("code", "a", b"payload")
    assert store.read("code", "a") is None


def test_folders_that_cannot_be_written(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("in the way")
    for place in (file, file / "below", Path("/proc/treadle")):
        monkeypatch.setenv("TREADLE_CACHE", str(place))
        store.write("code", "a", b"payload")
        assert store.read("code", "a") is None
    assert file.read_text() == "in the way"


def test_a_full_disk(cache, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    store.write("code", "a", b"payload")
    assert list((cache / "code").iterdir()) == []


def test_the_folder_is_the_users_own(cache):
    store.write("code", "a", b"payload")
    assert (cache / "code").stat().st_mode & 0o077 == 0


def test_the_key_is_the_users_own(tmp_path):
    store.write("code", "a", b"payload")
    key = tmp_path / "key"
    assert len(key.read_bytes()) == 32
    assert key.stat().st_mode & 0o077 == 0


def test_entries_of_another_key_are_absent(tmp_path, monkeypatch):
    store.write("code", "a", b"payload")
    monkeypatch.setenv("TREADLE_CACHE_KEY", str(tmp_path / "another"))
    assert store.read("code", "a") is None


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_key_that_is_none_costs_the_cache(content, tmp_path):
    (tmp_path / "key").write_bytes(content)
    (tmp_path / "key").chmod(0o600)
    store.write("code", "a", b"payload")
    assert store.read("code", "a") is None


def test_a_key_that_others_can_read_is_not_used(tmp_path):
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o644)
    with pytest.warns(RuntimeWarning, match="not this user's alone"):
        store.write("code", "a", b"payload")
    assert store.read("code", "a") is None


def test_a_folder_that_others_may_enter_is_closed(cache):
    store.write("code", "a", b"payload")
    (cache / "code").chmod(0o777)
    assert store.read("code", "a") == b"payload"
    assert (cache / "code").stat().st_mode & 0o077 == 0


def test_folders_and_entries_of_another_owner_are_not_used(cache, monkeypatch):
    store.write("code", "a", b"payload")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    with pytest.warns(RuntimeWarning, match="not this user's alone"):
        assert store.read("code", "a") is None
    store.write("code", "a", b"another")
    monkeypatch.setattr(os, "geteuid", lambda: own)
    assert store.read("code", "a") == b"payload"


def test_an_entry_that_others_may_write_is_not_used(cache):
    store.write("code", "a", b"payload")
    (cache / "code" / "a").chmod(0o622)
    with pytest.warns(RuntimeWarning, match="not this user's alone"):
        assert store.read("code", "a") is None


def test_links_are_not_followed(cache, tmp_path):
    store.write("code", "a", b"payload")
    target = tmp_path / "elsewhere"
    (cache / "code" / "a").rename(target)
    (cache / "code" / "a").symlink_to(target)
    assert store.read("code", "a") is None
    (cache / "model").symlink_to(cache / "code")
    with pytest.warns(RuntimeWarning, match="not this user's alone"):
        assert store.read("model", "a") is None


def test_where_the_key_is(tmp_path, monkeypatch):
    assert store.key_file() == tmp_path / "key"
    monkeypatch.delenv("TREADLE_CACHE_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert store.key_file() == tmp_path / "xdg" / "treadle" / "cache.key"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store.key_file() == tmp_path / "home" / ".config" / "treadle" / "cache.key"


def test_where_entries_are_kept(tmp_path, monkeypatch):
    assert store.folder() == tmp_path / "cache"
    monkeypatch.delenv("TREADLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.folder() == tmp_path / "xdg" / "treadle"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store.folder() == tmp_path / "home" / ".cache" / "treadle"


def test_a_user_without_a_home(monkeypatch):
    """As in containers that run under a number no account has."""

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TREADLE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    store.write("code", "a", b"payload")
    assert store.read("code", "a") is None


def test_many_processes_write_one_entry(cache):
    """All write the same name at once, with content of their own: one of them remains, whole."""
    script = (
        "import sys\n"
        "from treadle import store\n"
        "payload = sys.argv[1].encode() * 200_000\n"
        "for _ in range(20):\n"
        "    store.write('code', 'a', payload)\n"
        "    found = store.read('code', 'a')\n"
        "    assert found is not None and len(set(found)) == 1 and len(found) == 200_000\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(store.__file__).parents[1])}
    processes = [
        subprocess.Popen([sys.executable, "-c", script, letter], env=environment, stderr=subprocess.PIPE)
        for letter in "abcd"
    ]
    errors = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, errors
    assert store.read("code", "a") in [letter.encode() * 200_000 for letter in "abcd"]
    assert [path.name for path in (cache / "code").iterdir()] == ["a"]


# size


def ages(cache: Path, **seconds: float) -> None:
    for name, age in seconds.items():
        os.utime(cache / "code" / name, (age, age))


def test_the_folder_keeps_within_its_size(cache, monkeypatch):
    monkeypatch.setattr(store, "_LARGEST_FOLDER", 5000)
    monkeypatch.setattr(store, "_BETWEEN", 1)
    for k in range(12):
        store.write("code", f"entry{k}", b"x" * 1000)
        assert sum(path.stat().st_size for path in (cache / "code").iterdir()) <= 5000
    assert store.read("code", "entry11") == b"x" * 1000
    assert store.read("code", "entry0") is None


def test_the_entries_used_longest_ago_go_first(cache, monkeypatch):
    monkeypatch.setattr(store, "_LARGEST_FOLDER", 3500)
    monkeypatch.setattr(store, "_BETWEEN", 1)
    for name in ("a", "b", "c"):
        store.write("code", name, b"x" * 1000)
    ages(cache, a=100.0, b=200.0, c=300.0)
    # reading is using
    assert store.read("code", "a") is not None
    store.write("code", "d", b"x" * 1000)
    assert {path.name for path in (cache / "code").iterdir()} == {"a", "c", "d"}


def test_other_kinds_are_left_alone(monkeypatch):
    monkeypatch.setattr(store, "_LARGEST_FOLDER", 1500)
    store.write("model", "a", b"x" * 1000)
    store.write("code", "a", b"x" * 1000)
    store.write("code", "b", b"x" * 1000)
    assert store.read("model", "a") is not None


# the source


def test_the_source_digest_sees_every_file(tmp_path, monkeypatch):
    package = tmp_path / "treadle"
    (package / "inner").mkdir(parents=True)
    (package / "store.py").write_text("a = 1\n")
    (package / "inner" / "deep.py").write_text("b = 2\n")
    monkeypatch.setattr(store, "__file__", str(package / "store.py"))
    digest = store.source_digest.__wrapped__
    seen = [digest()]
    (package / "inner" / "deep.py").write_text("b = 3\n")
    seen.append(digest())
    (package / "inner" / "deep.py").rename(package / "inner" / "other.py")
    seen.append(digest())
    (package / "new.py").write_text("")
    seen.append(digest())
    assert len(set(seen)) == 4
    assert digest() == seen[-1]

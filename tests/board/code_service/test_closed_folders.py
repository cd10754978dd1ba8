"""Which folder keeps the evaluating user from its Python."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.board.code_service.unprivileged import User, closed_folders


def test_the_folder_that_is_closed_is_found_through_links(tmp_path: Path) -> None:
    stranger = User(os.getuid() + 54321, os.getgid() + 54321, "stranger", changes=True)
    home, python = tmp_path / "home", tmp_path / "home" / "py" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    (tmp_path / "venv").mkdir()
    link = tmp_path / "venv" / "python"
    link.symlink_to(python)
    for folder in (home, home / "py", home / "py" / "bin", tmp_path / "venv"):
        folder.chmod(0o755)
    ours = lambda: [one for one in closed_folders(stranger, (link,)) if one.is_relative_to(home)]  # noqa: E731
    assert ours() == []
    home.chmod(0o700)
    assert ours() == [home]
    (home / "py").chmod(0o750)
    assert ours() == [home, home / "py"]
    owner = User(os.getuid(), os.getgid(), "owner", changes=False)
    assert [one for one in closed_folders(owner, (link,)) if one.is_relative_to(home)] == []

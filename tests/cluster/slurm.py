"""A Slurm cluster on one machine, for tests: munged, a controller and several nodes, each with a daemon of its own.

The whole cluster lives in namespaces of its own (processes, mounts, network): it meets no Slurm of the machine and none of
another test, and nothing of it outlives the test, however that ends. Each node is a process namespace as well, so that it
can die as machines do, with everything that runs on it. That takes root and the packages slurmctld, slurmd, slurm-client and
munge.
"""
import contextlib
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo", "unshare", "mount"]
FIRST_NODE_PORT = 17001
START_SECONDS = 60
_INSIDE = "CAMBI_TEST_CLUSTER_NAMESPACE"


def require_slurm():
    """Ends the program with what is missing: a test that cannot run has not passed."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        sys.exit(f"not found: {', '.join(missing)}. Try: apt-get install slurmctld slurmd slurm-client munge")
    if os.geteuid() != 0:
        sys.exit("the daemons of Slurm start the jobs of users, so these tests need root")


def enter_namespaces():
    """Starts this program again as the first process of namespaces of its own: with it everything ends that it has started."""
    require_slurm()
    if os.environ.get(_INSIDE) != str(os.getpid()):
        os.environ[_INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--pid", "--mount", "--net", "--fork", "--kill-child=SIGKILL", "--mount-proc",
                              sys.executable, *sys.argv])
    _raise_loopback()


def _raise_loopback():
    """Slurm asks the resolver for addresses of the kinds that the machine has, of which 127.0.0.1 is none: it gets another."""
    set_flags, set_address, is_up = 0x8914, 0x8916, 1
    address = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton("198.51.100.1"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", is_up))
        fcntl.ioctl(any_socket, set_address, struct.pack("16s16s", b"lo:1", address))


def _end_with_parent():
    end_signal = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(end_signal, signal.SIGKILL)


@contextlib.contextmanager
def temporary_folder():
    """One that munged takes: it refuses sockets that not everybody can reach."""
    with tempfile.TemporaryDirectory(prefix="cambi_cluster_") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def wait_until(is_so, what, seconds=START_SECONDS, pause=0.1):
    """Returns the first true value of is_so()."""
    end = time.monotonic() + seconds
    while not (value := is_so()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(pause)
    return value


class Cluster:
    """with temporary_folder() as folder, Cluster(folder / "slurm", nodes=3) as cluster: cluster.run(["sbatch", ...])"""

    def __init__(self, folder, nodes=3, cpus=1, memory_mb=8000, array_size=1001, is_pinned=False):
        """is_pinned: each node has a core of its own."""
        self.folder = pathlib.Path(folder)
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self._is_pinned = is_pinned
        self._daemons = {}
        for name in ("state", "log"):
            (self.folder / name).mkdir(parents=True)
        self._write_configuration(cpus, memory_mb, array_size)

    def _write_configuration(self, cpus, memory_mb, array_size):
        folder = self.folder
        lines = [
            "ClusterName=test", "SlurmctldHost=localhost(127.0.0.1)", "SlurmUser=root", "SlurmdUser=root",
            # A job that is started again waits until the credential of its first start has expired: 120 s by default.
            "AuthType=auth/munge", f"AuthInfo=socket={folder}/munge.socket,cred_expire=5", "CredType=cred/munge",
            f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={folder}/spool.%n",
            f"SlurmctldPidFile={folder}/slurmctld.pid", f"SlurmdPidFile={folder}/slurmd.%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld", f"SlurmdLogFile={folder}/log/slurmd.%n",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "SwitchType=switch/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory", "SlurmdParameters=config_overrides",
            "AccountingStorageType=accounting_storage/none", "JobAcctGatherType=jobacct_gather/none",
            "ReturnToService=2", f"MaxArraySize={array_size}",
            # A node that is gone is noticed within seconds.
            "SlurmdTimeout=10", "MessageTimeout=5", "KillWait=2", "BatchStartTimeout=10", 
            "SchedulerParameters=sched_interval=2,batch_sched_delay=1",
        ]
        for number, name in enumerate(self.names):
            lines.append(f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={FIRST_NODE_PORT + number} "
                         f"CPUs={cpus} RealMemory={memory_mb} State=UNKNOWN")
        lines.append(f"PartitionName=all Nodes={','.join(self.names)} Default=YES State=UP MaxTime=INFINITE")
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n")

    def __enter__(self):
        self._start_munge()
        self.start_controller()
        for name in self.names:
            self.start_node(name)
        wait_until(lambda: self.idle_nodes() == len(self.names), "all nodes are idle")
        return self

    def __exit__(self, *_):
        for name in reversed(list(self._daemons)):
            self._kill(name)

    def _start(self, name, command):
        with open(self.folder / "log" / f"{name}.output", "ab") as output:
            self._daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                                   env=self.environment, preexec_fn=_end_with_parent)

    def _kill(self, name):
        daemon = self._daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def _start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        socket_path = self.folder / "munge.socket"
        self._start("munged", ["munged", "--foreground", f"--key-file={key}", f"--socket={socket_path}",
                               f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed",
                               f"--log-file={self.folder}/log/munged"])
        wait_until(socket_path.exists, "munged listens")

    def start_controller(self):
        self._start("slurmctld", ["slurmctld", "-D"])
        wait_until(lambda: self.run(["scontrol", "ping"], check=False).returncode == 0, "the controller answers")

    def stop_controller(self):
        """As its service does for a restart: it saves what it knows first."""
        self._daemons["slurmctld"].terminate()
        self._daemons.pop("slurmctld").wait(timeout=START_SECONDS)

    def start_node(self, name, full=()):
        """`full`: folders that on this node alone are on a disk without room."""
        steps = ["trap '' TERM"]
        for folder in full:
            steps.append(f"mount -t tmpfs -o size=4k none '{folder}' && head -c 4096 /dev/zero >'{folder}/.full'")
        # The shell stays as the first process of its namespace, which has to wait for processes without a parent.
        pin = f"taskset --cpu-list {self.names.index(name)} " if self._is_pinned else ""
        steps.append(f"{pin}slurmd -D -N {name} & wait")
        self._start(name, ["unshare", "--pid", "--mount", "--fork", "--kill-child=SIGKILL", "--mount-proc", "sh", "-c",
                           "\n".join(steps)])

    def kill_node(self, name):
        """As if its power had failed: the daemon, the steps and their processes are gone at once."""
        self._kill(name)

    def run(self, command, check=True, seconds=60):
        """Runs a command of Slurm, or another that calls them."""
        result = subprocess.run([str(word) for word in command], env=self.environment, text=True, capture_output=True,
                                timeout=seconds, stdin=subprocess.DEVNULL)
        if check and result.returncode != 0:
            raise AssertionError(f"{command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result

    def start(self, command):
        return subprocess.Popen([str(word) for word in command], env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_end_with_parent)

    def idle_nodes(self):
        result = self.run(["sinfo", "--noheader", "--Node", "--format=%T"], check=False)
        return result.stdout.split().count("idle")

    def jobs(self):
        """(id, state, nodes) of each job and task that has not ended: ("7_1", "RUNNING", "n1")."""
        rows = self.run(["squeue", "--noheader", "--array", "--format=%i|%T|%N"]).stdout.splitlines()
        return [tuple(row.strip().split("|")) for row in rows]

    def wait_for_jobs(self, seconds=300):
        wait_until(lambda: not self.jobs(), "all jobs have ended", seconds)

    def logs(self):
        names = ["slurmctld", *(f"slurmd.{name}" for name in self.names)]
        paths = [path for path in (self.folder / "log" / name for name in names) if path.exists()]
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in paths)


def processes(program, words=()):
    """Ids of the processes, on all nodes, that run this program with these words in their command line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if line and line[0] and pathlib.Path(line[0]).name == program and all(str(word) in line for word in words):
            found.append(int(folder.name))
    return found

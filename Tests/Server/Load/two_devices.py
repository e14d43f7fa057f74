#!/usr/bin/env python3
"""Measures two devices on one server, each a process of its own, on this machine.

    swift build -c release
    python3 Tests/Server/Load/two_devices.py --records 100000 --toggles 500

Prints how long the first upload and the first download of so many records take and how much
memory each process needed, then how long a toggle that is typed on one device takes until the
other one shows it (watch, which is a query and its output). Nothing of this is a test.
"""
import argparse
import json
import os
import pty
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--records", type=int, default=100_000)
arguments.add_argument("--toggles", type=int, default=500)
arguments.add_argument("--programs", default=".build/release")
options = arguments.parse_args()

folder = tempfile.mkdtemp(prefix="strandline-load-")
programs = os.path.abspath(options.programs)
client, server = (os.path.join(programs, name) for name in ("strandline", "strandline-server"))
data = os.path.join(folder, "server")


def admin(*words):
    return subprocess.run(
        [server, "--data", data, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def measured(command, environment):
    """Runs a command; returns seconds and the most memory it had, in MB."""
    began = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}: {output}")
    return time.monotonic() - began, usage.ru_maxrss / 1024


def drain(terminal):
    """Reads what a terminal shows, so that its program is never held up."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


admin("account", "add", "ann")
token = admin("token", "create", "ann")
serving = subprocess.Popen(
    [server, "--data", data, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL, text=True)
address = serving.stdout.readline().split()[-1]
environment = dict(os.environ, STRANDLINE_TOKEN=token)


def device(name, *words):
    home = os.path.join(folder, name)
    return [client, "--home", home, "--device", name, "--transport", address, *words]


try:
    table = os.path.join(folder, "items.csv")
    chance = random.Random(1)
    with open(table, "w") as file:
        file.write("name,note,priority,done\n")
        for number in range(options.records):
            file.write(f"item {number},note of {number},{chance.randrange(5)},false\n")
    subprocess.run(device("phone", "--local", "import", table, "TodoItem"), check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    up, memory = measured(device("phone", "sync"), environment)
    print(f"upload    {options.records} records: {up:.2f} s, "
          f"{options.records / up:.0f} records/s, {memory:.0f} MB")
    down, memory = measured(device("laptop", "sync"), environment)
    print(f"download  {options.records} records: {down:.2f} s, "
          f"{options.records / down:.0f} records/s, {memory:.0f} MB")
    with open(f"/proc/{serving.pid}/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM")).split()[1]
    size = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data))
    print(f"server    at most {int(peak) / 1024:.0f} MB, files {size / 1e6:.1f} MB")

    found = subprocess.run(
        device("phone", "--local", "--json", "list", "TodoItem", "limit", "1"), env=environment,
        check=True, capture_output=True, text=True)
    record = json.loads(found.stdout)["id"]
    # By its key, so that the query itself takes no time worth speaking of.
    watch = subprocess.Popen(
        device("laptop", "--json", "watch", "TodoItem", "where", "id", "=",
               f"x'{record.replace('-', '')}'"),
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def shown():
        return json.loads(watch.stdout.readline())["watch"]["records"][0]["fields"]["done"]

    value = shown()
    # A terminal of its own, since only a session that stays open syncs by itself.
    keyboard, terminal = pty.openpty()
    phone = subprocess.Popen(
        device("phone", "--no-rc"), env=dict(environment, TERM="dumb"), stdin=terminal,
        stdout=terminal, stderr=terminal, start_new_session=True)
    threading.Thread(target=drain, args=(keyboard,), daemon=True).start()
    time.sleep(2)
    times = []
    for _ in range(options.toggles + 5):
        began = time.monotonic()
        os.write(keyboard, f"toggle {record} done\n".encode())
        while (now := shown()) == value:
            pass
        times.append((time.monotonic() - began) * 1000)
        value = now
        # Longer than saves are gathered, so that each one is the first after a pause.
        time.sleep(0.5)
    times = sorted(times[5:])
    print(f"toggle    {len(times)} times: median {statistics.median(times):.1f} ms, "
          f"99th percentile {times[int(len(times) * 0.99)]:.1f} ms, most {times[-1]:.1f} ms")
    phone.kill()
    watch.kill()
finally:
    serving.terminate()
    serving.wait()

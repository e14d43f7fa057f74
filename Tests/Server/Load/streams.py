"""Measures a server that holds many open streams of events and answers requests beside them.

    python3 streams.py PATH/TO/strandline-server [--streams 2000] [--rate 200] [--seconds 20]

It starts the server on loopback with data in a temporary folder, opens the streams, asks for the
account so many times a second, and sends SIGTERM; then it starts the server anew at its address
and lets all streams come back at once. It prints what it measured. Only the standard library is
used, and no test runs this.
"""

import argparse
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    return 0


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(program, data, address):
    process = subprocess.Popen(
        [program, "--data", data, "serve", "--listen", address, "--no-log"],
        stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    while line and "Listening on" not in line:
        line = process.stdout.readline()
    return process, line.strip().rsplit("/", 1)[1]


def connect(address):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60)


def request(path, token):
    return (f"GET {path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\n\r\n").encode()


def open_streams(address, tokens, count):
    """Connects all at once and waits for the first bytes of each; returns them and the times."""
    began = time.monotonic()
    poller, waiting, times = select.epoll(), {}, []
    streams = []
    for number in range(count):
        stream = connect(address)
        stream.sendall(request("/v1/events", tokens[number % len(tokens)]))
        stream.setblocking(False)
        poller.register(stream, select.EPOLLIN)
        waiting[stream.fileno()] = (stream, b"", time.monotonic())
        streams.append(stream)
    refused = 0
    while waiting and time.monotonic() - began < 120:
        for descriptor, _ in poller.poll(1):
            stream, text, since = waiting[descriptor]
            more = stream.recv(65536)
            assert more, "a stream was closed"
            text += more
            waiting[descriptor] = (stream, text, since)
            if b": connected" in text or b" 503 " in text:
                refused += b" 503 " in text
                times.append(time.monotonic() - since)
                poller.unregister(stream)
                del waiting[descriptor]
    return streams, times, refused, time.monotonic() - began


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] if times else float("nan")


def ask(address, token, rate, seconds):
    """Asks at a steady rate on a few kept connections, one request at a time on each."""
    connections = [connect(address) for _ in range(4)]
    times, began = [], time.monotonic()
    for number in range(int(rate * seconds)):
        due = began + number / rate
        time.sleep(max(0, due - time.monotonic()))
        connection = connections[number % len(connections)]
        asked = time.monotonic()
        connection.sendall(request("/v1/account", token))
        answer = b""
        while b"}}\n" not in answer:
            more = connection.recv(65536)
            assert more, "the connection was closed"
            answer += more
        assert answer.startswith(b"HTTP/1.1 200"), answer
        times.append(time.monotonic() - asked)
    return times, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--accounts", type=int, default=10)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    data = tempfile.mkdtemp()

    def admin(*words):
        return subprocess.run(
            [options.program, "--data", data, *words], check=True, capture_output=True,
            text=True).stdout.strip()

    process = None
    try:
        process, address = start(options.program, data, "127.0.0.1:0")
        tokens = []
        for number in range(options.accounts):
            admin("account", "add", f"person{number}")
            tokens.append(admin("token", "create", f"person{number}").splitlines()[-1])
        for _ in range(3):  # so that the first of each costs nothing later
            ask(address, tokens[0], 200, 1)
        before = memory(process)
        streams, times, refused, taken = open_streams(address, tokens, options.streams)
        time.sleep(2)
        after = memory(process)
        print(f"{len(streams)} streams opened in {taken:.2f} s, {refused} refused; "
              f"first byte median {percentile(times, .5) * 1000:.1f} ms, "
              f"99 % {percentile(times, .99) * 1000:.1f} ms")
        print(f"memory {before} KB before, {after} KB with them: "
              f"{(after - before) * 1024 / len(streams):.0f} bytes a stream")
        used = processor_seconds(process)
        times, elapsed = ask(address, tokens[0], options.rate, options.seconds)
        used = processor_seconds(process) - used
        print(f"{len(times) / elapsed:.0f} requests/s beside them: median "
              f"{percentile(times, .5) * 1000:.2f} ms, 99 % {percentile(times, .99) * 1000:.2f} ms, "
              f"greatest {max(times) * 1000:.2f} ms; {used / elapsed * 100:.0f} % of a processor")
        print(f"memory afterwards {memory(process)} KB")
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
        print(f"stopped in {time.monotonic() - began:.2f} s with code {code}")
        for stream in streams:
            stream.close()
        process, address = start(options.program, data, address)
        streams, times, refused, taken = open_streams(address, tokens, options.streams)
        print(f"after a restart {len(streams)} came back in {taken:.2f} s, {refused} refused; "
              f"median {percentile(times, .5) * 1000:.1f} ms, "
              f"99 % {percentile(times, .99) * 1000:.1f} ms")
    finally:
        if process:
            process.kill()
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()

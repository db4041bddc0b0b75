# SPDX-License-Identifier: GPL-2.0
"""One TCP transfer of a given size or pattern, where iperf3 cannot measure it.

iperf3 -R -n keeps its sender spinning until the receiver has had the last byte
(costly in virtual time), counts its own handshakes, and cannot change its rate.

    transfer.py serve PORT CC PLAN           sends to the first that connects
    transfer.py fetch ADDRESS PORT CPORT CC  receives, prints JSON

PLAN is a list of [seconds, bytes, Mbit/s]; what does not apply is null.
"""

import json
import socket
import sys
import time

CHUNK = 1 << 18
SMALL_STEP_S = 0.005


def congestion(sock, name=None):
    """Set (if named) and return a socket's congestion control."""
    if name:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()


def send_part(sock, seconds, size, mbit, data):
    """One entry of the plan; the number of bytes handed to the kernel."""
    begun = time.monotonic()
    sent = 0
    while (size is None or sent < size) and (
            seconds is None or time.monotonic() - begun < seconds):
        if mbit is None:
            chunk = CHUNK if size is None else min(CHUNK, size - sent)
        else:
            time.sleep(SMALL_STEP_S)
            due = int((time.monotonic() - begun) * mbit * 125_000) - sent
            chunk = max(0, min(CHUNK, due, due if size is None else size - sent))
        sock.sendall(data[:chunk])
        sent += chunk
    return sent


def serve(port, name, plan):
    """Send the plan to one client and report on standard output."""
    listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    congestion(listener, name)
    listener.bind(("::", port))
    listener.listen(1)
    sock, _peer = listener.accept()
    listener.close()
    used = congestion(sock)
    data = memoryview(bytes(CHUNK))
    sent = sum(send_part(sock, *part, data) for part in plan)
    sock.shutdown(socket.SHUT_WR)
    sock.recv(1)
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return {"cc": used, "bytes": sent,
            "retransmits": int.from_bytes(info[100:104], sys.byteorder)}


def fetch(address, port, cport, name):
    """Receive until the end; times count from the established connection."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("::" if family == socket.AF_INET6 else "0.0.0.0", cport))
    congestion(sock, name)
    began = time.monotonic()
    sock.connect((address, port))
    connected = time.monotonic()
    total, first, seconds = 0, None, []
    while True:
        # MSG_TRUNC: TCP throws the data away instead of copying it.
        got = sock.recv_into(BUFFER, CHUNK, socket.MSG_TRUNC)
        now = time.monotonic()
        if got <= 0:
            break
        last = now
        first = first or now
        total += got
        number = int(now - first)
        seconds.extend([0] * (number + 1 - len(seconds)))
        seconds[number] += got
    return {"bytes": total, "handshake_s": connected - began, "seconds": seconds,
            "length_s": last - first if total else 0,
            "completion_s": last - connected if total else None}


BUFFER = bytearray(CHUNK)


def main():
    """Do what the command line says and print JSON."""
    verb, *rest = sys.argv[1:]
    if verb == "serve":
        result = serve(int(rest[0]), rest[1], json.loads(rest[2]))
    else:
        result = fetch(rest[0], int(rest[1]), int(rest[2]), rest[3])
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()

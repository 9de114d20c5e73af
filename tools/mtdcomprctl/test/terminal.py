#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# terminal.py PROGRAM TREE: top on a terminal clears the screen, ends by the key q or by SIGINT, and
# leaves the terminal as it was. Status 0 on success; else it prints the failure.
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time


def read_until(fd, what):
    text = b""
    until = time.monotonic() + 20
    while what not in text and time.monotonic() < until:
        if select.select([fd], [], [], 0.1)[0]:
            text += os.read(fd, 4096)
    assert what in text, (what, text)
    return text


def run(end):
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    program = subprocess.Popen([sys.argv[1], "--sysroot", sys.argv[2], "top", "-d", "0.2"],
                               stdin=theirs, stdout=theirs, stderr=theirs)
    read_until(ours, b"\033[H\033[JNAME")
    assert not termios.tcgetattr(theirs)[3] & termios.ICANON, "keys wait for Enter"
    # Rates need a second reading.
    read_until(ours, b"\033[H\033[JNAME")
    read_until(ours, b"0B")
    os.write(ours, b"x")
    time.sleep(0.3)
    assert program.poll() is None, "ended by x"
    end(program, ours)
    assert program.wait(20) == 0, program.returncode
    assert termios.tcgetattr(theirs) == before, "the terminal is not as it was"


run(lambda program, fd: os.write(fd, b"q"))
run(lambda program, fd: program.send_signal(signal.SIGINT))

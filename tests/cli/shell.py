"""`python -m tests.cli.shell TOLD HEARD COMMAND...`: a shell of one job, which may be stopped and brought back.

The job is in the foreground of the terminal that this process begins with. How it stands is told by lines to the file
descriptor TOLD (`stopped`, `ended 0`), and a line `fg` from HEARD brings it back. Unlike other shells it leaves the
terminal's modes alone, so what a job leaves behind can be seen.
"""

import fcntl
import os
import signal
import sys
import termios


def main(told: int, heard: int, command: list[str]) -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # else taking the terminal back from a job would stop this one
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(command[0], command)
    os.write(told, f"job {job}\n".encode())
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpgrp())
        if not os.WIFSTOPPED(status):
            os.write(told, f"ended {os.waitstatus_to_exitcode(status)}\n".encode())
            return
        os.write(told, b"stopped\n")
        os.read(heard, 100)
        os.tcsetpgrp(0, job)
        os.kill(job, signal.SIGCONT)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])

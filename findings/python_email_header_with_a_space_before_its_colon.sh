#!/bin/sh
# Python's email package ends the headers of a mail at one with a space before its colon, and takes it and all that
# follow for the body: date or subject are lost with no more than a defect noted. RFC 5322, section 4.5, has this form
# as obsolete: programs must not write it, and must accept it. Exits 1 if that changes.
#
# version: Python 3.11 (standard library)
# behaviour: email.message_from_bytes reads "Subject : Tides" as the first line of the body
# seen: headers ['From'], body that begins with "Subject : Tides"
set -eu
python3 - <<'PYTHON'
import email
import email.policy
import sys

mail = b"From: ann@example.org\r\nSubject : Tides\r\nDate: Thu, 4 Jun 2026 10:00:00 +0000\r\n\r\nThe tide turns.\r\n"
print("Python", sys.version.split()[0])
seen = []
for policy in (email.policy.compat32, email.policy.default):
    message = email.message_from_bytes(mail, policy=policy)
    seen.append((message.keys(), message.get_payload().splitlines()[0]))
    print("headers", message.keys(), "body", repr(message.get_payload()))
    print("defects", [type(one).__name__ for one in message.defects])
sys.exit(0 if all(one == (["From"], "Subject : Tides") for one in seen) else 1)
PYTHON

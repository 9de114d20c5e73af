#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""wycheproof.py REPOSITORY: print drivers/mtd/mtdcompr/crypt_vectors.h, the table for crypt_test.c.
REPOSITORY is a git repository of Project Wycheproof (github.com/C2SP/wycheproof).

The driver has nonces of 64 bits. Of ChaCha20-Poly1305's nonce these are the last 8 of 12 bytes,
and the first 4 are zero: few cases have such a nonce. XChaCha20-Poly1305 is the same AEAD, with a
key derived by HChaCha20 from the key and the first 16 of 24 bytes of the nonce, and with 4 zero
bytes and the last 8 as nonce. So its cases fit with the derived key, which is computed here."""

import json
import struct
import subprocess
import sys

PLAIN = "testvectors_v1/chacha20_poly1305_test.json"
EXTENDED = "testvectors_v1/xchacha20_poly1305_test.json"
# Digits in a line of 100 columns: the indentation, quotation marks and the brace take the others.
DIGITS = 84

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of Project Wycheproof for crypt_test.c. selftests/lib/wycheproof.py writes this file: do
 * not edit it.
 *
 * Source: https://github.com/C2SP/wycheproof, whose licence is Apache-2.0
 * Commit: {commit}
 *
 * {plain}
 * has {plain_all} cases, and {plain_fit} fit the driver's nonce of 64 bits. Of the others {plain_nonce} have a nonce of
 * 96 bits whose first 32 are not zero, and {plain_size} a nonce of another length.
 *
 * {extended}
 * has {extended_all} cases, and {extended_fit} fit with the key that HChaCha20 derives, which is the one below. The
 * other {extended_size} have a nonce of another length than 192 bits.
 */
#ifndef MTDC_CRYPT_VECTORS_H
#define MTDC_CRYPT_VECTORS_H

#include <linux/types.h>

/**
 * struct crypt_vector - a case
 * @nr: number of the case in its file
 * @valid: is the tag right?
 * @with_bytes: length of the associated data
 * @text_bytes: length of the text
 * @hex: key, nonce, associated data, text, encrypted text and tag
 */
struct crypt_vector {{
	u16 nr;
	bool valid;
	u16 with_bytes;
	u16 text_bytes;
	const char *hex;
}};
"""


def turn(word, bits):
    return (word << bits | word >> 32 - bits) & 0xffffffff


def quarter_round(words, a, b, c, d):
    for add, to, change, bits in ((b, a, d, 16), (d, c, b, 12), (b, a, d, 8), (d, c, b, 7)):
        words[to] = (words[to] + words[add]) & 0xffffffff
        words[change] = turn(words[change] ^ words[to], bits)


def hchacha20(key, nonce):
    words = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))
    for _ in range(10):
        for column in range(4):
            quarter_round(words, column, 4 + column, 8 + column, 12 + column)
        for i in range(4):
            quarter_round(words, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<8I", *words[:4], *words[12:])


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def cases(repository, name):
    for group in json.loads(git(repository, "show", "HEAD:" + name))["testGroups"]:
        assert group["keySize"] == 256 and group["tagSize"] == 128
        for case in group["tests"]:
            assert case["result"] in ("valid", "invalid")
            yield case, bytes.fromhex(case["key"]), bytes.fromhex(case["iv"])


def row(case, key, nonce):
    digits = (key + nonce).hex() + case["aad"] + case["msg"] + case["ct"] + case["tag"]
    lines = [digits[at:at + DIGITS] for at in range(0, len(digits), DIGITS)]
    valid = "true" if case["result"] == "valid" else "false"
    return "\t{ %d, %s, %d, %d,\n\t  %s },\n" % (
        case["tcId"], valid, len(case["aad"]) // 2, len(case["msg"]) // 2,
        "\n\t  ".join('"%s"' % line for line in lines))


def table(name, rows):
    return "\nstatic const struct crypt_vector %s[] = {\n%s};\n" % (name, "".join(rows))


def main():
    repository = sys.argv[1]
    plain, extended, left_out = [], [], {"nonce": 0, "size": 0, "extended": 0}
    for case, key, nonce in cases(repository, PLAIN):
        if len(nonce) != 12:
            left_out["size"] += 1
        elif nonce[:4] != bytes(4):
            left_out["nonce"] += 1
        else:
            plain.append(row(case, key, nonce[4:]))
    for case, key, nonce in cases(repository, EXTENDED):
        if len(nonce) != 24:
            left_out["extended"] += 1
        else:
            extended.append(row(case, hchacha20(key, nonce[:16]), nonce[16:]))
    print(HEAD.format(
        commit=git(repository, "rev-parse", "HEAD").strip(), plain=PLAIN, extended=EXTENDED,
        plain_fit=len(plain), plain_all=len(plain) + left_out["nonce"] + left_out["size"],
        plain_nonce=left_out["nonce"], plain_size=left_out["size"],
        extended_fit=len(extended), extended_all=len(extended) + left_out["extended"],
        extended_size=left_out["extended"]), end="")
    print(table("wycheproof_chacha", plain), end="")
    print(table("wycheproof_xchacha", extended), end="")
    print("\n#endif /* MTDC_CRYPT_VECTORS_H */")


if __name__ == "__main__":
    main()

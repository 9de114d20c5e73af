#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""dashboard.py DASHBOARD URL: ask Prometheus at URL what each panel of the dashboard asks, as
Grafana would, and print TAP. A query has to be right, and has to have a series of each device; no two series
of a panel may have the same name.
"""
import collections
import json
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# Grafana's values of its variables if the user selects "All".
VARIABLES = {"$device": ".*", "$instance": ".*", "$__rate_interval": "1m"}
BOARDS = 2
# Seconds to wait for the first figures on a slow machine.
TRIES = 600


def ask(url, path, **arguments):
    full = f"{url}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
    try:
        with urllib.request.urlopen(full, timeout=60) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        if error.code == 503:
            # Prometheus is not ready yet.
            raise
        sys.exit(f"{arguments.get('query')}: {json.load(error)['error']}")


def await_figures(url):
    """Until a rate can be had of both boards, which takes two looks at each."""
    for _ in range(TRIES):
        try:
            found = ask(url, "query", query="rate(mtdcompr_page_writes_total[1m])")["result"]
            if len({one["metric"]["instance"] for one in found}) == BOARDS:
                return
        except OSError:
            pass
        time.sleep(1)
    sys.exit(f"Prometheus has no figures of {BOARDS} boards")


def put_in(text):
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def legend(form, labels):
    return re.sub(r"{{\s*(\w+)\s*}}", lambda match: labels.get(match[1], ""), form)


def devices(result):
    return {(one["metric"].get("instance"), one["metric"].get("device")) for one in result}


def wanted(panel, there):
    """The devices that each query of a panel has to have. What wears differs with the media."""
    return set() if panel["title"] == "Wear" else there


def look(url, panel, there):
    """Ask what a panel asks. Returns its faults, and a list of its series for each name."""
    found, names = [], collections.defaultdict(list)
    for target in panel["targets"]:
        result = ask(url, "query", query=put_in(target["expr"]))["result"]
        missing = wanted(panel, there) - devices(result)
        if missing or not result:
            found.append(f"query {target['refId']} has no series of {sorted(missing)}")
        for one in result:
            names[legend(target["legendFormat"], one["metric"])].append(one["metric"])
    found += [f"{len(series)} series are called \"{name}\"" for name, series in names.items()
              if len(series) > 1]
    return found, names


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    print(f"1..{len(panels)}")
    await_figures(sys.argv[2])
    there = devices(ask(sys.argv[2], "query", query="mtdcompr_device_info")["result"])
    failed = False
    for number, panel in enumerate(panels, 1):
        wrong, names = look(sys.argv[2], panel, there)
        print(f"{'not ok' if wrong else 'ok'} {number} - {panel['title']}: {len(names)} series")
        for line in wrong:
            print(f"# {line}")
        failed = failed or bool(wrong)
    sys.exit(failed)


main()

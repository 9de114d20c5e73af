#!/usr/bin/python3
import sys
print(open(sys.argv[1]).read())

"""
What doc/*.md shows of programs is the tests' own code.

    snippets.py FILE.md...            fails where a block differs from its source
    snippets.py --write FILE.md...    puts the source's lines into the blocks

A block that follows <!-- PATH: NAME --> is the lines of PATH (from the project's folder) between the comments
[NAME] and [/NAME], with their common indentation removed; <!-- PATH --> is the whole file.
"""
import os
import re
import sys
import textwrap

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
BLOCK = re.compile(r"^(<!-- ([\w./-]+?)(?:: ([\w-]+))? -->\n)(```\w*\n)(.*?)^(```)$", re.M | re.S)


def source_lines(path, name):
    with open(os.path.join(PROJECT, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    if name is None:
        return "\n".join(lines) + "\n"
    begin, end = ([i for i, line in enumerate(lines)
                   if re.fullmatch(r"(#|//|--|/\*) \[%s%s\]( \*/)?" % (slash, name), line.strip())]
                  for slash in ("", "/"))
    if len(begin) != 1 or len(end) != 1 or begin[0] >= end[0]:
        raise SystemExit("%s: no part [%s] that ends in [/%s]" % (path, name, name))
    part = "\n".join(lines[begin[0] + 1:end[0]]).strip("\n")
    return textwrap.dedent(part.replace("\t", "    ")) + "\n"


def filled(text):
    return BLOCK.sub(lambda m: m[1] + m[4] + source_lines(m[2], m[3]) + m[6], text)


def main(arguments):
    write = arguments[:1] == ["--write"]
    wrong = 0
    for name in arguments[write:]:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if len(BLOCK.findall(text)) != len(re.findall(r"^<!-- [\w./-]+(?:: [\w-]+)? -->$", text, re.M)):
            raise SystemExit(name + ": a mark without a block after it")
        right = filled(text)
        if right != text and write:
            with open(name, "w", encoding="utf-8") as file:
                file.write(right)
        elif right != text:
            print(name + ": blocks differ from their sources; dev/snippets.py --write " + name)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

